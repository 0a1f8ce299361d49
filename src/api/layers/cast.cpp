// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class CastLayer final : public OpLayer<nvinfer1::ICastLayer, graph::Cast> {
public:
    using OpLayer::OpLayer;

    void setToType(nvinfer1::DataType toType) noexcept override {
        set("output type", [&](graph::Cast& op) { op.toType = toType; });
    }
    nvinfer1::DataType getToType() const noexcept override { return op().toType; }
};

} // namespace

nvinfer1::ICastLayer* NetworkDefinition::addCast(nvinfer1::ITensor& input,
                                                 nvinfer1::DataType toType) noexcept {
    graph::Cast op;
    op.toType = toType;
    return addOpLayer<CastLayer>(*this, "cast layer", op, {&input});
}

} // namespace kiln::api
