// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/scatter.h"

#include <kiln/extra_layers.h>

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Scatter;
using nvinfer1::ScatterMode;

class ScatterLayer final : public OpLayer<nvinfer1::IScatterLayer, Scatter> {
public:
    using OpLayer::OpLayer;

    void setMode(ScatterMode mode) noexcept override {
        set("mode", [&](Scatter& op) { op.mode = mode; });
    }
    ScatterMode getMode() const noexcept override { return op().mode; }

    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](Scatter& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }

    bool setReduction(ScatterReduction reduction) noexcept {
        return set("reduction", [&](Scatter& op) { op.reduction = reduction; });
    }
};

} // namespace

nvinfer1::IScatterLayer* NetworkDefinition::addScatter(nvinfer1::ITensor& data,
                                                       nvinfer1::ITensor& indices,
                                                       nvinfer1::ITensor& updates,
                                                       ScatterMode mode) noexcept {
    Scatter op;
    op.mode = mode;
    return addOpLayer<ScatterLayer>(*this, "scatter layer", op, {&data, &indices, &updates});
}

} // namespace kiln::api

namespace kiln {

bool setScatterReduction(nvinfer1::IScatterLayer& layer, ScatterReduction reduction) noexcept {
    return static_cast<api::ScatterLayer&>(layer).setReduction(reduction);
}

} // namespace kiln
