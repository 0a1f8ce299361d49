// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/conditional.h"

#include <vector>

#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

/// Whether an expression is computed from extents and constants alone, so that it is known as soon
/// as the shapes are.
bool followsFromExtents(ExprPool const& pool, ExprRef root) {
    std::vector<ExprRef> waiting{root};
    std::vector<bool> seen(pool.nodes().size(), false);
    while (!waiting.empty()) {
        ExprRef const at = waiting.back();
        waiting.pop_back();
        if (seen[static_cast<std::size_t>(at)]) {
            continue;
        }
        seen[static_cast<std::size_t>(at)] = true;
        ExprNode const& node = pool.node(at);
        if (node.op == ExprOp::kShapeValue || node.op == ExprOp::kSizeTensor) {
            return false;
        }
        if (node.op >= ExprOp::kSum) {
            waiting.push_back(node.a);
            waiting.push_back(node.b);
        }
    }
    return true;
}

} // namespace

void Condition::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    expectScalar(context, kKind, 0, "condition", &isTruth, "bool");
}

void ConditionalInput::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    context.outputs[0] = context.inputs[0];
}

void ConditionalOutput::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 3);
    TensorFacts const& first = context.inputs[0];
    TensorFacts const& second = context.inputs[1];
    if (first.type != second.type || first.shape.rank != second.shape.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected results of both branches with the same type and rank, got {} {} and {} "
             "{}. Cast or reshape one of them.",
             where(context, kKind), nameOf(first.type),
             toText(knownDims(context.pool, first.shape)), nameOf(second.type),
             toText(knownDims(context.pool, second.shape)));
    }
    context.outputs[0] = dataOf(first);
    bool const decides = context.has(2) && context.inputs[2].values.has_value() &&
                         followsFromExtents(context.pool, context.inputs[2].values->front());
    for (int32_t axis = 0; axis < first.shape.rank; ++axis) {
        ExprRef const a = first.shape[axis];
        ExprRef const b = second.shape[axis];
        if (a == b) {
            continue;
        }
        context.outputs[0].shape[axis] =
            decides ? choose(context.pool, context.inputs[2].values->front(), a, b)
                    : context.declareSize(static_cast<std::size_t>(axis), a,
                                          context.pool.binary(ExprOp::kMax, a, b));
    }
}

} // namespace kiln::graph
