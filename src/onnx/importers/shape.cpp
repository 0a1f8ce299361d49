// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Shape, from `start` to before `end` (opset 15), and Size. Known extents become constants.
// Layer: shape. What is known becomes a constant.

#include "onnx/importer_registry.h"
#include "onnx/shape_math.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;

namespace {

// `start` or `end`: counted from the back if negative, then clamped to 0 .. rank.
int32_t boundOf(NodeContext& context, char const* name, int32_t rank, int64_t otherwise) {
    int64_t const given = context.attributes().integer(name, otherwise);
    return static_cast<int32_t>(std::clamp<int64_t>(given < 0 ? given + rank : given, 0, rank));
}

bool areKnown(Dims const& dims, int32_t begin, int32_t end) {
    return std::all_of(dims.d + begin, dims.d + end, [](int64_t extent) { return extent >= 0; });
}

void importShape(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    int32_t const begin = boundOf(context, "start", dims.nbDims, 0);
    int32_t const end = std::max(begin, boundOf(context, "end", dims.nbDims, dims.nbDims));
    if (areKnown(dims, begin, end)) {
        context.setOutput(0, constantOf(context, {dims.d + begin, dims.d + end}));
        return;
    }
    bool const whole = begin == 0 && end == dims.nbDims;
    auto& layer = context.named(context.network().addShape(context.tensor(0)), whole ? "" : "all");
    if (whole) {
        context.setOutput(layer);
        return;
    }
    context.setOutput(context.named(context.network().addSlice(
        *layer.getOutput(0), Dims{1, {begin}}, Dims{1, {end - begin}}, Dims{1, {1}})));
}

void importSize(NodeContext& context) {
    Dims const dims = context.dims(context.input(0));
    if (areKnown(dims, 0, dims.nbDims)) {
        int64_t const count =
            productOf(std::span(dims.d, static_cast<size_t>(dims.nbDims)), "extents");
        context.setOutput(0, constantOf(context, {count}, 0));
        return;
    }
    context.setOutput(
        context.named(context.network().addReduce(ShapeMath(context).extents(context.tensor(0)),
                                                  nvinfer1::ReduceOperation::kPROD, 1, false)));
}

} // namespace

void registerImporter_shape(ImporterRegistry& registry) {
    registry.add("Shape", importShape);
    registry.add("Size", importSize);
}

} // namespace kiln::onnx
