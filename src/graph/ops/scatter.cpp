// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/scatter.h"

#include "graph/op_registry.h"
#include "graph/ops/gather.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::ScatterMode;

std::string Scatter::problem() const {
    if (std::string text = enumProblem(mode, "ScatterMode"); !text.empty()) {
        return text;
    }
    auto const how = static_cast<int32_t>(reduction);
    if (how < 0 || how > static_cast<int32_t>(ScatterReduction::kMIN)) {
        return fmt::format("expected a member of ScatterReduction, got {}.", how);
    }
    constexpr int32_t kMost = Dims::MAX_DIMS;
    return axis >= -kMost && axis < kMost
               ? std::string()
               : fmt::format("expected an axis from {} to {}, got {}.", -kMost, kMost - 1, axis);
}

TypeRule Scatter::typeRule(int32_t operand, int32_t inputCount) const {
    static_cast<void>(inputCount);
    // Sums of many numbers would lose digits.
    return operand == kIndices || reduction != ScatterReduction::kNONE ? TypeRule::kFixed
                                                                       : TypeRule::kCompute;
}

bool Scatter::isCombined(DataType type) noexcept {
    return isFloating(type) || type == DataType::kINT8 || type == DataType::kUINT8 ||
           type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
}

void Scatter::checkElements(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    ShapeExpr const& data = context.inputs[kData].shape;
    ShapeExpr const& indices = context.inputs[kIndices].shape;
    ShapeExpr const& updates = context.inputs[kUpdates].shape;
    int32_t const along = axisFor(data.rank);
    if (along < 0 || along >= data.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis from {} to {} for data {}, got {}. Set another axis.",
             where(context, kKind), -data.rank, data.rank - 1, toText(knownDims(pool, data)), axis);
    }
    bool fits = data.rank == indices.rank && data.rank == updates.rank;
    for (int32_t i = 0; fits && i < data.rank; ++i) {
        int64_t const most = pool.constantOr(data[i]);
        int64_t const count = pool.constantOr(indices[i]);
        int64_t const given = pool.constantOr(updates[i]);
        fits =
            (count < 0 || given < 0 || count == given) && (i == along || most < 0 || count <= most);
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices and updates of equal extents that are no larger than the data "
             "{} but along axis {}, got {} and {}. Slice or reshape them.",
             where(context, kKind), toText(knownDims(pool, data)), along,
             toText(knownDims(pool, indices)), toText(knownDims(pool, updates)));
    }
}

void Scatter::checkTuples(InferContext const& context) const {
    ExprPool const& pool = context.pool;
    ShapeExpr const& data = context.inputs[kData].shape;
    ShapeExpr const& indices = context.inputs[kIndices].shape;
    ShapeExpr const& updates = context.inputs[kUpdates].shape;
    int64_t const length = indices.rank == 0 ? -1 : pool.constantOr(indices[indices.rank - 1]);
    if (length < 1 || length > data.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices whose last extent is known and from 1 to {}, got {}. Reshape "
             "them.",
             where(context, kKind), data.rank, toText(knownDims(pool, indices)));
    }
    auto const inner = static_cast<int32_t>(length);
    int32_t const rank = indices.rank - 1 + data.rank - inner;
    bool fits = updates.rank == rank;
    for (int32_t i = 0; fits && i < rank; ++i) {
        ExprRef const want = i < indices.rank - 1 ? indices[i] : data[inner + i - indices.rank + 1];
        int64_t const expected = pool.constantOr(want);
        int64_t const got = pool.constantOr(updates[i]);
        fits = expected < 0 || got < 0 || expected == got;
    }
    if (!fits) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected updates with the extents of the indices {} but the last, then those of "
             "the data {} from axis {} on, got {}. Reshape them.",
             where(context, kKind), toText(knownDims(pool, indices)), toText(knownDims(pool, data)),
             inner, toText(knownDims(pool, updates)));
    }
}

/// Tracks values for constant indices, with which networks edit shapes.
void Scatter::followValues(InferContext& context) const {
    ExprPool const& pool = context.pool;
    TensorFacts const& data = context.inputs[kData];
    TensorFacts const& updates = context.inputs[kUpdates];
    auto const indices = constantValues(pool, context.inputs[kIndices]);
    // One axis is enough for shapes.
    if (!data.values || !updates.values || !indices || data.shape.rank != 1 ||
        reduction != ScatterReduction::kNONE || !canFollow(pool, context.outputs[0])) {
        return;
    }
    ShapeValues values = *data.values;
    for (std::size_t i = 0; i < indices->size(); ++i) {
        int64_t const at = wrappedIndex((*indices)[i], static_cast<int64_t>(values.size()));
        if (at >= 0) {
            values[static_cast<std::size_t>(at)] = updates.values->at(i);
        }
    }
    context.outputs[0].values = std::move(values);
}

void Scatter::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 3);
    DataType const type = context.inputs[kIndices].type;
    if (type != DataType::kINT32 && type != DataType::kINT64) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected indices (input 1) of int32 or int64, got {}. Add a cast layer.",
             where(context, kKind), nameOf(type));
    }
    TensorFacts const& data = context.inputs[kData];
    if (reduction != ScatterReduction::kNONE && !isCombined(data.type)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected data of a type with arithmetic for a reduction, got {}. Add a cast "
             "layer.",
             where(context, kKind), nameOf(data.type));
    }
    if (context.inputs[kUpdates].type != data.type) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected updates (input 2) of {} like the data, got {}. Add a cast layer.",
             where(context, kKind), nameOf(data.type), nameOf(context.inputs[kUpdates].type));
    }
    mode == ScatterMode::kND ? checkTuples(context) : checkElements(context);
    context.outputs[0].type = data.type;
    context.outputs[0].shape = data.shape;
    followValues(context);
}

void registerOp_scatter(OpRegistry& registry) {
    registry.add(Scatter::kKind, &Scatter::load);
}

} // namespace kiln::graph
