// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/select.h"

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

void Select::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 3, 3);
    TensorFacts const& condition = context.inputs[0];
    TensorFacts const& then = context.inputs[1];
    TensorFacts const& otherwise = context.inputs[2];
    if (condition.type != DataType::kBOOL || then.type != otherwise.type) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a bool condition and two inputs of one type, got {}, {} and {}. Add a "
             "cast layer.",
             where(context, kKind), nameOf(condition.type), nameOf(then.type),
             nameOf(otherwise.type));
    }
    int32_t const rank = condition.shape.rank;
    if (then.shape.rank != rank || otherwise.shape.rank != rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected inputs of equal rank, got {}, {} and {}. Add leading 1s with a shuffle "
             "layer.",
             where(context, kKind), rank, then.shape.rank, otherwise.shape.rank);
    }
    TensorFacts& output = context.outputs[0];
    output.type = then.type;
    output.shape.rank = rank;
    for (int32_t axis = 0; axis < rank; ++axis) {
        ExprRef const both =
            broadcastExtent(context, kKind, axis, then.shape[axis], otherwise.shape[axis]);
        output.shape[axis] = broadcastExtent(context, kKind, axis, condition.shape[axis], both);
    }
    if (condition.values && then.values && otherwise.values) {
        followElements(context.pool, output, [&](Position const& at) {
            return choose(context.pool, valueAt(context.pool, condition, at),
                          valueAt(context.pool, then, at), valueAt(context.pool, otherwise, at));
        });
    }
}

void registerOp_select(OpRegistry& registry) {
    registry.add(Select::kKind, &Select::load);
}

} // namespace kiln::graph
