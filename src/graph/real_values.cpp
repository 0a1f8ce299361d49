// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/real_values.h"

namespace kiln::graph {

ExprRef truncated(ExprPool& pool, ExprRef x) {
    ExprRef const below = pool.unary(ExprOp::kFloor, x);
    ExprRef const above = pool.unary(ExprOp::kCeil, x);
    ExprRef const zero = pool.constant(0);
    return below == above ? below
                          : pool.binary(ExprOp::kSum, pool.binary(ExprOp::kMax, below, zero),
                                        pool.binary(ExprOp::kMin, above, zero));
}

ExprRef realQuotient(ExprPool& pool, ExprRef x, ExprRef y) {
    ExprRef const one = pool.real(1.0);
    ExprRef const size =
        pool.binary(ExprOp::kRealMax, y, pool.binary(ExprOp::kRealSub, pool.real(0.0), y));
    // 0 or 1: the smallest float32 above 0 is about 1e-45.
    ExprRef const other =
        pool.binary(ExprOp::kRealMin, pool.binary(ExprOp::kRealProd, size, pool.real(1e200)), one);
    ExprRef const divisor =
        pool.binary(ExprOp::kRealSum, y, pool.binary(ExprOp::kRealSub, one, other));
    return pool.binary(ExprOp::kRealProd, pool.binary(ExprOp::kRealDiv, x, divisor), other);
}

} // namespace kiln::graph
