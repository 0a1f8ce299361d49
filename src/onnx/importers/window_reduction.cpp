// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LpPool and GlobalLpPool: (sum of |x|^p)^(1/p) over windows, as a convolution with ones.
// Layer: convolution and elementwise. Known kernel.

#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_parts.h"

#include <vector>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::PaddingMode;

namespace {

// The sum over each window of each channel. [batch, channels, spatial...]
Term windowSum(NodeContext& context, Term x) {
    int32_t const spatialRank = spatialRankOf(context);
    Windows const windows = readWindows(context, spatialRank, nullptr);
    Term const one = Term::vector(context, {1});
    Term const planes = x.extents({0, 1}).product({0});
    Axes const spatial = axesBetween(2, x.rank());
    Term const each = x.reshaped(Term::joined({planes, one, x.extents(spatial)}, 0));
    std::vector<int64_t> extents{1, 1};
    extents.insert(extents.end(), windows.extents.d, windows.extents.d + spatialRank);
    int64_t const count = productOf(extents, "kernel_shape");
    constexpr int64_t kMost = 1 << 20;
    if (count > kMost) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'kernel_shape': expected at most ", kMost, " elements, got ",
                          count, "."));
    }
    Term const ones = Term::constant(context, std::vector<double>(static_cast<size_t>(count), 1.0),
                                     toDims(extents, "kernel_shape"), x.type());
    auto* layer = context.network().addConvolutionNd(
        each.tensor(), 1, windows.extents, {x.type(), nullptr, 0}, {x.type(), nullptr, 0});
    Term const sums = x.of(layer);
    applyWindows(*layer, windows);
    layer->setDilationNd(windows.dilations);
    layer->setInput(1, ones.tensor());
    return sums.reshaped(Term::joined({x.extents({0, 1}), sums.extents(spatial)}, 0));
}

Term powered(Term x, int64_t p) {
    return p == 1 ? x.abs() : p == 2 ? x * x : x.abs().pow(static_cast<double>(p));
}

Term root(Term x, int64_t p) {
    return p == 1 ? x : p == 2 ? x.sqrt() : x.pow(1.0 / static_cast<double>(p));
}

void importLpPool(NodeContext& context) {
    auto& attributes = context.attributes();
    int64_t const p = attributes.integer("p", 2);
    Term const x = Term::input(context, 0);
    if (attributes.flag("ceil_mode", false)) {
        Windows const windows = readWindows(context, spatialRankOf(context), nullptr);
        Term const powers = powered(x.cast(DataType::kFLOAT), p);
        Term const sums =
            WindowParts(powers, windows, windows.mode == PaddingMode::kEXPLICIT_ROUND_DOWN).sum();
        context.setOutput(0, root(sums, p).cast(x.type()).value());
        return;
    }
    context.setOutput(0, root(windowSum(context, powered(x, p)), p).value());
}

void importGlobalLpPool(NodeContext& context) {
    int64_t const p = context.attributes().integer("p", 2);
    Term const x = Term::input(context, 0);
    context.setOutput(0, root(powered(x, p).sum(axesBetween(2, x.rank())), p).value());
}

} // namespace

void registerImporter_window_reduction(ImporterRegistry& registry) {
    registry.add("LpPool", importLpPool);
    registry.add("GlobalLpPool", importGlobalLpPool);
}

} // namespace kiln::onnx
