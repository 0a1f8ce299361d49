// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of one element: Relu, Sigmoid, Tanh, LeakyRelu, Elu, Selu, Softplus, Softsign,
// HardSigmoid, ThresholdedRelu, Gelu. Source: the ONNX operator of each name.
// Layer: activation.

#include "onnx/importer_registry.h"

namespace kiln::onnx {

using nvinfer1::ActivationType;

namespace {

nvinfer1::IActivationLayer& addActivation(NodeContext& context, ActivationType type) {
    auto& layer = context.named(context.network().addActivation(context.tensor(0), type));
    context.setOutput(layer);
    return layer;
}

template <ActivationType kType>
void importPlain(NodeContext& context) {
    addActivation(context, kType);
}

// One parameter, `alpha`.
void importWithAlpha(NodeContext& context, ActivationType type, float defaultAlpha) {
    addActivation(context, type).setAlpha(context.attributes().real("alpha", defaultAlpha));
}

void importLeakyRelu(NodeContext& context) {
    importWithAlpha(context, ActivationType::kLEAKY_RELU, 0.01F);
}

void importElu(NodeContext& context) {
    importWithAlpha(context, ActivationType::kELU, 1.0F);
}

void importThresholdedRelu(NodeContext& context) {
    importWithAlpha(context, ActivationType::kTHRESHOLDED_RELU, 1.0F);
}

// gamma * x, or gamma * (alpha * exp(x) - alpha); the layer's name for gamma is beta.
void importSelu(NodeContext& context) {
    auto& layer = addActivation(context, ActivationType::kSELU);
    layer.setAlpha(context.attributes().real("alpha", 1.67326319217681884765625F));
    layer.setBeta(context.attributes().real("gamma", 1.05070102214813232421875F));
}

void importSoftplus(NodeContext& context) {
    auto& layer = addActivation(context, ActivationType::kSOFTPLUS);
    layer.setAlpha(1.0F);
    layer.setBeta(1.0F);
}

void importHardSigmoid(NodeContext& context) {
    auto& layer = addActivation(context, ActivationType::kHARD_SIGMOID);
    layer.setAlpha(context.attributes().real("alpha", 0.2F));
    layer.setBeta(context.attributes().real("beta", 0.5F));
}

void importGelu(NodeContext& context) {
    std::string const approximate = context.attributes().string("approximate", "none");
    if (approximate != "none" && approximate != "tanh") {
        context.fail(
            ErrorCode::kUNSUPPORTED_NODE_ATTR,
            text("attribute 'approximate': expected none or tanh, got '", approximate, "'."));
    }
    addActivation(context,
                  approximate == "tanh" ? ActivationType::kGELU_TANH : ActivationType::kGELU_ERF);
}

} // namespace

void registerImporter_activation(ImporterRegistry& registry) {
    registry.add("Relu", importPlain<ActivationType::kRELU>);
    registry.add("Sigmoid", importPlain<ActivationType::kSIGMOID>);
    registry.add("Tanh", importPlain<ActivationType::kTANH>);
    registry.add("Softsign", importPlain<ActivationType::kSOFTSIGN>);
    registry.add("LeakyRelu", importLeakyRelu);
    registry.add("Elu", importElu);
    registry.add("Selu", importSelu);
    registry.add("Softplus", importSoftplus);
    registry.add("HardSigmoid", importHardSigmoid);
    registry.add("ThresholdedRelu", importThresholdedRelu);
    registry.add("Gelu", importGelu);
}

} // namespace kiln::onnx
