// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/unary.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using nvinfer1::UnaryOperation;

class UnaryLayer final : public OpLayer<nvinfer1::IUnaryLayer, graph::Unary> {
public:
    using OpLayer::OpLayer;

    void setOperation(UnaryOperation operation) noexcept override {
        set("operation", [&](graph::Unary& op) { op.operation = operation; });
    }
    UnaryOperation getOperation() const noexcept override { return op().operation; }
};

} // namespace

nvinfer1::IUnaryLayer* NetworkDefinition::addUnary(nvinfer1::ITensor& input,
                                                   UnaryOperation operation) noexcept {
    graph::Unary op;
    op.operation = operation;
    return addOpLayer<UnaryLayer>(*this, "unary layer", op, {&input});
}

} // namespace kiln::api
