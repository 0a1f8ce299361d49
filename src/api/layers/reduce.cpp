// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reduce.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Reduce;
using nvinfer1::ReduceOperation;

class ReduceLayer final : public OpLayer<nvinfer1::IReduceLayer, Reduce> {
public:
    using OpLayer::OpLayer;

    void setOperation(ReduceOperation operation) noexcept override {
        set("operation", [&](Reduce& op) { op.operation = operation; });
    }
    ReduceOperation getOperation() const noexcept override { return op().operation; }

    void setReduceAxes(uint32_t reduceAxes) noexcept override {
        set("axes", [&](Reduce& op) { op.axes = reduceAxes; });
    }
    uint32_t getReduceAxes() const noexcept override { return op().axes; }

    void setKeepDimensions(bool keepDimensions) noexcept override {
        set("keep dimensions", [&](Reduce& op) { op.keepsAxes = keepDimensions; });
    }
    bool getKeepDimensions() const noexcept override { return op().keepsAxes; }
};

} // namespace

nvinfer1::IReduceLayer* NetworkDefinition::addReduce(nvinfer1::ITensor& input,
                                                     ReduceOperation operation, uint32_t reduceAxes,
                                                     bool keepDimensions) noexcept {
    Reduce op;
    op.operation = operation;
    op.axes = reduceAxes;
    op.keepsAxes = keepDimensions;
    return addOpLayer<ReduceLayer>(*this, "reduce layer", op, {&input});
}

} // namespace kiln::api
