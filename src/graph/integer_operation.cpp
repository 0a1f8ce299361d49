// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/integer_operation.h"

#include <algorithm>

#include "base/checked.h"

namespace kiln::graph {

void failDivision(std::string const& dividend) {
    fail(ErrorKind::kInvalidArgument,
         "[shape] division of {} by an extent that is 0. Check the input shapes.", dividend);
}

namespace {

int64_t divide(int64_t a, int64_t b, bool up) {
    if (b == 0) {
        failDivision(fmt::format("{}", a));
    }
    if (b == -1) { // INT64_MIN / -1 overflows and traps
        return checkedMul<int64_t>(a, -1, "extent");
    }
    int64_t const quotient = a / b;
    bool const exact = quotient * b == a;
    bool const negative = (a < 0) != (b < 0);
    if (exact) {
        return quotient;
    }
    if (up) {
        return negative ? quotient : quotient + 1;
    }
    return negative ? quotient - 1 : quotient;
}

} // namespace

int64_t applyInteger(ExprOp op, int64_t a, int64_t b) {
    switch (op) {
    case ExprOp::kSum: return checkedAdd(a, b, "extent");
    case ExprOp::kProd: return checkedMul(a, b, "extent");
    case ExprOp::kMax: return std::max(a, b);
    case ExprOp::kMin: return std::min(a, b);
    case ExprOp::kSub: return checkedAdd(a, checkedMul<int64_t>(b, -1, "extent"), "extent");
    case ExprOp::kEqual: return a == b ? 1 : 0;
    case ExprOp::kLess: return a < b ? 1 : 0;
    case ExprOp::kFloorDiv: return divide(a, b, false);
    case ExprOp::kCeilDiv: return divide(a, b, true);
    case ExprOp::kTruncDiv: return divide(a, b, (a < 0) != (b < 0));
    default: break;
    }
    fail(ErrorKind::kInternal,
         "[shape] operation {} takes no operands. Report this as a defect of Kiln.",
         static_cast<int32_t>(op));
}

} // namespace kiln::graph
