// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/moe.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::MoE;
using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ITensor;

class MoELayer final : public OpLayer<nvinfer1::IMoELayer, MoE> {
public:
    using OpLayer::OpLayer;

    void setGatedWeights(ITensor& fcGateWeights, ITensor& fcUpWeights, ITensor& fcDownWeights,
                         nvinfer1::MoEActType activationType) noexcept override {
        if (set("activation type", [&](MoE& op) { op.activation = activationType; })) {
            connect(MoE::kGate, {&fcGateWeights, &fcUpWeights, &fcDownWeights});
        }
    }
    void setGatedBiases(ITensor& fcGateBiases, ITensor& fcUpBiases,
                        ITensor& fcDownBiases) noexcept override {
        connect(MoE::kGateBias, {&fcGateBiases, &fcUpBiases, &fcDownBiases});
    }

    void setActivationType(nvinfer1::MoEActType activationType) noexcept override {
        set("activation type", [&](MoE& op) { op.activation = activationType; });
    }
    nvinfer1::MoEActType getActivationType() const noexcept override { return op().activation; }

    void setQuantizationStatic(ITensor& fcDownActivationScale,
                               DataType dataType) noexcept override {
        if (set("quantization type", [&](MoE& op) { op.quantizedType = dataType; })) {
            connect(MoE::kDownScale, {&fcDownActivationScale});
        }
    }
    void setQuantizationDynamicDblQ(ITensor& fcDownActivationDblQScale, DataType dataType,
                                    Dims const& blockShape,
                                    DataType dynQOutputScaleType) noexcept override {
        if (set("dynamic quantization", [&](MoE& op) {
                op.quantizedType = dataType;
                op.blockShape = blockShape;
                op.scaleType = dynQOutputScaleType;
            })) {
            connect(MoE::kDoubleScale, {&fcDownActivationDblQScale});
        }
    }

    void setQuantizationToType(DataType type) noexcept override {
        set("quantization type", [&](MoE& op) { op.quantizedType = type; });
    }
    DataType getQuantizationToType() const noexcept override { return op().quantizedType; }

    void setQuantizationBlockShape(Dims const& blockShape) noexcept override {
        set("block shape", [&](MoE& op) { op.blockShape = blockShape; });
    }
    Dims getQuantizationBlockShape() const noexcept override { return op().blockShape; }

    void setDynQOutputScaleType(DataType type) noexcept override {
        set("type of scales", [&](MoE& op) { op.scaleType = type; });
    }
    DataType getDynQOutputScaleType() const noexcept override { return op().scaleType; }

    void setSwigluParams(float limit, float alpha, float beta) noexcept override {
        set("SwiGLU parameters", [&](MoE& op) {
            op.limit = limit;
            op.alpha = alpha;
            op.beta = beta;
        });
    }
    void setSwigluParamLimit(float limit) noexcept override {
        set("SwiGLU limit", [&](MoE& op) { op.limit = limit; });
    }
    float getSwigluParamLimit() const noexcept override { return op().limit; }
    void setSwigluParamAlpha(float alpha) noexcept override {
        set("SwiGLU alpha", [&](MoE& op) { op.alpha = alpha; });
    }
    float getSwigluParamAlpha() const noexcept override { return op().alpha; }
    void setSwigluParamBeta(float beta) noexcept override {
        set("SwiGLU beta", [&](MoE& op) { op.beta = beta; });
    }
    float getSwigluParamBeta() const noexcept override { return op().beta; }

    /// Optional inputs may be set in any order, with gaps.
    void setInput(int32_t index, ITensor& tensor) noexcept override {
        if (index < 0 || index >= MoE::kRoles) {
            core().reject("input", "expected a number from 0 to {}, got {}.", MoE::kRoles - 1,
                          index);
            return;
        }
        connect(index, {&tensor});
    }

private:
    /// Makes tensors the inputs from `first` on.
    void connect(int32_t first, std::initializer_list<ITensor*> tensors) noexcept {
        core().reporter().guard([&] {
            std::vector<graph::Tensor*> sources;
            for (ITensor* const tensor : tensors) {
                auto const index = first + static_cast<int32_t>(sources.size());
                sources.push_back(&core().network().unwrap(*tensor, core().inputName(index)));
            }
            for (std::size_t i = 0; i < sources.size(); ++i) {
                core().network().graph().setNodeInput(core().node(),
                                                      first + static_cast<int32_t>(i), sources[i]);
            }
        });
    }
};

} // namespace

nvinfer1::IMoELayer* NetworkDefinition::addMoE(ITensor& hiddenStates,
                                               ITensor& selectedExpertsForTokens,
                                               ITensor& scoresForSelectedExperts) noexcept {
    return addOpLayer<MoELayer>(
        *this, "MoE layer", MoE(),
        {&hiddenStates, &selectedExpertsForTokens, &scoresForSelectedExperts});
}

} // namespace kiln::api
