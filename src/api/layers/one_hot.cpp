// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/one_hot.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::OneHot;

class OneHotLayer final : public OpLayer<nvinfer1::IOneHotLayer, OneHot> {
public:
    using OpLayer::OpLayer;

    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](OneHot& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
};

} // namespace

nvinfer1::IOneHotLayer* NetworkDefinition::addOneHot(nvinfer1::ITensor& indices,
                                                     nvinfer1::ITensor& values,
                                                     nvinfer1::ITensor& depth,
                                                     int32_t axis) noexcept {
    OneHot op;
    op.axis = axis;
    return addOpLayer<OneHotLayer>(*this, "one-hot layer", op, {&indices, &values, &depth});
}

} // namespace kiln::api
