// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// x ^ y = 2 ^ (y * log2(x)). For positive normal x this takes half of the instructions of powf(),
// which computes the other cases. For kShort see functions.cuh.
#pragma once

#include "functions.cuh"

/// For positive normal x and finite y, to 1e-6. The logarithm is the sum of two floats, because a
/// relative error in y * log2(x) is up to 128 times as large in the result.
__device__ inline float normalPower(float x, float y) {
    constexpr float kHigh = 2.88539004F; // 2 / log(2)
    constexpr float kLow = 3.85259806e-8F;
    // x = m * 2^e with m from sqrt(1/2) to sqrt(2); log2(m) = 2 / log(2) * atanh(s).
    uint32_t const bits = __float_as_uint(x);
    int32_t const exponent = static_cast<int32_t>(bits - 0x3f3504f3U) >> 23;
    float const m = __uint_as_float(bits - (static_cast<uint32_t>(exponent) << 23));
    float const e = static_cast<float>(exponent);
    float const above = m - 1.0F;
    float const below = m + 1.0F;
    float const rest = m - (below - 1.0F); // the rounding error of `below`
    float const inverse = reciprocal(below);
    float const s = above * inverse;
    float const residual = fmaf(-s, rest, fmaf(-s, below, above)) * inverse; // error of s
    float const square = s * s;
    float p = fmaf(square, 0.320598898F, 0.412198583F); // 2 / log(2) / 9, / 7
    p = fmaf(square, p, 0.577078016F);                  // / 5
    p = fmaf(square, p, 0.961796694F);                  // / 3
    float const first = kHigh * s;
    float const others = s * square * p;
    float const high = first + others;
    float low = fmaf(kHigh, s, -first) + (others - (high - first));
    low = fmaf(kHigh, residual, low);
    low = fmaf(kLow, s, low);
    float const sum = e + high;
    low += high - (sum - e);
    float const product = y * sum;
    float const error = fmaf(y, low, fmaf(y, sum, -product));
    float const result = powerOfTwo(product);
    // 2 ^ error = 1 + log(2) * error; infinity * 0 would be NaN.
    return result > 3.402823466e38F ? result : fmaf(result, kLogOfTwo * error, result);
}

/// x ^ y like powf() for zeros, infinities, NaN and negative x; `positive` is |x| ^ y otherwise.
__device__ inline float signedPower(float x, float y, float positive) {
    float const size = fabsf(x) == 1.0F && y == y ? 1.0F : positive;
    bool const whole = floorf(y) == y;
    bool const odd = floorf(0.5F * y) != 0.5F * y;
    bool const negative = (__float_as_uint(x) >> 31 != 0) && whole && odd;
    bool const real = !(x < 0.0F) || whole || fabsf(x) > 3.402823466e38F;
    float const result = real ? (negative ? -size : size) : __uint_as_float(0x7fc00000U);
    return x == 1.0F || y == 0.0F ? 1.0F : result; // even if the other is NaN
}

/// Not inlined: long code that few elements need.
__device__ __noinline__ float otherPower(float x, float y) {
    return powf(x, y);
}

/// x ^ y. Squares are the most common powers.
template <bool kShort>
__device__ inline float power(float x, float y) {
    if (y == 2.0F) {
        return x * x;
    }
    bool const normal = __float_as_uint(x) - 0x00800000U < 0x7f000000U && fabsf(y) < 1e30F;
    if constexpr (kShort) {
        float const positive = powerOfTwo(y * (logarithm<true>(fabsf(x)) * kOneOverLogOfTwo));
        return normal ? positive : signedPower(x, y, positive);
    } else {
        return normal ? normalPower(x, y) : otherPower(x, y);
    }
}
