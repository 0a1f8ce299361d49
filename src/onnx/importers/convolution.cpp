// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Conv over one to three spatial axes. Weights and bias are constants, or computed, as dequantized
// ones are.
//   X: [batch, channels, spatial...], W: [maps, channels / group, kernel...], B: [maps]
// Layer: convolution. 1-D to 3-D.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"
#include "onnx/window_attributes.h"

#include <algorithm>
#include <limits>

namespace kiln::onnx {

using nvinfer1::ActivationType;
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

nvinfer1::IConvolutionLayer& addConv(NodeContext& context) {
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
    return layer;
}

void importConv(NodeContext& context) {
    context.setOutput(addConv(context));
}

// com.microsoft: input 3 is added to the result, in front of an activation.
void importFusedConv(NodeContext& context) {
    Term result(context, *addConv(context).getOutput(0));
    if (context.hasInput(3)) {
        result = result + Term::input(context, 3);
    }
    std::string const name = context.attributes().string("activation", "");
    auto const* const given = context.attributes().find("activation_params");
    std::vector<float> const numbers = given != nullptr ? given->floats : std::vector<float>{};
    auto const number = [&](size_t index, float otherwise) {
        return index < numbers.size() ? numbers[index] : otherwise;
    };
    if (name == "LeakyRelu") {
        result = result.activation(ActivationType::kLEAKY_RELU, number(0, 0.01F));
    } else if (name == "Clip") {
        constexpr float kMost = std::numeric_limits<float>::max();
        result = result.activation(ActivationType::kCLIP, number(0, -kMost), number(1, kMost));
    } else if (name == "HardSigmoid") {
        result = result.activation(ActivationType::kHARD_SIGMOID, number(0, 0.2F), number(1, 0.5F));
    } else if (name == "Relu" || name == "Tanh" || name == "Sigmoid") {
        result = result.activation(name == "Relu"   ? ActivationType::kRELU
                                   : name == "Tanh" ? ActivationType::kTANH
                                                    : ActivationType::kSIGMOID);
    } else if (!name.empty()) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'activation': expected Relu, Tanh, Sigmoid, LeakyRelu, Clip ",
                          "or HardSigmoid, got '", name, "'."));
    }
    context.setOutput(0, result.value());
}

} // namespace

void registerImporter_convolution(ImporterRegistry& registry) {
    registry.add("Conv", importConv);
    registry.add("com.microsoft", "FusedConv", importFusedConv);
}

} // namespace kiln::onnx
