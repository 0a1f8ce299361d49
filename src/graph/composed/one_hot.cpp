// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/one_hot.h"

#include "graph/ops/fill.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"

namespace kiln::graph {

using nvinfer1::ElementWiseOperation;

std::string OneHot::problem() const {
    constexpr int32_t kMost = Dims::MAX_DIMS;
    return axis >= -kMost && axis < kMost
               ? std::string()
               : fmt::format("expected an axis from {} to {}, got {}.", -kMost, kMost - 1, axis);
}

int32_t OneHot::axisOf(InferContext const& context) const {
    return axisFromFront(context, kKind, axis, context.inputs[kIndices].shape.rank + 1);
}

void OneHot::check(InferContext const& context) const {
    expectInputs(context, kKind, 3, 3);
    auto const isIndex = [](DataType type) {
        return type == DataType::kINT32 || type == DataType::kINT64;
    };
    TensorFacts const& indices = context.inputs[kIndices];
    if (!isIndex(indices.type) || indices.shape.rank >= Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}, indices (input 0): expected int32 or int64 of rank 0 to {}, got {} of rank {}. "
             "Cast or reshape them.",
             where(context, kKind), Dims::MAX_DIMS - 1, nameOf(indices.type), indices.shape.rank);
    }
    Dims const values = knownDims(context.pool, context.inputs[kValues].shape);
    if (values.nbDims != 1 || (values.d[0] != 2 && values.d[0] >= 0)) {
        fail(ErrorKind::kInvalidArgument,
             "{}, values (input 1): expected [2], the value elsewhere and the value at the index, "
             "got {}. Reshape them.",
             where(context, kKind), toText(values));
    }
    TensorFacts const& depth = context.inputs[kDepth];
    if (!isIndex(depth.type) || !depth.values || depth.values->size() != 1) {
        fail(ErrorKind::kInvalidArgument,
             "{}, depth (input 2): expected a shape tensor of one int32 or int64, got {} of {}{}. "
             "Use a constant layer, a shape layer or an input.",
             where(context, kKind), nameOf(depth.type),
             toText(knownDims(context.pool, depth.shape)),
             depth.values ? "" : " whose value is not known before the engine runs");
    }
    static_cast<void>(axisOf(context));
}

std::unique_ptr<Region> OneHot::parts(InferContext const& context) const {
    Parts parts(context);
    int32_t const axis = axisOf(context);
    int32_t const rank = parts.rank(kIndices) + 1;
    DataType const type = parts.facts(kIndices).type;

    std::vector<Parts::Extent> spreadIndices;
    for (int32_t i = 0; i < rank; ++i) {
        spreadIndices.push_back(i == axis ? Parts::Extent::of(1)
                                          : Parts::Extent::ofAxis(i < axis ? i : i - 1));
    }
    int32_t const indices = parts.reshape(kIndices, spreadIndices);
    int32_t const depth = parts.reshape(kDepth, {Parts::Extent::of(1)});

    Fill fill;
    fill.type = type;
    fill.isWhole = true;
    int32_t const places = parts.spread(parts.add(fill, {depth}), rank, axis);

    int32_t const length = parts.spread(parts.cast(depth, type), rank, rank - 1);
    int32_t const isBelow =
        parts.elementWise(ElementWiseOperation::kLESS, indices, parts.zeroLike(indices));
    int32_t const fromEnd = parts.elementWise(ElementWiseOperation::kSUM, indices, length);
    int32_t const isHere = parts.elementWise(ElementWiseOperation::kEQUAL,
                                             parts.select(isBelow, fromEnd, indices), places);
    std::array<int32_t, 2> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        Slice slice;
        slice.start = {1, {static_cast<int64_t>(i)}};
        slice.size = {1, {1}};
        slice.stride = {1, {1}};
        values[i] = parts.spread(parts.add(slice, {kValues}), rank, rank - 1);
    }
    return parts.finish({parts.select(isHere, values[1], values[0])});
}

} // namespace kiln::graph
