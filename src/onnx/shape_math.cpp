// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/shape_math.h"

#include "onnx/counted_mask.h"
#include "onnx/data_extents.h"
#include "onnx/shapes.h"

#include <kiln/known_values.h>

#include <algorithm>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::DataType;
using nvinfer1::Dims;
using nvinfer1::ITensor;

Value constantOf(NodeContext& context, std::vector<int64_t> const& values, int32_t rank) {
    size_t const size = values.size() * sizeof(int64_t);
    std::byte* bytes = context.tensors().store.allocate(size);
    if (size > 0) {
        std::memcpy(bytes, values.data(), size);
    }
    auto const count = static_cast<int64_t>(values.size());
    return Value(Constant{Dims{rank, {count}}, {DataType::kINT64, bytes, count}});
}

ITensor& ShapeMath::vector(std::vector<int64_t> const& values) {
    Constant const constant = constantOf(context_, values).constant;
    auto* layer = context_.network().addConstant(constant.dims, constant.weights);
    return *context_.named(layer, nextName()).getOutput(0);
}

ITensor& ShapeMath::extents(ITensor& tensor) {
    return *context_.named(context_.network().addShape(tensor), nextName()).getOutput(0);
}

ITensor& ShapeMath::extents(ITensor& tensor, std::vector<int32_t> const& axes) {
    ITensor& indices = vector({axes.begin(), axes.end()});
    auto* layer = context_.network().addGather(extents(tensor), indices, 0);
    return *context_.named(layer, nextName()).getOutput(0);
}

ITensor& ShapeMath::operand(size_t index) {
    Value& value = context_.input(index);
    Dims const dims = context_.dims(value);
    if (dims.nbDims > 1 || (dims.nbDims == 1 && dims.d[0] < 0)) {
        context_.fail(
            ErrorCode::kUNSUPPORTED_NODE_SHAPE,
            text("input ", index, ": expected a vector of known length, got ", dims, "."));
    }
    if (value.isConstant) {
        auto numbers = context_.integers(index, "shape", Dims::MAX_DIMS);
        std::transform(numbers.begin(), numbers.end(), numbers.begin(),
                       [](int64_t x) { return std::clamp(x, -kFarthest, kFarthest); });
        return vector(numbers);
    }
    if (value.countsMask && !kiln::hasShapeValues(*value.tensor)) {
        return countOfMask(context_, *value.mask);
    }
    ITensor* tensor = value.tensor;
    if (dims.nbDims == 0) {
        tensor = &reshape(context_, *tensor, Dims{1, {1}}, false, nextName());
    }
    if (tensor->getType() != DataType::kINT64) {
        auto* cast = context_.network().addCast(*tensor, DataType::kINT64);
        tensor = context_.named(cast, nextName()).getOutput(0);
    }
    return kiln::hasShapeValues(*tensor) ? *tensor : extentsOfData(context_, *tensor);
}

ITensor& ShapeMath::combine(ITensor& x, nvinfer1::ElementWiseOperation operation, ITensor& y) {
    return *context_.named(context_.network().addElementWise(x, y, operation), nextName())
                .getOutput(0);
}

ITensor& ShapeMath::choose(ITensor& condition, ITensor& x, ITensor& y) {
    return *context_.named(context_.network().addSelect(condition, x, y), nextName()).getOutput(0);
}

} // namespace kiln::onnx
