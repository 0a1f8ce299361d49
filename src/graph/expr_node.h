// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace kiln::graph {

/// Index of a node in an ExprPool or in the expression table of a plan, which is a serialized pool.
using ExprRef = int32_t;

/// Node kinds of symbolic extents. Values are part of the plan format: append only.
enum class ExprOp : uint8_t {
    kConstant = 0,    ///< value
    kInputExtent = 1, ///< extent b of network input a
    kShapeValue = 2,  ///< element b of the host values of network input a
    kSizeTensor = 3,  ///< run-time value of size tensor a; nodes b: bound, `value`: optimum
    kReal = 4,        ///< the real number whose bits (IEEE binary64) are in value; finite
    kSum = 16,
    kProd = 17,
    kMax = 18,
    kMin = 19,
    kSub = 20,
    kEqual = 21,
    kLess = 22,
    kFloorDiv = 23,
    kCeilDiv = 24,
    kTruncDiv = 25, ///< rounds towards zero, as in C++
    // Of real numbers.
    kRealSum = 32,
    kRealProd = 33,
    kRealMax = 34,
    kRealMin = 35,
    kRealSub = 36,
    kRealDiv = 37,
    kSingle = 38, ///< unary: rounded to the nearest float32
    // Conversions, unary. Only the last three make an integer of a real number.
    kToReal = 48,
    kFloor = 49,
    kCeil = 50,
    kRound = 51, ///< to the nearest integer; halves to the even one
};

/// A unary operation names its operand twice, so every operation (kSum and above) has two operands.
struct ExprNode {
    ExprOp op = ExprOp::kConstant;
    int32_t a = 0;
    int32_t b = 0;
    int64_t value = 0; ///< constant: its value; size tensor: node of the optimum
};

/// Whether the node computes an integer from the integers of nodes a and b.
constexpr bool isIntegerOperation(ExprOp op) noexcept {
    return op >= ExprOp::kSum && op <= ExprOp::kTruncDiv;
}

/// Whether the node computes a real number from the real numbers of nodes a and b.
constexpr bool isRealOperation(ExprOp op) noexcept {
    return op >= ExprOp::kRealSum && op <= ExprOp::kRealDiv;
}

constexpr bool isUnary(ExprOp op) noexcept {
    return op == ExprOp::kSingle || (op >= ExprOp::kToReal && op <= ExprOp::kRound);
}

/// Whether the value of a node is a real number. Tables hold its bits, as for ExprOp::kReal.
constexpr bool isReal(ExprOp op) noexcept {
    return op == ExprOp::kReal || op == ExprOp::kSingle || op == ExprOp::kToReal ||
           isRealOperation(op);
}

/// Whether the operands of an operation are real numbers.
constexpr bool takesReals(ExprOp op) noexcept {
    return isRealOperation(op) || (isUnary(op) && op != ExprOp::kToReal);
}

constexpr double realOf(int64_t bits) noexcept {
    return std::bit_cast<double>(bits);
}
constexpr int64_t realBits(double number) noexcept {
    return std::bit_cast<int64_t>(number);
}

/// Whether the operands of an operation may be swapped.
constexpr bool commutes(ExprOp op) noexcept {
    return op == ExprOp::kSum || op == ExprOp::kProd || op == ExprOp::kMax || op == ExprOp::kMin ||
           op == ExprOp::kEqual || (op >= ExprOp::kRealSum && op <= ExprOp::kRealMin);
}

} // namespace kiln::graph
