// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dequantize.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class DequantizeLayer final : public OpLayer<nvinfer1::IDequantizeLayer, graph::Dequantize> {
public:
    using OpLayer::OpLayer;

    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](graph::Dequantize& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
    bool setBlockShape(nvinfer1::Dims const& blockShape) noexcept override {
        return set("block shape", [&](graph::Dequantize& op) { op.blockShape = blockShape; });
    }
    nvinfer1::Dims getBlockShape() const noexcept override { return op().blockShape; }
    void setToType(nvinfer1::DataType toType) noexcept override {
        set("output type", [&](graph::Dequantize& op) { op.toType = toType; });
    }
    nvinfer1::DataType getToType() const noexcept override { return op().toType; }
};

} // namespace

nvinfer1::IDequantizeLayer* NetworkDefinition::addDequantize(nvinfer1::ITensor& input,
                                                             nvinfer1::ITensor& scale) noexcept {
    return addDequantize(input, scale, nvinfer1::DataType::kFLOAT);
}

nvinfer1::IDequantizeLayer* NetworkDefinition::addDequantize(
    nvinfer1::ITensor& input, nvinfer1::ITensor& scale, nvinfer1::DataType outputType) noexcept {
    graph::Dequantize op;
    op.toType = outputType;
    return addOpLayer<DequantizeLayer>(*this, "dequantize layer", op, {&input, &scale});
}

} // namespace kiln::api
