// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/quantize.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

class QuantizeLayer final : public OpLayer<nvinfer1::IQuantizeLayer, graph::Quantize> {
public:
    using OpLayer::OpLayer;

    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](graph::Quantize& op) { op.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
    bool setBlockShape(nvinfer1::Dims const& blockShape) noexcept override {
        return set("block shape", [&](graph::Quantize& op) { op.blockShape = blockShape; });
    }
    nvinfer1::Dims getBlockShape() const noexcept override { return op().blockShape; }
    void setToType(nvinfer1::DataType toType) noexcept override {
        set("output type", [&](graph::Quantize& op) { op.toType = toType; });
    }
    nvinfer1::DataType getToType() const noexcept override { return op().toType; }
};

} // namespace

nvinfer1::IQuantizeLayer* NetworkDefinition::addQuantize(nvinfer1::ITensor& input,
                                                         nvinfer1::ITensor& scale) noexcept {
    return addQuantize(input, scale, nvinfer1::DataType::kINT8);
}

nvinfer1::IQuantizeLayer* NetworkDefinition::addQuantize(nvinfer1::ITensor& input,
                                                         nvinfer1::ITensor& scale,
                                                         nvinfer1::DataType outputType) noexcept {
    graph::Quantize op;
    op.toType = outputType;
    return addOpLayer<QuantizeLayer>(*this, "quantize layer", op, {&input, &scale});
}

} // namespace kiln::api
