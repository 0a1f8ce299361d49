// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of one element that take several layers: HardSwish, Mish, Celu, PRelu.
// Layer: activation, elementwise and select.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

namespace kiln::onnx {

using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

nvinfer1::IElementWiseLayer& combined(NodeContext& context, ITensor& x,
                                      ElementWiseOperation operation, ITensor& y,
                                      std::string_view name = "") {
    return context.named(context.network().addElementWise(x, y, operation), name);
}

// x * max(0, min(1, x / 6 + 0.5))
void importHardSwish(NodeContext& context) {
    ITensor& x = context.tensor(0);
    auto& gate =
        context.named(context.network().addActivation(x, ActivationType::kHARD_SIGMOID), "gate");
    gate.setAlpha(1.0F / 6.0F);
    gate.setBeta(0.5F);
    context.setOutput(combined(context, x, ElementWiseOperation::kPROD, *gate.getOutput(0)));
}

// x * tanh(log(1 + exp(x)))
void importMish(NodeContext& context) {
    ITensor& x = context.tensor(0);
    auto& soft =
        context.named(context.network().addActivation(x, ActivationType::kSOFTPLUS), "softplus");
    soft.setAlpha(1.0F);
    soft.setBeta(1.0F);
    auto* tanh = context.network().addActivation(*soft.getOutput(0), ActivationType::kTANH);
    ITensor& gate = *context.named(tanh, "gate").getOutput(0);
    context.setOutput(combined(context, x, ElementWiseOperation::kPROD, gate));
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)): alpha * elu(x / alpha)
void importCelu(NodeContext& context) {
    float const alpha = context.attributes().real("alpha", 1.0F);
    if (!(alpha > 0.0F)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                     text("attribute 'alpha': expected more than 0, got ", alpha, "."));
    }
    ITensor& x = context.tensor(0);
    ITensor& scale = context.scalar(alpha, x.getType(), context.dims(x).nbDims, "alpha");
    ITensor& shrunk =
        *combined(context, x, ElementWiseOperation::kDIV, scale, "shrunk").getOutput(0);
    auto& elu = context.named(context.network().addActivation(shrunk, ActivationType::kELU), "elu");
    elu.setAlpha(1.0F);
    context.setOutput(combined(context, *elu.getOutput(0), ElementWiseOperation::kPROD, scale));
}

// x where it is positive, else slope * x; the slope is broadcast to the shape of x.
void importPRelu(NodeContext& context) {
    ITensor& x = context.tensor(0);
    int32_t const rank = context.dims(x).nbDims;
    ITensor& slope = withRank(context, 1, rank);
    ITensor& zero = context.scalar(0.0F, x.getType(), rank, "zero");
    ITensor& positive =
        *combined(context, x, ElementWiseOperation::kGREATER, zero, "positive").getOutput(0);
    ITensor& sloped =
        *combined(context, x, ElementWiseOperation::kPROD, slope, "sloped").getOutput(0);
    context.setOutput(context.named(context.network().addSelect(positive, x, sloped)));
}

} // namespace

void registerImporter_composed_activation(ImporterRegistry& registry) {
    registry.add("HardSwish", importHardSwish);
    registry.add("Mish", importMish);
    registry.add("Celu", importCelu);
    registry.add("PRelu", importPRelu);
}

} // namespace kiln::onnx
