// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// BatchNormalization: x * factor + offset by channel, where factor = scale / sqrt(variance +
// epsilon) and offset = bias - mean * factor. In training mode, mean and variance are those of the
// batch, and the running ones are outputs.
// Layer: two elementwise layers, or more for statistics that are computed.

#include "onnx/checked_numbers.h"
#include "onnx/half.h"
#include "onnx/importer_registry.h"
#include "onnx/term.h"

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

// The same with statistics that are computed.
void importComputed(NodeContext& context, bool trains) {
    auto& attributes = context.attributes();
    Term const x = Term::input(context, 0);
    int32_t const rank = x.rank();
    Axes others = axesBetween(2, rank);
    Axes const around = [&] {
        Axes axes{0};
        axes.insert(axes.end(), others.begin(), others.end());
        return axes;
    }();
    auto const byChannel = [&](Term vector) { return vector.inserted(around); };
    Term mean = Term::input(context, 3);
    Term variance = Term::input(context, 4);
    if (trains) {
        auto const momentum = static_cast<double>(attributes.real("momentum", 0.9F));
        Term const center = x.cast(mean.type()).mean(around, false);
        Term const shifted = x.cast(mean.type()) - byChannel(center);
        Term const spread = (shifted * shifted).mean(around, false);
        context.setOutput(1, (mean * momentum + center * (1.0 - momentum)).value());
        context.setOutput(2, (variance * momentum + spread * (1.0 - momentum)).value());
        mean = center;
        variance = spread;
    }
    auto const epsilon = static_cast<double>(attributes.real("epsilon", 1e-5F));
    Term const factor = Term::input(context, 1).cast(mean.type()) / (variance + epsilon).sqrt();
    Term const offset = Term::input(context, 2).cast(mean.type()) - mean * factor;
    Term const result = x.cast(mean.type()) * byChannel(factor) + byChannel(offset);
    context.setOutput(0, result.cast(x.type()).value());
}

void importBatchNormalization(NodeContext& context) {
    bool const trains = context.attributes().flag("training_mode", false);
    bool computed = trains;
    for (size_t i = 1; i < 5; ++i) {
        computed = computed || !context.input(i).isConstant;
    }
    if (computed) {
        importComputed(context, trains);
        return;
    }
    context.attributes().real("momentum", 0.9F);
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
