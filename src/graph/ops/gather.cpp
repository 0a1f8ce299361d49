// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/gather.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::GatherMode;

std::string Gather::problem() const {
    if (std::string text = enumProblem(mode, "GatherMode"); !text.empty()) {
        return text;
    }
    if (axis < 0 || axis >= Dims::MAX_DIMS || sharedAxes < 0 || sharedAxes >= Dims::MAX_DIMS) {
        return fmt::format("expected an axis and a number of elementwise dimensions from 0 to {}, "
                           "got {} and {}.",
                           Dims::MAX_DIMS - 1, axis, sharedAxes);
    }
    return {};
}

TypeRule Gather::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(inputCount);
    return operand == 1 ? TypeRule::kFixed : TypeRule::kCompute;
}

void Gather::checkAxis(InferContext const& context) const {
    int32_t const rank = context.inputs[0].shape.rank;
    if (axis >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis below the data's rank {}, got {}. Set another axis.",
             where(context, kKind), rank, axis);
    }
}

void Gather::checkShared(InferContext const& context) const {
    ShapeExpr const& data = context.inputs[0].shape;
    ShapeExpr const& indices = context.inputs[1].shape;
    bool const slices = mode == GatherMode::kDEFAULT;
    int32_t const most =
        slices ? std::min({1, axis, indices.rank}) : std::min(data.rank, indices.rank) - 1;
    if (sharedAxes > most) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected at most {} elementwise dimensions for data {}, indices {} and axis {}, "
             "got {}. Set fewer.",
             where(context, kKind), most, toText(knownDims(context.pool, data)),
             toText(knownDims(context.pool, indices)), axis, sharedAxes);
    }
    for (int32_t i = 0; i < sharedAxes; ++i) {
        int64_t const left = context.pool.constantOr(data[i]);
        int64_t const right = context.pool.constantOr(indices[i]);
        if (left >= 0 && right >= 0 && left != right) {
            fail(ErrorKind::kInvalidArgument,
                 "{}, dimension {}: expected equal extents of data and indices, got {} and {}. Set "
                 "fewer elementwise dimensions, or reshape an input.",
                 where(context, kKind), i, left, right);
        }
    }
}

void Gather::inferSlices(InferContext& context) const {
    checkAxis(context);
    checkShared(context);
    ShapeExpr const& data = context.inputs[0].shape;
    ShapeExpr const& indices = context.inputs[1].shape;
    ShapeExpr& result = context.outputs[0].shape;
    int32_t const rank = data.rank + indices.rank - 1 - sharedAxes;
    if (rank > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an output of rank {} at most, got {}. Reshape the inputs.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS), rank);
    }
    for (int32_t i = 0; i < axis; ++i) {
        result[result.rank++] = data[i];
    }
    for (int32_t i = sharedAxes; i < indices.rank; ++i) {
        result[result.rank++] = indices[i];
    }
    for (int32_t i = axis + 1; i < data.rank; ++i) {
        result[result.rank++] = data[i];
    }
}

void Gather::inferElements(InferContext& context) const {
    checkAxis(context);
    ShapeExpr const& data = context.inputs[0].shape;
    ShapeExpr const& indices = context.inputs[1].shape;
    bool fits = data.rank == indices.rank;
    for (int32_t i = 0; fits && i < data.rank; ++i) {
        int64_t const most = context.pool.constantOr(data[i]);
        fits = i == axis || most < 0 || context.pool.constantOr(indices[i]) <= most;
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices of the data's rank that are no larger than the data {} but "
             "along axis {}, got {}. Slice or reshape them.",
             where(context, kKind), toText(knownDims(context.pool, data)), axis,
             toText(knownDims(context.pool, indices)));
    }
    context.outputs[0].shape = indices;
}

void Gather::inferTuples(InferContext& context) const {
    checkShared(context);
    ShapeExpr const& data = context.inputs[0].shape;
    ShapeExpr const& indices = context.inputs[1].shape;
    int64_t const length =
        indices.rank == 0 ? -1 : context.pool.constantOr(indices[indices.rank - 1]);
    if (length < 1 || length > data.rank - sharedAxes) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices whose last extent is known and from 1 to {}, got {}. Reshape "
             "them.",
             where(context, kKind), data.rank - sharedAxes,
             toText(knownDims(context.pool, indices)));
    }
    auto const first = sharedAxes + static_cast<int32_t>(length);
    ShapeExpr& result = context.outputs[0].shape;
    if (indices.rank - 1 + data.rank - first > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an output of rank {} at most, got {}. Reshape the inputs.",
             where(context, kKind), static_cast<int32_t>(Dims::MAX_DIMS),
             indices.rank - 1 + data.rank - first);
    }
    for (int32_t i = 0; i + 1 < indices.rank; ++i) {
        result[result.rank++] = indices[i];
    }
    for (int32_t i = first; i < data.rank; ++i) {
        result[result.rank++] = data[i];
    }
}

/// Tracks values for kDEFAULT and kELEMENT without shared axes, which networks use to index shapes.
void Gather::followValues(InferContext& context) const {
    ExprPool& pool = context.pool;
    TensorFacts const& data = context.inputs[0];
    TensorFacts const& indices = context.inputs[1];
    auto const picked = constantValues(pool, indices);
    if (!data.values || !picked || mode == GatherMode::kND || sharedAxes > 0) {
        return;
    }
    bool const elements = mode == GatherMode::kELEMENT;
    int64_t const extent = pool.constantOr(data.shape[axis]);
    followElements(pool, context.outputs[0], [&](Position const& position) {
        Position ofIndex{indices.shape.rank, {}};
        Position ofData{data.shape.rank, {}};
        for (int32_t i = 0; i < indices.shape.rank; ++i) {
            ofIndex.d[i] = position.d[elements ? i : axis + i];
        }
        int64_t const index = pool.node(valueAt(pool, indices, ofIndex)).value;
        for (int32_t i = 0; i < data.shape.rank; ++i) {
            int32_t const from = elements || i < axis ? i : i + indices.shape.rank - 1;
            ofData.d[i] = i == axis ? wrappedIndex(index, extent) : position.d[from];
        }
        return ofData.d[axis] < 0 ? pool.constant(0) : valueAt(pool, data, ofData);
    });
}

void Gather::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    DataType const type = context.inputs[1].type;
    if (type != DataType::kINT32 && type != DataType::kINT64) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices (input 1) of int32 or int64, got {}. Add a cast layer.",
             where(context, kKind), nameOf(type));
    }
    context.outputs[0].type = context.inputs[0].type;
    switch (mode) {
    case GatherMode::kDEFAULT: inferSlices(context); break;
    case GatherMode::kELEMENT: inferElements(context); break;
    case GatherMode::kND: inferTuples(context); break;
    }
    followValues(context);
}

void registerOp_gather(OpRegistry& registry) {
    registry.add(Gather::kKind, &Gather::load);
}

} // namespace kiln::graph
