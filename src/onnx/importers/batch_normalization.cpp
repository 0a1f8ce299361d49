// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// BatchNormalization with constant statistics: x * factor + offset by channel, where
// factor = scale / sqrt(variance + epsilon) and offset = bias - mean * factor.
// Layer: two elementwise layers. Statistics are constants; not for training.

#include "onnx/checked_numbers.h"
#include "onnx/half.h"
#include "onnx/importer_registry.h"

#include <cmath>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

std::vector<float> channelsOf(NodeContext& context, size_t index, char const* role,
                              size_t expected) {
    auto values = floatsOf(context.constant(index, role), role);
    if (expected != 0 && values.size() != expected) {
        context.fail(ErrorCode::kINVALID_NODE,
                     text("input ", index, " (", role, "): expected ", expected,
                          " elements, as many as the scale has, got ", values.size(), "."));
    }
    return values;
}

template <typename Element, typename Convert>
void write(std::vector<double> const& values, std::byte* to, Convert convert) {
    for (size_t i = 0; i < values.size(); ++i) {
        Element const element = convert(static_cast<float>(values[i]));
        std::memcpy(to + i * sizeof(Element), &element, sizeof(Element));
    }
}

// A constant [1, channels, 1, ...] of the type of the input.
ITensor& channelConstant(NodeContext& context, std::vector<double> const& values, DataType type,
                         int32_t rank, std::string_view name) {
    std::byte* const bytes = context.tensors().store.allocate(values.size() * sizeof(float));
    switch (type) {
    case DataType::kFLOAT: write<float>(values, bytes, [](float x) { return x; }); break;
    case DataType::kHALF: write<uint16_t>(values, bytes, floatToHalf); break;
    case DataType::kBF16: write<uint16_t>(values, bytes, floatToBfloat16); break;
    default:
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                     text("expected a floating-point type, got ", type, "."));
    }
    nvinfer1::Dims dims = repeatedDims(rank, 1, "channels");
    dims.d[1] = static_cast<int64_t>(values.size());
    auto* layer =
        context.network().addConstant(dims, {type, bytes, static_cast<int64_t>(values.size())});
    return *context.named(layer, name).getOutput(0);
}

void importBatchNormalization(NodeContext& context) {
    if (context.attributes().flag("training_mode", false)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     "attribute 'training_mode': expected false. Export the model for inference.");
    }
    auto const& outputs = context.node().outputs;
    for (size_t i = 1; i < outputs.size(); ++i) {
        if (!outputs[i].empty()) {
            context.fail(ErrorCode::kUNSUPPORTED_NODE,
                         text("expected one output, got output ", i, " '", outputs[i],
                              "' as well. Export the model for inference."));
        }
    }
    ITensor& tensor = context.tensor(0);
    nvinfer1::Dims const dims = context.dims(tensor);
    auto const scale = channelsOf(context, 1, "scale", 0);
    auto const bias = channelsOf(context, 2, "bias", scale.size());
    auto const mean = channelsOf(context, 3, "mean", scale.size());
    auto const variance = channelsOf(context, 4, "variance", scale.size());
    if (dims.nbDims < 2 || (dims.d[1] >= 0 && static_cast<size_t>(dims.d[1]) != scale.size())) {
        context.fail(ErrorCode::kINVALID_NODE, text("input 0: expected ", scale.size(),
                                                    " channels on axis 1, got ", dims, "."));
    }
    auto const epsilon = static_cast<double>(context.attributes().real("epsilon", 1e-5F));
    std::vector<double> factors(scale.size());
    std::vector<double> offsets(scale.size());
    for (size_t i = 0; i < scale.size(); ++i) {
        factors[i] = scale[i] / std::sqrt(static_cast<double>(variance[i]) + epsilon);
        offsets[i] = bias[i] - mean[i] * factors[i];
    }
    DataType const type = tensor.getType();
    ITensor& factor = channelConstant(context, factors, type, dims.nbDims, "factor");
    ITensor& offset = channelConstant(context, offsets, type, dims.nbDims, "offset");
    auto& network = context.network();
    auto* product = network.addElementWise(tensor, factor, ElementWiseOperation::kPROD);
    ITensor& scaled = *context.named(product, "scaled").getOutput(0);
    context.setOutput(
        context.named(network.addElementWise(scaled, offset, ElementWiseOperation::kSUM)));
}

} // namespace

void registerImporter_batch_normalization(ImporterRegistry& registry) {
    registry.add("BatchNormalization", importBatchNormalization);
}

} // namespace kiln::onnx
