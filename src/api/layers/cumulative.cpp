// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cumulative.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::Cumulative;
using nvinfer1::CumulativeOperation;

class CumulativeLayer final : public OpLayer<nvinfer1::ICumulativeLayer, Cumulative> {
public:
    using OpLayer::OpLayer;

    bool setOperation(CumulativeOperation operation) noexcept override {
        return set("operation", [&](Cumulative& op) { op.operation = operation; });
    }
    CumulativeOperation getOperation() const noexcept override { return op().operation; }

    void setExclusive(bool exclusive) noexcept override {
        set("exclusive", [&](Cumulative& op) { op.exclusive = exclusive; });
    }
    bool getExclusive() const noexcept override { return op().exclusive; }

    void setReverse(bool reverse) noexcept override {
        set("reverse", [&](Cumulative& op) { op.reverse = reverse; });
    }
    bool getReverse() const noexcept override { return op().reverse; }
};

} // namespace

nvinfer1::ICumulativeLayer* NetworkDefinition::addCumulative(nvinfer1::ITensor& input,
                                                             nvinfer1::ITensor& axis,
                                                             CumulativeOperation operation,
                                                             bool exclusive,
                                                             bool reverse) noexcept {
    Cumulative op;
    op.operation = operation;
    op.exclusive = exclusive;
    op.reverse = reverse;
    return addOpLayer<CumulativeLayer>(*this, "cumulative layer", op, {&input, &axis});
}

} // namespace kiln::api
