// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/determinant.h"

#include "graph/op_registry.h"

namespace kiln::graph {

void Determinant::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    ExprPool const& pool = context.pool;
    ShapeExpr const& input = context.inputs[0].shape;
    TensorFacts& output = context.outputs[0];
    output.type = expectFloating(context, kKind);
    int32_t const outer = input.rank - 2;
    int64_t const rows = outer < 0 ? -1 : pool.constantOr(input[outer]);
    int64_t const columns = outer < 0 ? -1 : pool.constantOr(input[outer + 1]);
    if (outer < 0 || (rows >= 0 && columns >= 0 && rows != columns)) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected square matrices in the last two axes, got {}. Reshape or slice them.",
             where(context, kKind), toText(knownDims(pool, input)));
    }
    output.shape.rank = outer;
    for (int32_t i = 0; i < outer; ++i) {
        output.shape[i] = input[i];
    }
}

void registerOp_determinant(OpRegistry& registry) {
    registry.add(Determinant::kKind, &Determinant::load);
}

} // namespace kiln::graph
