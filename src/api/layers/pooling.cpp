// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/pooling.h"

#include "api/layers/window_layer.h"

namespace kiln::api {
namespace {

using graph::Pooling;
using nvinfer1::Dims;
using nvinfer1::PoolingType;

class PoolingLayer final : public WindowLayer<nvinfer1::IPoolingLayer, Pooling> {
public:
    using WindowLayer::WindowLayer;

    void setPoolingType(PoolingType type) noexcept override {
        set("pooling type", [&](Pooling& op) { op.type = type; });
    }
    PoolingType getPoolingType() const noexcept override { return op().type; }

    void setBlendFactor(float blendFactor) noexcept override {
        set("blend factor", [&](Pooling& op) { op.blendFactor = blendFactor; });
    }
    float getBlendFactor() const noexcept override { return op().blendFactor; }

    void setAverageCountExcludesPadding(bool exclusive) noexcept override {
        set("average count excludes padding",
            [&](Pooling& op) { op.averageCountExcludesPadding = exclusive; });
    }
    bool getAverageCountExcludesPadding() const noexcept override {
        return op().averageCountExcludesPadding;
    }

    void setWindowSizeNd(Dims const& windowSize) noexcept override {
        setWindow("window size", [&](graph::Window& window) { window.size = windowSize; });
    }
    Dims getWindowSizeNd() const noexcept override { return window().size; }
};

} // namespace

nvinfer1::IPoolingLayer* NetworkDefinition::addPoolingNd(nvinfer1::ITensor& input, PoolingType type,
                                                         Dims const& windowSize) noexcept {
    Pooling op;
    op.type = type;
    op.window = graph::Window::ofSize(windowSize);
    return addOpLayer<PoolingLayer>(*this, "pooling layer", op, {&input});
}

} // namespace kiln::api
