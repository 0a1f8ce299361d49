// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/concatenation.h"

#include <algorithm>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

/// Extent along an axis that is not joined. Known extents must be equal; others are checked at run
/// time.
ExprRef sharedExtent(InferContext const& context, std::size_t operand, int32_t axis, ExprRef first,
                     ExprRef other) {
    int64_t const left = context.pool.constantOr(first);
    int64_t const right = context.pool.constantOr(other);
    if (left >= 0 && right >= 0 && left != right) {
        fail(ErrorKind::kInvalidArgument,
             "{}, dimension {}: expected extent {} of input {} as of input 0, got {}. Join along "
             "that dimension, or slice the input.",
             where(context, Concatenation::kKind), axis, left, operand, right);
    }
    return left >= 0 ? first : right >= 0 ? other : first;
}

void followValues(InferContext& context, int32_t axis) {
    ExprPool& pool = context.pool;
    std::span<TensorFacts const> const inputs = context.inputs;
    if (!std::all_of(inputs.begin(), inputs.end(),
                     [](TensorFacts const& facts) { return facts.values.has_value(); })) {
        return;
    }
    followElements(pool, context.outputs[0], [&](Position const& position) {
        Position at = position;
        std::size_t operand = 0;
        while (at.d[axis] >= pool.constantOr(inputs[operand].shape[axis])) {
            at.d[axis] -= pool.constantOr(inputs[operand++].shape[axis]);
        }
        return valueAt(pool, inputs[operand], at);
    });
}

} // namespace

std::string Concatenation::problem() const {
    return axis >= -1 && axis < Dims::MAX_DIMS
               ? std::string()
               : fmt::format("expected an axis from 0 to {}, got {}.", Dims::MAX_DIMS - 1, axis);
}

void Concatenation::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 10000);
    TensorFacts& output = context.outputs[0];
    output.type = expectSameType(context, kKind);
    output.shape = context.inputs[0].shape;
    int32_t const rank = output.shape.rank;
    int32_t const joined = axisFor(rank);
    if (joined >= rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected an axis below the inputs' rank {}, got {}. Set another axis.",
             where(context, kKind), rank, joined);
    }
    for (std::size_t i = 1; i < context.inputs.size(); ++i) {
        ShapeExpr const& shape = context.inputs[i].shape;
        if (shape.rank != rank) {
            fail(ErrorKind::kInvalidArgument,
                 "{}: expected input {} of rank {} like input 0, got {}. Reshape it.",
                 where(context, kKind), i, rank, toText(knownDims(context.pool, shape)));
        }
        for (int32_t axis = 0; axis < rank; ++axis) {
            output.shape[axis] =
                axis == joined ? context.pool.binary(ExprOp::kSum, output.shape[axis], shape[axis])
                               : sharedExtent(context, i, axis, output.shape[axis], shape[axis]);
        }
    }
    followValues(context, joined);
}

void registerOp_concatenation(OpRegistry& registry) {
    registry.add(Concatenation::kKind, &Concatenation::load);
}

} // namespace kiln::graph
