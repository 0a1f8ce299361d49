// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Softmax and LogSoftmax. From opset 13 along one axis (default -1). Before, over all axes from
// `axis` (default 1) on, flattened into one.
// Layer: softmax. Before operator set 13, the trailing dimensions are flattened as that version
// says.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ElementWiseOperation;
using nvinfer1::ITensor;
using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

namespace {

using Function = ITensor& (*)(NodeContext& context, ITensor& tensor, int32_t axis);

ITensor& addSoftMax(NodeContext& context, ITensor& tensor, int32_t axis) {
    auto& layer = context.named(context.network().addSoftMax(tensor));
    layer.setAxes(1U << static_cast<uint32_t>(axis));
    return *layer.getOutput(0);
}

// x - max - log(sum(exp(x - max))); the logarithm of a softmax would be -infinity for small
// results.
ITensor& addLogSoftMax(NodeContext& context, ITensor& tensor, int32_t axis) {
    auto& network = context.network();
    uint32_t const axes = 1U << static_cast<uint32_t>(axis);
    auto const reduced = [&](ITensor& x, ReduceOperation operation, char const* name) -> ITensor& {
        return *context.named(network.addReduce(x, operation, axes, true), name).getOutput(0);
    };
    auto const unary = [&](ITensor& x, UnaryOperation operation, char const* name) -> ITensor& {
        return *context.named(network.addUnary(x, operation), name).getOutput(0);
    };
    auto const difference = [&](ITensor& x, ITensor& y, char const* name) -> ITensor& {
        auto* layer = network.addElementWise(x, y, ElementWiseOperation::kSUB);
        return *context.named(layer, name).getOutput(0);
    };
    ITensor& largest = reduced(tensor, ReduceOperation::kMAX, "largest");
    ITensor& shifted = difference(tensor, largest, "shifted");
    ITensor& powers = unary(shifted, UnaryOperation::kEXP, "powers");
    ITensor& sum = reduced(powers, ReduceOperation::kSUM, "sum");
    return difference(shifted, unary(sum, UnaryOperation::kLOG, "logarithm"), "");
}

// Softmax over axes `axis` .. rank - 1 at once: flatten them, then restore the shape.
ITensor& flattened(NodeContext& context, Function function, ITensor& tensor, Dims const& dims,
                   int32_t axis) {
    auto const unknown = std::count(dims.d, dims.d + dims.nbDims, -1);
    bool const flatUnknown = std::count(dims.d + axis, dims.d + dims.nbDims, -1) > 0;
    if (unknown > 1 || (unknown == 1 && flatUnknown && axis > 0)) {
        context.fail(ErrorCode::kUNSUPPORTED_NODE_DYNAMIC,
                     text("softmax over several axes: expected known extents from axis ", axis,
                          " on and one unknown before, got ", dims,
                          ". Export with opset 13 or later."));
    }
    Dims flat{2, {1, 1}};
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        int64_t& extent = flat.d[i < axis ? 0 : 1];
        extent = extent < 0 || dims.d[i] < 0 ? -1 : productOf(extent, dims.d[i], "extents");
    }
    ITensor& matrix = reshape(context, tensor, flat, false, "flatten");
    ITensor& result = function(context, matrix, 1);
    return reshape(context, result, dims, false, "restore");
}

template <Function kFunction>
void importSoftmax(NodeContext& context) {
    ITensor& tensor = context.tensor(0);
    Dims const dims = context.dims(tensor);
    bool const oneAxis = context.opset() >= 13;
    int64_t const given = context.attributes().integer("axis", oneAxis ? -1 : 1);
    int32_t const axis = toAxis(given, dims.nbDims);
    bool const restIsOne = std::all_of(dims.d + axis + 1, dims.d + dims.nbDims,
                                       [](int64_t extent) { return extent == 1; });
    if (oneAxis || restIsOne) {
        context.setOutput(0, Value(kFunction(context, tensor, axis)));
    } else {
        context.setOutput(0, Value(flattened(context, kFunction, tensor, dims, axis)));
    }
}

} // namespace

void registerImporter_softmax(ImporterRegistry& registry) {
    registry.add("Softmax", importSoftmax<addSoftMax>);
    registry.add("LogSoftmax", importSoftmax<addLogSoftMax>);
}

} // namespace kiln::onnx
