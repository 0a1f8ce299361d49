// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/non_zero.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::NonZero;
using nvinfer1::DataType;

class NonZeroLayer final : public OpLayer<nvinfer1::INonZeroLayer, NonZero> {
public:
    using OpLayer::OpLayer;

    bool setIndicesType(DataType type) noexcept override {
        return set("indices type", [&](NonZero& op) { op.indexType = type; });
    }
    DataType getIndicesType() const noexcept override { return op().indexType; }
};

} // namespace

nvinfer1::INonZeroLayer* NetworkDefinition::addNonZero(nvinfer1::ITensor& input) noexcept {
    return addNonZero(input, DataType::kINT32);
}

nvinfer1::INonZeroLayer* NetworkDefinition::addNonZero(nvinfer1::ITensor& input,
                                                       DataType indicesType) noexcept {
    NonZero op;
    op.indexType = indicesType;
    return addOpLayer<NonZeroLayer>(*this, "non-zero layer", op, {&input});
}

} // namespace kiln::api
