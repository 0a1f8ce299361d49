// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Conv over one to three spatial axes. Weights and bias are constants, or computed, as dequantized
// ones are.
//   X: [batch, channels, spatial...], W: [maps, channels / group, kernel...], B: [maps]
// Layer: convolution. 1-D to 3-D.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/window_attributes.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::Weights;

namespace {

Weights biasOf(NodeContext& context, int64_t maps, nvinfer1::DataType type) {
    if (!context.hasInput(2) || !context.input(2).isConstant) {
        return {type, nullptr, 0};
    }
    Constant const& bias = context.constant(2, "bias");
    if (bias.weights.count != maps) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 2 (bias): expected ", maps,
                          " elements, one for each output map, got ", bias.weights.count, "."));
    }
    return bias.weights;
}

void importConv(NodeContext& context) {
    int32_t const spatialRank = spatialRankOf(context);
    Value& weights = context.input(1);
    bool const known = weights.isConstant;
    Constant const kernel =
        known ? context.constant(1, "weights")
              : Constant{context.dims(weights), {NodeContext::typeOf(weights), nullptr, 0}};
    if (kernel.dims.nbDims != spatialRank + 2) {
        context.fail(ErrorCode::kINVALID_NODE, text("input 1 (weights): expected ", spatialRank + 2,
                                                    " dimensions, got ", kernel.dims, "."));
    }
    if (std::count(kernel.dims.d, kernel.dims.d + kernel.dims.nbDims, -1) != 0) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("input 1 (weights): expected known extents, got ", kernel.dims, "."));
    }
    int64_t const maps = kernel.dims.d[0];
    Dims const extents =
        toDims({kernel.dims.d + 2, static_cast<size_t>(spatialRank)}, "input 1 (weights)");
    Windows const windows = readWindows(context, spatialRank, &extents);
    int64_t const groups = context.attributes().integer("group", 1);
    int64_t const channels = context.dims(context.input(0)).d[1];
    if (groups < 1 || maps % groups != 0 ||
        (channels >= 0 && channels != productOf(kernel.dims.d[1], groups, "channels"))) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("expected channels = ", kernel.dims.d[1], " * group, and output maps ",
                          "divisible by group, got ", channels, " channels, ", maps,
                          " maps and group ", groups, "."));
    }
    auto& layer = context.named(
        context.network().addConvolutionNd(context.tensor(0), maps, extents, kernel.weights,
                                           biasOf(context, maps, kernel.weights.type)));
    applyWindows(layer, windows);
    layer.setDilationNd(windows.dilations);
    layer.setNbGroups(groups);
    if (!known) {
        layer.setInput(1, *weights.tensor);
    }
    if (context.hasInput(2) && !context.input(2).isConstant) {
        layer.setInput(2, *context.input(2).tensor);
    }
    context.setOutput(layer);
}

} // namespace

void registerImporter_convolution(ImporterRegistry& registry) {
    registry.add("Conv", importConv);
}

} // namespace kiln::onnx
