// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
};

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

/// Whether the operands of an operation may be swapped.
constexpr bool commutes(ExprOp op) noexcept {
    return op == ExprOp::kSum || op == ExprOp::kProd || op == ExprOp::kMax || op == ExprOp::kMin ||
           op == ExprOp::kEqual;
}

} // namespace kiln::graph
