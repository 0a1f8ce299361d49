// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/gather.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Gather;
using nvinfer1::GatherMode;

class GatherLayer final : public OpLayer<nvinfer1::IGatherLayer, Gather> {
public:
    using OpLayer::OpLayer;

    void setGatherAxis(int32_t axis) noexcept override {
        set("axis", [&](Gather& op) { op.axis = axis; });
    }
    int32_t getGatherAxis() const noexcept override { return op().axis; }

    void setNbElementWiseDims(int32_t elementWiseDims) noexcept override {
        set("number of elementwise dimensions",
            [&](Gather& op) { op.sharedAxes = elementWiseDims; });
    }
    int32_t getNbElementWiseDims() const noexcept override { return op().sharedAxes; }

    void setMode(GatherMode mode) noexcept override {
        set("mode", [&](Gather& op) { op.mode = mode; });
    }
    GatherMode getMode() const noexcept override { return op().mode; }
};

} // namespace

nvinfer1::IGatherLayer* NetworkDefinition::addGather(nvinfer1::ITensor& data,
                                                     nvinfer1::ITensor& indices,
                                                     int32_t axis) noexcept {
    Gather op;
    op.axis = axis;
    return addOpLayer<GatherLayer>(*this, "gather layer", op, {&data, &indices});
}

nvinfer1::IGatherLayer* NetworkDefinition::addGatherV2(nvinfer1::ITensor& data,
                                                       nvinfer1::ITensor& indices,
                                                       GatherMode mode) noexcept {
    Gather op;
    op.mode = mode;
    return addOpLayer<GatherLayer>(*this, "gather layer", op, {&data, &indices});
}

} // namespace kiln::api
