// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Values of float32 tensors that extents are computed from, such as the scales of a resize. They
// are real numbers in expressions. Elements of network inputs are leaves, and these are integers:
// how many times 2^-40 the element is. So a float32 of 2^-16 to 2^22 is exact.
#pragma once

#include <algorithm>
#include <cmath>

#include "graph/op.h"

namespace kiln::graph {

constexpr int64_t kMostRealValues = 16; ///< of a tensor: the scales or the crop of eight axes
constexpr int kRealInputBits = 40;

/// The leaf for an element of a float32 input.
inline int64_t fixedFromReal(double number) noexcept {
    constexpr double kMost = 4611686018427387904.0; // 2 to the power of 62
    return std::isnan(number) ? 0
                              : static_cast<int64_t>(
                                    std::clamp(std::ldexp(number, kRealInputBits), -kMost, kMost));
}
inline double realFromFixed(int64_t leaf) noexcept {
    return std::ldexp(static_cast<double>(leaf), -kRealInputBits);
}

/// The real number of a leaf.
inline ExprRef realOfLeaf(ExprPool& pool, ExprRef leaf) {
    return pool.binary(ExprOp::kRealProd, leaf, pool.real(realFromFixed(1)));
}

/// The integer of a real number, rounded towards zero.
ExprRef truncated(ExprPool& pool, ExprRef x);

/// x / y of real numbers, or 0 if y is 0: evaluate() computes all nodes, even from placeholders of
/// unknown values, so y = 0 must not fail.
ExprRef realQuotient(ExprPool& pool, ExprRef x, ExprRef y);

/// Whether the host can give the elements of a tensor: real numbers only decide extents.
inline bool hasHostValues(TensorFacts const& facts) {
    return facts.values.has_value() && facts.type != DataType::kFLOAT;
}

} // namespace kiln::graph
