// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using nvinfer1::ElementWiseOperation;

class ElementWiseLayer final : public OpLayer<nvinfer1::IElementWiseLayer, graph::ElementWise> {
public:
    using OpLayer::OpLayer;

    void setOperation(ElementWiseOperation operation) noexcept override {
        set("operation", [&](graph::ElementWise& op) { op.operation = operation; });
    }
    ElementWiseOperation getOperation() const noexcept override { return op().operation; }
};

} // namespace

nvinfer1::IElementWiseLayer* NetworkDefinition::addElementWise(
    nvinfer1::ITensor& input1, nvinfer1::ITensor& input2, ElementWiseOperation operation) noexcept {
    graph::ElementWise op;
    op.operation = operation;
    return addOpLayer<ElementWiseLayer>(*this, "elementwise layer", op, {&input1, &input2});
}

} // namespace kiln::api
