// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers and types of the functions on arrays of floats that Isa provides.
#pragma once

#include <cstdint>

namespace kiln::targets::cpu {

/// to[i] = f(x[i]) with parameters a and b. Bools are 0 and 1. The activations begin at 0 and the
/// unary operations at kExp, both in the order of their enums.
enum class MapFunction : uint8_t {
    kRelu,
    kSigmoid,
    kTanh,
    kLeakyRelu,
    kElu,
    kSelu,
    kSoftsign,
    kSoftplus,
    kClip,
    kHardSigmoid,
    kScaledTanh,
    kThresholdedRelu,
    kGeluErf,
    kGeluTanh,
    kExp,
    kLog,
    kSqrt,
    kRecip,
    kAbs,
    kNeg,
    kSin,
    kCos,
    kTan,
    kSinh,
    kCosh,
    kAsin,
    kAcos,
    kAtan,
    kAsinh,
    kAcosh,
    kAtanh,
    kCeil,
    kFloor,
    kErf,
    kNot,
    kSign,
    kRound,
    kIsInf,
    kIsNan,
    kLinear, ///< a * x + b
    kTruth,  ///< x != 0
    // Powers with a constant exponent.
    kSquare,
    kCube,
    kRootOfPower, ///< x^0.5, which differs from a square root at -0 and -infinity
    kInverseRoot,
    kPower, ///< x^a
};
constexpr int32_t kMapFunctions = 46;

/// to[i] = f(x[i], y[i]), in the order of ElementWiseOperation.
enum class CombineFunction : uint8_t {
    kSum,
    kProduct,
    kMaximum,
    kMinimum,
    kDifference,
    kQuotient,
    kPower,
    kFloorQuotient,
    kAnd,
    kOr,
    kXor,
    kEqual,
    kGreater,
    kLess,
};
constexpr int32_t kCombineFunctions = 14;

/// Which operands of a combination are arrays; the others are one number.
enum class CombineForm : uint8_t { kArrays, kScalarRight, kScalarLeft };

/// Combines all elements of an array. Sums and products are accumulated in double.
enum class FoldFunction : uint8_t { kSum, kProduct, kMaximum, kMinimum };
constexpr int32_t kFoldFunctions = 4;

using Map = void (*)(float const* x, float* to, int64_t count, float a, float b) noexcept;
using Combine = void (*)(float const* x, float const* y, float* to, int64_t count) noexcept;
/// Of no elements: the neutral element.
using Fold = double (*)(float const* x, int64_t count) noexcept;
/// totals[i] = f(totals[i], x[i])
using Accumulate = void (*)(double* totals, float const* x, int64_t count) noexcept;
/// to[i] = x[i * stride + k * spacing], combined for all k < taps. With a stride above 1, reads and
/// writes whole vectors: there must be room for kSlideRoom more elements behind those of x and to.
using Slide = void (*)(float const* x, int64_t taps, int64_t spacing, int64_t stride, float* to,
                       int64_t count) noexcept;
constexpr int64_t kSlideRoom = 64;

/// Elements that are no floating-point numbers.
enum class WholeType : uint8_t { kInt8, kUint8, kInt32, kInt64, kBool };
constexpr int32_t kWholeTypes = 5;

/// Mean of a row, and the mean square of the distances from it.
struct RowMoments {
    double mean = 0.0;
    double variance = 0.0;
};

} // namespace kiln::targets::cpu
