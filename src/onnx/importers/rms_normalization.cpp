// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// RMSNormalization, and the normalizations of com.microsoft: SimplifiedLayerNormalization (which
// exporters also write in the standard domain) and the forms that add a residual input before.
// Layer: elementwise, reduce and unary. Statistics are computed in FLOAT.

#include "onnx/importer_registry.h"
#include "onnx/quantized_term.h"
#include "onnx/term.h"

#include <array>
#include <optional>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;

namespace {

// x / sqrt(mean(x^2) + epsilon) over the axes from `axis` on, times the scale.
struct Normalized {
    Term result;
    Term inverse; // of the root, FLOAT
};

Normalized rootMeanSquare(Term x, Term scale, int32_t axis, float epsilon) {
    Term const real = x.cast(DataType::kFLOAT);
    Term const mean = (real * real).mean(axesBetween(axis, x.rank()));
    Term const inverse = (mean + epsilon).sqrt().unary(nvinfer1::UnaryOperation::kRECIP);
    return {(real * inverse).cast(x.type()) * scale, inverse};
}

void importRmsNormalization(NodeContext& context) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    int32_t const axis = toAxis(attributes.integer("axis", -1), x.rank());
    float const epsilon = attributes.real("epsilon", 1e-5F);
    attributes.integer("stash_type", 1);
    auto const normalized = rootMeanSquare(x, Term::input(context, 1), axis, epsilon);
    context.setOutput(0, normalized.result.value());
    if (context.outputs().size() > 1) {
        context.setOutput(1, normalized.inverse.value());
    }
}

// The residual sum of inputs 0, 1 and the bias.
Term residual(NodeContext& context, size_t biasIndex) {
    Term const sum = Term::input(context, 0) + Term::input(context, 1);
    return context.hasInput(biasIndex) ? sum + Term::input(context, biasIndex) : sum;
}

void importSkipSimplified(NodeContext& context) {
    float const epsilon = context.attributes().real("epsilon", 1e-12F);
    Term const sum = residual(context, 3);
    auto const normalized = rootMeanSquare(sum, Term::input(context, 2), sum.rank() - 1, epsilon);
    context.setOutput(0, normalized.result.value());
    context.setOutput(2, normalized.inverse.value());
    context.setOutput(3, sum.value());
}

Term layerNormalized(Term x, Term scale, Term const* bias, float epsilon) {
    NodeContext& context = x.context();
    int32_t const rank = x.rank();
    Term const shift = bias != nullptr ? *bias : x.like(0);
    auto* layer = context.network().addNormalizationV2(x.tensor(), scale.withRank(rank).tensor(),
                                                       shift.withRank(rank).tensor(),
                                                       1U << static_cast<uint32_t>(rank - 1));
    Term const result = x.of(layer);
    layer->setEpsilon(epsilon);
    return result;
}

void importSkipLayerNormalization(NodeContext& context) {
    float const epsilon = context.attributes().real("epsilon", 1e-12F);
    Term const sum = residual(context, 4);
    Term const scale = Term::input(context, 2);
    Term const bias = context.hasInput(3) ? Term::input(context, 3) : scale;
    context.setOutput(
        0, layerNormalized(sum, scale, context.hasInput(3) ? &bias : nullptr, epsilon).value());
    context.setOutput(3, sum.value());
}

// Sums of embeddings of words, positions and segments, normalized. Output 1, the number of tokens
// of each sequence, is computed from the mask.
void importEmbedLayerNormalization(NodeContext& context) {
    auto& attributes = context.attributes();
    float const epsilon = attributes.real("epsilon", 1e-12F);
    bool const sumsMask = attributes.integer("mask_index_type", 1) != 0;
    Term const ids = Term::input(context, 0);
    Term sum = Term::input(context, 2).gathered(ids, 0);
    Term const positions = context.hasInput(8) ? Term::input(context, 8).cast(DataType::kINT64)
                                               : Term::range(ids.extent(1)).inserted({0});
    sum = sum + Term::input(context, 3).gathered(positions, 0);
    if (context.hasInput(1) && context.hasInput(4)) {
        sum = sum + Term::input(context, 4).gathered(Term::input(context, 1), 0);
    }
    Term const bias = Term::input(context, 6);
    context.setOutput(0, layerNormalized(sum, Term::input(context, 5), &bias, epsilon).value());
    if (context.outputs().size() > 1) {
        Term const none = ids.cast(DataType::kINT32).sliced(1, 0, 1).removed({1}) * 0.0;
        bool const counts = context.hasInput(7) && sumsMask;
        context.setOutput(
            1, (counts ? Term::input(context, 7).cast(DataType::kINT32).sum({1}, false) : none)
                   .value());
    }
    context.setOutput(2, sum.value());
}

// The same with quantized tables. Inputs: ids, segments, tables of words, positions and segments,
// gamma, beta, mask; the five scales, and the five zero points.
void importQEmbedLayerNormalization(NodeContext& context) {
    float const epsilon = context.attributes().real("epsilon", 1e-12F);
    std::array<size_t, 5> const tables{2, 3, 4, 5, 6};
    auto const real = [&](size_t which) {
        auto const zero = context.hasInput(13 + which)
                              ? std::optional(Term::input(context, 13 + which))
                              : std::nullopt;
        return dequantized(Term::input(context, tables[which]), Term::input(context, 8 + which),
                           zero, 0);
    };
    Term const ids = Term::input(context, 0);
    Term sum =
        real(0).gathered(ids, 0) + real(1).gathered(Term::range(ids.extent(1)).inserted({0}), 0);
    if (context.hasInput(1) && context.hasInput(4)) {
        sum = sum + real(2).gathered(Term::input(context, 1), 0);
    }
    Term const bias = real(4);
    context.setOutput(0, layerNormalized(sum, real(3), &bias, epsilon).value());
    Term const lengths = context.hasInput(7)
                             ? Term::input(context, 7).cast(DataType::kINT32).sum({1}, false)
                             : ids.cast(DataType::kINT32).sliced(1, 0, 1).removed({1}) * 0.0;
    context.setOutput(1, lengths.value());
}

} // namespace

void registerImporter_rms_normalization(ImporterRegistry& registry) {
    registry.add("RMSNormalization", importRmsNormalization);
    registry.add("SimplifiedLayerNormalization", importRmsNormalization);
    registry.add("com.microsoft", "SimplifiedLayerNormalization", importRmsNormalization);
    registry.add("com.microsoft", "SkipSimplifiedLayerNormalization", importSkipSimplified);
    registry.add("com.microsoft", "SkipLayerNormalization", importSkipLayerNormalization);
    registry.add("com.microsoft", "EmbedLayerNormalization", importEmbedLayerNormalization);
    registry.add("com.microsoft", "QEmbedLayerNormalization", importQEmbedLayerNormalization);
}

} // namespace kiln::onnx
