// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/loop.h"

#include <vector>

namespace kiln::graph {
namespace {

/// Whether an expression follows from a size that a run finds.
bool dependsOnSize(ExprPool const& pool, ExprRef root) {
    // Operands precede their users, so one pass suffices. A recursive walk revisits shared nodes.
    std::vector<bool> depends;
    for (ExprRef at = 0; at <= root; ++at) {
        ExprNode const& node = pool.node(at);
        depends.push_back(node.op == ExprOp::kSizeTensor ||
                          (node.op >= ExprOp::kSum && (depends[static_cast<std::size_t>(node.a)] ||
                                                       depends[static_cast<std::size_t>(node.b)])));
    }
    return depends[static_cast<std::size_t>(root)];
}

std::string axisProblem(int32_t axis) {
    return axis >= 0 && axis < Dims::MAX_DIMS
               ? std::string()
               : fmt::format("expected an axis from 0 to {}, got {}.",
                             static_cast<int32_t>(Dims::MAX_DIMS) - 1, axis);
}

} // namespace

void TripLimit::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    if (limit == nvinfer1::TripLimit::kCOUNT) {
        expectScalar(context, kKind, 0, "count", &isCount, "int32 or int64");
    } else {
        expectScalar(context, kKind, 0, "condition", &isTruth, "bool");
    }
}

void Recurrence::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 2);
    context.outputs[0] = dataOf(context.inputs[0]);
}

std::string Iterator::problem() const {
    return axisProblem(axis);
}

void Iterator::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    TensorFacts facts = dataOf(context.inputs[0]);
    if (axis >= facts.shape.rank) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected a tensor with the axis {} to take slices along, got {}. Choose an axis "
             "from 0 to its rank - 1.",
             where(context, kKind), axis, toText(knownDims(context.pool, facts.shape)));
    }
    for (int32_t i = axis; i + 1 < facts.shape.rank; ++i) {
        facts.shape[i] = facts.shape[i + 1];
    }
    --facts.shape.rank;
    context.outputs[0] = facts;
}

std::string LoopOutput::problem() const {
    std::string text = enumProblem(output, "LoopOutput");
    return text.empty() ? axisProblem(axis) : text;
}

void LoopOutput::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, isLast() ? 1 : 2, isLast() ? 1 : 2);
    TensorFacts facts = dataOf(context.inputs[0]);
    if (isLast()) {
        context.outputs[0] = facts;
        return;
    }
    expectScalar(context, kKind, 1, "length", &isCount, "int32 or int64");
    if (!context.inputs[1].values.has_value()) {
        fail(ErrorKind::kInvalidArgument,
             "{}, length (input 1): expected a value that is known before the layer runs (a "
             "constant, an extent, a shape input and what is computed from them), got one that "
             "kernels compute. Derive it from shape layers, or declare it as a network input.",
             where(context, kKind));
    }
    if (axis > facts.shape.rank || facts.shape.rank == Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected room for a new axis {}, got slices of shape {}. Choose an axis from 0 "
             "to their rank, which is at most {}.",
             where(context, kKind), axis, toText(knownDims(context.pool, facts.shape)),
             static_cast<int32_t>(Dims::MAX_DIMS) - 1);
    }
    for (int32_t i = facts.shape.rank - 1; i >= 0; --i) {
        // Which sizes are found inside of the loop is known when it is compiled.
        ExprRef const extent =
            dependsOnSize(context.pool, facts.shape[i])
                ? context.declareSize(static_cast<std::size_t>(i), facts.shape[i], facts.shape[i])
                : facts.shape[i];
        facts.shape[i < axis ? i : i + 1] = extent;
    }
    facts.shape[axis] = context.inputs[1].values->front();
    ++facts.shape.rank;
    context.outputs[0] = facts;
}

} // namespace kiln::graph
