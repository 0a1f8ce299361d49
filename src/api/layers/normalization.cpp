// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/normalization.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Normalization;
using nvinfer1::DataType;

class NormalizationLayer final : public OpLayer<nvinfer1::INormalizationLayer, Normalization> {
public:
    using OpLayer::OpLayer;

    void setEpsilon(float eps) noexcept override {
        set("epsilon", [&](Normalization& op) { op.epsilon = eps; });
    }
    float getEpsilon() const noexcept override { return op().epsilon; }

    void setAxes(uint32_t axesMask) noexcept override {
        set("axes", [&](Normalization& op) { op.axes = axesMask; });
    }
    uint32_t getAxes() const noexcept override { return op().axes; }

    void setNbGroups(int64_t nbGroups) noexcept override {
        set("number of groups", [&](Normalization& op) { op.groups = nbGroups; });
    }
    int64_t getNbGroups() const noexcept override { return op().groups; }

    void setComputePrecision(DataType type) noexcept override {
        set("compute precision", [&](Normalization& op) { op.precision = type; });
    }
    DataType getComputePrecision() const noexcept override { return op().precision; }

    bool isV2() const noexcept override { return op().scalesChannels; }
};

nvinfer1::INormalizationLayer* add(NetworkDefinition& network, nvinfer1::ITensor& input,
                                   nvinfer1::ITensor& scale, nvinfer1::ITensor& bias, uint32_t axes,
                                   bool scalesChannels) noexcept {
    Normalization op;
    op.axes = axes;
    op.scalesChannels = scalesChannels;
    return addOpLayer<NormalizationLayer>(network, "normalization layer", op,
                                          {&input, &scale, &bias});
}

} // namespace

nvinfer1::INormalizationLayer* NetworkDefinition::addNormalization(nvinfer1::ITensor& input,
                                                                   nvinfer1::ITensor& scale,
                                                                   nvinfer1::ITensor& bias,
                                                                   uint32_t axesMask) noexcept {
    return add(*this, input, scale, bias, axesMask, false);
}

nvinfer1::INormalizationLayer* NetworkDefinition::addNormalizationV2(nvinfer1::ITensor& input,
                                                                     nvinfer1::ITensor& scale,
                                                                     nvinfer1::ITensor& bias,
                                                                     uint32_t axesMask) noexcept {
    return add(*this, input, scale, bias, axesMask, true);
}

} // namespace kiln::api
