// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Expand and ConstantOfShape: slices with step 0 along the repeated axes.
// Layer: slice. Shapes may be computed.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"
#include "onnx/shapes.h"
#include "onnx/term.h"

#include <algorithm>
#include <cstring>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;

namespace {

int32_t rankOf(NodeContext& context, ITensor& shape) {
    return toRank(context.dims(shape).d[0], "shape");
}

// Start, size or step of each axis; operands replace them.
Dims zerosFor(int32_t rank) {
    return repeatedDims(rank, 0, "output");
}

void importExpand(NodeContext& context) {
    ShapeMath math(context);
    ITensor* shape = &math.operand(1);
    int32_t const rank = std::max(rankOf(context, *shape), context.dims(context.input(0)).nbDims);
    ITensor& tensor = withRank(context, 0, rank);
    if (rank == 0) {
        context.setOutput(context.named(context.network().addIdentity(tensor)));
        return;
    }
    if (int32_t const missing = rank - rankOf(context, *shape); missing > 0) {
        ITensor* parts[] = {&math.vector(std::vector<int64_t>(static_cast<size_t>(missing), 1)),
                            shape};
        shape = context.named(context.network().addConcatenation(parts, 2), "rank").getOutput(0);
    }
    // An extent of 1 is replaced by the other extent, which may be 0. Its step is 0.
    ITensor& extents = math.extents(tensor);
    ITensor& ones = math.vector(std::vector<int64_t>(static_cast<size_t>(rank), 1));
    ITensor& repeats = math.combine(extents, ElementWiseOperation::kEQUAL, ones);
    ITensor& size = math.choose(repeats, *shape, extents);
    ITensor& below = math.combine(extents, ElementWiseOperation::kSUB, ones);
    auto& layer = context.named(
        context.network().addSlice(tensor, zerosFor(rank), zerosFor(rank), zerosFor(rank)));
    layer.setInput(2, size);
    layer.setInput(3, math.combine(below, ElementWiseOperation::kMIN, ones));
    context.setOutput(layer);
}

bool isNonZero(Constant const& number) {
    nvinfer1::DataType const type = number.weights.type;
    bool const isWhole = type == nvinfer1::DataType::kINT32 || type == nvinfer1::DataType::kINT64;
    return isWhole ? integersOf(number, "value")[0] != 0
                   : isReal(type) && floatsOf(number, "value")[0] != 0;
}

void importConstantOfShape(NodeContext& context) {
    Constant value{Dims{1, {1}}, {nvinfer1::DataType::kFLOAT, nullptr, 1}};
    if (auto const* attribute = context.attributes().find("value")) {
        value = readConstant(attribute->tensorValue(), context.tensors());
        if (value.weights.count != 1) {
            context.fail(ErrorCode::kINVALID_NODE, text("attribute 'value': expected 1 element, ",
                                                        "got ", value.weights.count, "."));
        }
    } else {
        std::byte* zero = context.tensors().store.allocate(sizeof(float));
        std::memset(zero, 0, sizeof(float));
        value.weights.values = zero;
    }
    ITensor& shape = ShapeMath(context).operand(0);
    int32_t const rank = rankOf(context, shape);
    value.dims = repeatedDims(rank, 1, "output");
    if (rank == 0) {
        context.setOutput(0, Value(value));
        return;
    }
    auto* one = context.network().addConstant(value.dims, value.weights);
    ITensor& tensor = *context.named(one, "value").getOutput(0);
    auto& layer = context.named(
        context.network().addSlice(tensor, zerosFor(rank), zerosFor(rank), zerosFor(rank)));
    layer.setInput(2, shape);
    Value output(*layer.getOutput(0));
    output.isNeverZero = isNonZero(value);
    context.setOutput(0, output);
}

} // namespace

void registerImporter_expand(ImporterRegistry& registry) {
    registry.add("Expand", importExpand);
    registry.add("ConstantOfShape", importConstantOfShape);
}

} // namespace kiln::onnx
