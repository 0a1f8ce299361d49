// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// More operators of com.microsoft on quantized tensors: QGemm, QLinearAveragePool,
// QLinearReduceMean and QLinearWhere. Source: ContribOperators.md of ONNX Runtime.
// Layer: dequantize, the layer of the operator and quantize.

#include "onnx/importer_registry.h"
#include "onnx/quantized_term.h"
#include "onnx/term.h"
#include "onnx/window_parts.h"

#include <algorithm>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;

namespace {

std::optional<Term> maybeInput(NodeContext& context, size_t index) {
    return context.hasInput(index) ? std::optional(Term::input(context, index)) : std::nullopt;
}

// Inputs index, index + 1 and index + 2 are numbers, scale and zero point.
Term dequantizedInput(NodeContext& context, size_t index, int32_t axis) {
    return dequantized(Term::input(context, index), Term::input(context, index + 1),
                       maybeInput(context, index + 2), axis);
}

// The result in the scale of input `index` and the zero point behind it.
void setQuantized(NodeContext& context, Term result, size_t index) {
    context.setOutput(0,
                      quantized(result, Term::input(context, index), maybeInput(context, index + 1),
                                1, Term::input(context, 0).type())
                          .value());
}

// alpha * A * B + C, where C counts in units of alpha * (scale of A) * (scale of B). FLOAT without
// a scale of the result.
void importQGemm(NodeContext& context) {
    auto& attributes = context.attributes();
    bool const transA = attributes.flag("transA", false);
    bool const transB = attributes.flag("transB", false);
    double const alpha = attributes.real("alpha", 1.0F);
    Term const a = dequantizedInput(context, 0, transA ? 1 : 0);
    Term const b = dequantizedInput(context, 3, transB ? 0 : 1);
    Term result = a.matmul(b, transA, transB);
    result = alpha == 1.0 ? result : result * alpha;
    if (context.hasInput(6)) {
        Term const units = Term::input(context, 1) * Term::input(context, 4) * alpha;
        result = result + Term::input(context, 6).cast(DataType::kFLOAT) * units;
    }
    if (context.hasInput(7)) {
        setQuantized(context, result, 7);
    } else {
        context.setOutput(0, result.value());
    }
}

void importQLinearAveragePool(NodeContext& context) {
    auto& attributes = context.attributes();
    Term x = dequantizedInput(context, 0, 1);
    int32_t const spatialRank = spatialRankOf(context);
    if (attributes.integer("channels_last", 0) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'channels_last': expected 0, got another value.");
    }
    Windows const windows = readWindows(context, spatialRank, nullptr);
    bool const roundsUp = attributes.flag("ceil_mode", false) &&
                          windows.mode == nvinfer1::PaddingMode::kEXPLICIT_ROUND_DOWN;
    bool const countsPadding = attributes.flag("count_include_pad", false);
    Windows ofLayer = windows;
    bool const isDilated = std::any_of(windows.dilations.d, windows.dilations.d + spatialRank,
                                       [](int64_t dilation) { return dilation != 1; });
    if (isDilated || (roundsUp && !roundUpWindows(context, ofLayer))) {
        WindowParts const parts(x, windows, roundsUp);
        Term const count = parts.count(countsPadding).max(1.0).cast(DataType::kFLOAT);
        setQuantized(context, parts.sum() / count, 3);
        return;
    }
    auto* layer = context.network().addPoolingNd(x.tensor(), nvinfer1::PoolingType::kAVERAGE,
                                                 ofLayer.extents);
    Term const result = x.of(layer);
    applyWindows(*layer, ofLayer);
    layer->setAverageCountExcludesPadding(!countsPadding);
    setQuantized(context, result, 3);
}

void importQLinearReduceMean(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = dequantizedInput(context, 0, 1);
    auto const given = attributes.integers("axes", {});
    Axes const axes = given.empty() ? axesBetween(0, x.rank()) : toSortedAxes(given, x.rank());
    setQuantized(context, x.mean(axes, attributes.flag("keepdims", true)), 3);
}

// Inputs: condition, X with scale and zero point, Y with both, those of the result.
void importQLinearWhere(NodeContext& context) {
    Term const x = dequantizedInput(context, 1, 1);
    Term const y = dequantizedInput(context, 4, 1);
    Term const result = Term::input(context, 0).choose(x, y);
    context.setOutput(
        0, quantized(result, Term::input(context, 7), Term::input(context, 8), 1).value());
}

} // namespace

void registerImporter_ms_quantized(ImporterRegistry& registry) {
    registry.add("com.microsoft", "QGemm", importQGemm);
    registry.add("com.microsoft", "QLinearAveragePool", importQLinearAveragePool);
    registry.add("com.microsoft", "QLinearReduceMean", importQLinearReduceMean);
    registry.add("com.microsoft", "QLinearWhere", importQLinearWhere);
}

} // namespace kiln::onnx
