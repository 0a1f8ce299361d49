// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/scale.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Scale;
using nvinfer1::ScaleMode;
using nvinfer1::Weights;

class ScaleLayer final : public OpLayer<nvinfer1::IScaleLayer, Scale> {
public:
    using OpLayer::OpLayer;

    void setMode(ScaleMode mode) noexcept override {
        set("mode", [&](Scale& op) { op.mode = mode; });
    }
    ScaleMode getMode() const noexcept override { return op().mode; }

    void setShift(Weights shift) noexcept override {
        set("shift", [&](Scale& op) { op.shift = shift; });
    }
    Weights getShift() const noexcept override { return op().shift; }

    void setScale(Weights scale) noexcept override {
        set("scale", [&](Scale& op) { op.scale = scale; });
    }
    Weights getScale() const noexcept override { return op().scale; }

    void setPower(Weights power) noexcept override {
        set("power", [&](Scale& op) { op.power = power; });
    }
    Weights getPower() const noexcept override { return op().power; }

    int32_t getChannelAxis() const noexcept override { return op().channelAxis; }
    void setChannelAxis(int32_t channelAxis) noexcept override {
        set("channel axis", [&](Scale& op) { op.channelAxis = channelAxis; });
    }
};

} // namespace

nvinfer1::IScaleLayer* NetworkDefinition::addScale(nvinfer1::ITensor& input, ScaleMode mode,
                                                   Weights shift, Weights scale,
                                                   Weights power) noexcept {
    return addScaleNd(input, mode, shift, scale, power, 1);
}

nvinfer1::IScaleLayer* NetworkDefinition::addScaleNd(nvinfer1::ITensor& input, ScaleMode mode,
                                                     Weights shift, Weights scale, Weights power,
                                                     int32_t channelAxis) noexcept {
    Scale op;
    op.mode = mode;
    op.channelAxis = channelAxis;
    op.shift = shift;
    op.scale = scale;
    op.power = power;
    return addOpLayer<ScaleLayer>(*this, "scale layer", op, {&input});
}

} // namespace kiln::api
