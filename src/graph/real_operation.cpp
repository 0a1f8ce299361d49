// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/real_operation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/checked_real.h"

namespace kiln::graph {
namespace {

constexpr double kMost = std::numeric_limits<double>::max();

/// May be infinite or NaN.
double computed(ExprOp op, double a, double b) {
    switch (op) {
    case ExprOp::kRealSum: return a + b;
    case ExprOp::kRealProd: return a * b;
    case ExprOp::kRealMax: return std::max(a, b);
    case ExprOp::kRealMin: return std::min(a, b);
    case ExprOp::kRealSub: return a - b;
    case ExprOp::kRealDiv: return a / b;
    case ExprOp::kSingle: return static_cast<double>(static_cast<float>(a));
    case ExprOp::kFloor: return std::floor(a);
    case ExprOp::kCeil: return std::ceil(a);
    case ExprOp::kRound: return std::nearbyint(a); // to even, as nobody changes the rounding mode
    default: break;
    }
    fail(ErrorKind::kInternal,
         "[shape] operation {} is not one of real numbers. Report this as a defect of Kiln.",
         static_cast<int32_t>(op));
}

struct RealInterval {
    double low;
    double high;
};

RealInterval corners(ExprOp op, RealInterval a, RealInterval b) {
    double low = kMost;
    double high = -kMost;
    for (double const left : {a.low, a.high}) {
        for (double const right : {b.low, b.high}) {
            double const corner = std::clamp(computed(op, left, right), -kMost, kMost);
            low = std::min(low, corner);
            high = std::max(high, corner);
        }
    }
    return {low, high};
}

/// The divisor is not 0, but may be as close to it as a number can be.
RealInterval quotient(RealInterval a, RealInterval b) {
    bool const touchesZero = b.low <= 0 && b.high >= 0;
    if (!touchesZero) {
        return corners(ExprOp::kRealDiv, a, b);
    }
    bool const positive = b.low >= 0 && a.low >= 0;
    return {positive ? 0.0 : -kMost, kMost};
}

int64_t nearestInteger(double number) {
    constexpr double kBeyond = 9223372036854775808.0; // 2 to the power of 63
    return number >= kBeyond    ? std::numeric_limits<int64_t>::max()
           : number <= -kBeyond ? std::numeric_limits<int64_t>::min()
                                : static_cast<int64_t>(number);
}

} // namespace

int64_t applyReal(ExprOp op, int64_t a, int64_t b) {
    if (op == ExprOp::kToReal) {
        return realBits(static_cast<double>(a));
    }
    double const result = computed(op, realOf(a), realOf(b));
    return isReal(op) ? realBits(checkedFinite(result, "factor of an extent"))
                      : checkedInteger(result, "extent");
}

Interval boundReal(ExprOp op, Interval a, Interval b) {
    if (op == ExprOp::kToReal) {
        return {applyReal(op, a.low, a.low), applyReal(op, a.high, a.high)};
    }
    RealInterval const left{realOf(a.low), realOf(a.high)};
    RealInterval const right{realOf(b.low), realOf(b.high)};
    if (!isReal(op)) {
        return {nearestInteger(computed(op, left.low, left.low)),
                nearestInteger(computed(op, left.high, left.high))};
    }
    RealInterval result{};
    switch (op) {
    case ExprOp::kRealSub: result = {left.low - right.high, left.high - right.low}; break;
    case ExprOp::kRealProd: result = corners(op, left, right); break;
    case ExprOp::kRealDiv: result = quotient(left, right); break;
    default: // monotone in both operands
        result = {computed(op, left.low, right.low), computed(op, left.high, right.high)};
    }
    return {realBits(std::clamp(result.low, -kMost, kMost)),
            realBits(std::clamp(result.high, -kMost, kMost))};
}

} // namespace kiln::graph
