// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dynamic_quantize.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::DynamicQuantize;

class DynamicQuantizeLayer final
    : public OpLayer<nvinfer1::IDynamicQuantizeLayer, DynamicQuantize> {
public:
    using OpLayer::OpLayer;

    void setToType(nvinfer1::DataType toType) noexcept override {
        set("output type", [&](DynamicQuantize& op) { op.toType = toType; });
    }
    nvinfer1::DataType getToType() const noexcept override { return op().toType; }
    void setScaleType(nvinfer1::DataType scaleType) noexcept override {
        set("scale type", [&](DynamicQuantize& op) { op.scaleType = scaleType; });
    }
    nvinfer1::DataType getScaleType() const noexcept override { return op().scaleType; }
    void setAxis(int32_t axis) noexcept override {
        set("axis", [&](DynamicQuantize& op) {
            op.axis = axis;
            op.blockSize = std::max(op.blockSize, 1);
            op.blockShape = {0, {}};
        });
    }
    int32_t getAxis() const noexcept override { return op().axis; }
    void setBlockSize(int32_t size) noexcept override {
        set("block size", [&](DynamicQuantize& op) {
            op.axis = std::max(op.axis, 0);
            op.blockSize = size;
            op.blockShape = {0, {}};
        });
    }
    int32_t getBlockSize() const noexcept override { return op().blockSize; }
    void setBlockShape(nvinfer1::Dims const& blockShape) noexcept override {
        set("block shape", [&](DynamicQuantize& op) {
            op.axis = -1;
            op.blockSize = -1;
            op.blockShape = blockShape;
        });
    }
    nvinfer1::Dims getBlockShape() const noexcept override { return op().blockShape; }
};

} // namespace

nvinfer1::IDynamicQuantizeLayer* NetworkDefinition::addDynamicQuantize(
    nvinfer1::ITensor& input, int32_t axis, int32_t blockSize, nvinfer1::DataType outputType,
    nvinfer1::DataType scaleType) noexcept {
    DynamicQuantize op;
    op.axis = axis;
    op.blockSize = blockSize;
    op.toType = outputType;
    op.scaleType = scaleType;
    return addOpLayer<DynamicQuantizeLayer>(*this, "dynamic quantize layer", op, {&input});
}

nvinfer1::IDynamicQuantizeLayer* NetworkDefinition::addDynamicQuantizeV2(
    nvinfer1::ITensor& input, nvinfer1::Dims const& blockShape, nvinfer1::DataType outputType,
    nvinfer1::DataType scaleType) noexcept {
    DynamicQuantize op;
    op.blockShape = blockShape;
    op.toType = outputType;
    op.scaleType = scaleType;
    return addOpLayer<DynamicQuantizeLayer>(*this, "dynamic quantize layer", op, {&input});
}

} // namespace kiln::api
