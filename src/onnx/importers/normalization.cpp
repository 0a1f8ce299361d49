// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// LayerNormalization, InstanceNormalization, GroupNormalization, MeanVarianceNormalization: mean
// and variance of the input itself. Statistics are computed in FLOAT, as their stash_type demands.
// Layer: normalization. Mean and deviation, outputs 1 and 2 of the first, take more layers.

#include "onnx/checked_numbers.h"
#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

namespace {

// Bits `first` .. rank - 1.
uint32_t trailingAxes(int32_t first, int32_t rank) {
    return (1U << static_cast<uint32_t>(rank)) - (1U << static_cast<uint32_t>(first));
}

// A vector by channel as [1, channels, 1, ...].
ITensor& byChannel(NodeContext& context, size_t index, int32_t rank) {
    Value& value = context.input(index);
    if (context.dims(value).nbDims != 1) {
        context.fail(ErrorCode::kINVALID_NODE, text("input ", index, ": expected 1 dimension, got ",
                                                    context.dims(value), "."));
    }
    std::vector<int32_t> axes(static_cast<size_t>(rank - 1));
    std::iota(axes.begin(), axes.end(), 1);
    axes[0] = 0;
    std::string const suffix = text("channels", index);
    Value widened = insertAxes(context, value, axes, suffix);
    return context.tensorOf(widened, text(context.layerName(), "/", suffix));
}

// The rank of [batch, channels, spatial...].
int32_t spatialRank(NodeContext& context) {
    int32_t const rank = context.dims(context.input(0)).nbDims;
    if (rank < 3) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input 0: expected batch, channels and spatial axes, got ",
                          context.dims(context.input(0)), "."));
    }
    return rank;
}

// Outputs 1 and 2, which only training and tests use: mean and 1 / sqrt(variance + epsilon).
void addStatistics(NodeContext& context, ITensor& input, uint32_t axes, float epsilon) {
    auto& network = context.network();
    auto const mean = [&](ITensor& x, char const* name) -> ITensor& {
        auto* layer = network.addReduce(x, ReduceOperation::kAVG, axes, true);
        return *context.named(layer, name).getOutput(0);
    };
    auto const combined = [&](ITensor& x, ElementWiseOperation operation, ITensor& y,
                              char const* name) -> ITensor& {
        return *context.named(network.addElementWise(x, y, operation), name).getOutput(0);
    };
    auto const unary = [&](ITensor& x, UnaryOperation operation, char const* name) -> ITensor& {
        return *context.named(network.addUnary(x, operation), name).getOutput(0);
    };
    ITensor* x = &input;
    if (x->getType() != DataType::kFLOAT) {
        x = context.named(network.addCast(*x, DataType::kFLOAT), "float").getOutput(0);
    }
    ITensor& center = mean(*x, "mean");
    ITensor& shifted = combined(*x, ElementWiseOperation::kSUB, center, "shifted");
    ITensor& squares = combined(shifted, ElementWiseOperation::kPROD, shifted, "squares");
    ITensor& variance = mean(squares, "variance");
    ITensor& added = context.scalar(epsilon, DataType::kFLOAT, context.dims(*x).nbDims, "epsilon");
    ITensor& sum = combined(variance, ElementWiseOperation::kSUM, added, "sum");
    ITensor& deviation = unary(sum, UnaryOperation::kSQRT, "deviation");
    context.setOutput(1, Value(center));
    context.setOutput(2, Value(unary(deviation, UnaryOperation::kRECIP, "inverse")));
}

void importLayerNormalization(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    int32_t const axis = toAxis(context.attributes().integer("axis", -1), rank);
    ITensor& scale = withRank(context, 1, rank);
    ITensor& bias = context.hasInput(2) ? withRank(context, 2, rank)
                                        : context.scalar(0.0F, tensor.getType(), rank, "bias");
    uint32_t const axes = trailingAxes(axis, rank);
    float const epsilon = context.attributes().real("epsilon", 1e-5F);
    auto& layer = context.named(context.network().addNormalizationV2(tensor, scale, bias, axes));
    layer.setEpsilon(epsilon);
    context.setOutput(layer);
    auto const& outputs = context.node().outputs;
    if (std::any_of(outputs.begin() + 1, outputs.end(), [](auto& name) { return !name.empty(); })) {
        addStatistics(context, tensor, axes, epsilon);
    }
}

void importInstanceNormalization(NodeContext& context) {
    int32_t const rank = spatialRank(context);
    auto& layer = context.named(
        context.network().addNormalizationV2(context.tensor(0), byChannel(context, 1, rank),
                                             byChannel(context, 2, rank), trailingAxes(2, rank)));
    layer.setEpsilon(context.attributes().real("epsilon", 1e-5F));
    context.setOutput(layer);
}

// Scale and bias are by group before operator set 21, and by channel from then on. One group is all
// channels, which the layer does not call a group.
void importGroupNormalization(NodeContext& context) {
    int32_t const rank = spatialRank(context);
    int64_t const groups = context.attributes().integer("num_groups", 0);
    if (groups < 1) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("attribute 'num_groups': expected 1 or more, got ", groups, "."));
    }
    auto& network = context.network();
    ITensor& tensor = context.tensor(0);
    ITensor& scale = byChannel(context, 1, rank);
    ITensor& bias = byChannel(context, 2, rank);
    uint32_t const axes = trailingAxes(groups == 1 ? 1 : 2, rank);
    auto& layer =
        context.named(context.opset() >= 21 ? network.addNormalizationV2(tensor, scale, bias, axes)
                                            : network.addNormalization(tensor, scale, bias, axes));
    layer.setNbGroups(groups);
    layer.setEpsilon(context.attributes().real("epsilon", 1e-5F));
    context.setOutput(layer);
}

// (x - mean) / (deviation + 1e-9); the layer adds to the variance.
void importMeanVarianceNormalization(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    int32_t const rank = context.dims(tensor).nbDims;
    uint32_t mask = 0;
    for (int32_t const axis : toAxes(context.attributes().integers("axes", {0, 2, 3}), rank)) {
        mask |= 1U << static_cast<uint32_t>(axis);
    }
    ITensor& scale = context.scalar(1.0F, tensor.getType(), rank, "scale");
    ITensor& bias = context.scalar(0.0F, tensor.getType(), rank, "bias");
    auto& layer = context.named(context.network().addNormalizationV2(tensor, scale, bias, mask));
    layer.setEpsilon(1e-18F);
    context.setOutput(layer);
}

} // namespace

void registerImporter_normalization(ImporterRegistry& registry) {
    registry.add("LayerNormalization", importLayerNormalization);
    registry.add("InstanceNormalization", importInstanceNormalization);
    registry.add("GroupNormalization", importGroupNormalization);
    registry.add("MeanVarianceNormalization", importMeanVarianceNormalization);
}

} // namespace kiln::onnx
