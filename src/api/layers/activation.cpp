// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/activation.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Activation;
using nvinfer1::ActivationType;

class ActivationLayer final : public OpLayer<nvinfer1::IActivationLayer, Activation> {
public:
    using OpLayer::OpLayer;

    void setActivationType(ActivationType type) noexcept override {
        set("activation type", [&](Activation& op) { op.type = type; });
    }
    ActivationType getActivationType() const noexcept override { return op().type; }

    void setAlpha(float alpha) noexcept override {
        set("alpha", [&](Activation& op) { op.alpha = alpha; });
    }
    void setBeta(float beta) noexcept override {
        set("beta", [&](Activation& op) { op.beta = beta; });
    }
    float getAlpha() const noexcept override { return op().alpha; }
    float getBeta() const noexcept override { return op().beta; }
};

} // namespace

nvinfer1::IActivationLayer* NetworkDefinition::addActivation(nvinfer1::ITensor& input,
                                                             ActivationType type) noexcept {
    Activation op;
    op.type = type;
    if (type == ActivationType::kSELU) { // callers of the original rely on the usual constants
        op.alpha = 1.6732632423543772F;
        op.beta = 1.0507009873554805F;
    }
    return addOpLayer<ActivationLayer>(*this, "activation layer", op, {&input});
}

} // namespace kiln::api
