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

/// A window over the rows of a padded plane, and the results of a block of its positions. Distances
/// in elements.
struct PlaneWindow {
    int64_t height = 1; ///< taps
    int64_t width = 1;
    int64_t rowSpacing = 1; ///< from tap to tap
    int64_t columnSpacing = 1;
    int64_t rowStride = 1; ///< from result to result
    int64_t columnStride = 1;
    int64_t rows = 0; ///< results
    int64_t columns = 0;
    int64_t toRow = 0; ///< between the rows of results
};
/// to[row * toRow + i] = the elements of a window, combined with `start`; a filter multiplies each
/// by its weight. Reads whole vectors: there must be room for kSlideRoom elements behind those of
/// x.
using WindowFunction = void (*)(PlaneWindow const& window, float const* x, float const* weights,
                                float start, float* to) noexcept;

/// Where the words of a gather come from, in words: index k of result i is at i * step + k *
/// stride.
struct GatherRow {
    uint32_t const* from = nullptr;
    int64_t step = 0;
    int64_t stride = 1;
    int64_t extent = 0; ///< indices from -extent to extent - 1 are inside
};

/// How numbers become whole ones: clamp(round(x / scale) + zero).
struct WholeScale {
    float scale = 1.0F;
    float zero = 0.0F;
    float least = 0.0F; ///< limits of the results, whole numbers
    float most = 0.0F;
};

/// Elements that are no floating-point numbers.
enum class WholeType : uint8_t { kInt8, kUint8, kInt32, kInt64, kBool };
constexpr int32_t kWholeTypes = 5;

/// Mean of a row, and the mean square of the distances from it.
struct RowMoments {
    double mean = 0.0;
    double variance = 0.0;
};

} // namespace kiln::targets::cpu
