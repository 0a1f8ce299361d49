// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/matrix_multiply.h"

#include "graph/op_registry.h"

namespace kiln::graph {

using nvinfer1::MatrixOperation;

std::string MatrixMultiply::problem() const {
    std::string text = enumProblem(operation[0], "MatrixOperation");
    return text.empty() ? enumProblem(operation[1], "MatrixOperation") : text;
}

MatrixMultiply::Axes MatrixMultiply::axes(int32_t operand, int32_t rank) const {
    MatrixOperation const how = operation[static_cast<std::size_t>(operand)];
    if (how == MatrixOperation::kVECTOR) {
        return {rank - 1, -1, rank - 1};
    }
    // Operand 0 is [m, k] and operand 1 is [k, n], unless transposed.
    bool const keptFirst = (operand == 0) == (how == MatrixOperation::kNONE);
    return keptFirst ? Axes{rank - 2, rank - 2, rank - 1} : Axes{rank - 2, rank - 1, rank - 2};
}

void MatrixMultiply::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 2, 2);
    expectFloating(context, kKind);
    TensorFacts& output = context.outputs[0];
    output.type = expectSameType(context, kKind);

    ExprPool& pool = context.pool;
    ShapeExpr const& left = context.inputs[0].shape;
    ShapeExpr const& right = context.inputs[1].shape;
    Axes const a = axes(0, left.rank);
    Axes const b = axes(1, right.rank);
    if (a.batch < 0 || b.batch < 0 || a.batch != b.batch) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected inputs with equal numbers of batch axes before their matrices or "
             "vectors, got {} and {}. Reshape one of them.",
             where(context, kKind), toText(knownDims(pool, left)), toText(knownDims(pool, right)));
    }
    int64_t const inner = pool.constantOr(left[a.summed]);
    int64_t const innerOther = pool.constantOr(right[b.summed]);
    if (inner >= 0 && innerOther >= 0 && inner != innerOther) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected equal extents along the summed axes, got {} (dimension {} of {}) and "
             "{} (dimension {} of {}). Transpose or reshape one of the inputs.",
             where(context, kKind), inner, a.summed, toText(knownDims(pool, left)), innerOther,
             b.summed, toText(knownDims(pool, right)));
    }
    ShapeExpr& shape = output.shape;
    for (int32_t axis = 0; axis < a.batch; ++axis) {
        shape[shape.rank++] = broadcastExtent(context, kKind, axis, left[axis], right[axis]);
    }
    if (a.kept >= 0) {
        shape[shape.rank++] = left[a.kept];
    }
    if (b.kept >= 0) {
        shape[shape.rank++] = right[b.kept];
    }
}

void registerOp_matrix_multiply(OpRegistry& registry) {
    registry.add(MatrixMultiply::kKind, &MatrixMultiply::load);
}

} // namespace kiln::graph
