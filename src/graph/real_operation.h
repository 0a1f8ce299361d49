// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/expr_node.h"
#include "graph/interval.h"

namespace kiln::graph {

/// The value of a real operation or a conversion. Real numbers, in arguments and results, are their
/// bits. Throws kInvalidArgument if the result is not finite, or no integer of 64 bits.
int64_t applyReal(ExprOp op, int64_t a, int64_t b);

/// Bounds of applyReal() over intervals of the operands. Rounding is monotone, so the bounds hold
/// for the computed numbers, not only for the exact ones.
Interval boundReal(ExprOp op, Interval a, Interval b);

} // namespace kiln::graph
