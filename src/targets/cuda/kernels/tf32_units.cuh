// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of float by the matrix units, which take numbers of 11 digits (TF32): a number is the
// sum of two such, up to 2^-21 of it, so three products are nearly as exact as one of float. Where
// a factor is infinite, the product is NaN.
// Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while
// surpassing the FP32 theoretical peak performance", 2022.
//
// With g = lane / 4 and t = lane % 4, a lane holds of 16x8 by 8x8
//   left, words 0 to 3: rows g, g + 8, g, g + 8; columns t, t, t + 4, t + 4;
//   right, words 0 and 1: rows t and t + 4, column g;
//   sums as in matrix_units.cuh.
//
// KILN_ROUNDED: 1 if numbers are rounded to short ones instead.
#pragma once

#include "matrix_units.cuh"

constexpr bool kRounded = KILN_ROUNDED != 0;

/// A number as the sum of two, or rounded.
struct TwoParts {
    uint32_t high;
    uint32_t low;

    __device__ TwoParts() = default;
    __device__ explicit TwoParts(float x) {
        if constexpr (kRounded) {
            high = __float_as_uint(x) + 0x1000U;
            low = 0;
        } else {
            high = __float_as_uint(x) & 0xffffe000U;
            low = __float_as_uint(x - __uint_as_float(high));
        }
    }
};

/// sums += left * right, of numbers whose last 13 bits are not looked at.
__device__ KILN_BY_UNITS void multiplyAddShort(float (&sums)[4], uint32_t const (&left)[4],
                                               uint32_t right0, uint32_t right1) {
#ifdef KILN_MATRIX_UNITS
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
#else
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const g = lane / 4;
    int const t = lane % 4;
    auto const shortened = [](uint32_t word) { return __uint_as_float(word & 0xffffe000U); };
    for (int from = 0; from < 4; ++from) { // the lanes of a row, and of a column
        for (int part = 0; part < 2; ++part) { // terms t and t + 4
            float rows[2];
            for (int half = 0; half < 2; ++half) {
                rows[half] = shortened(__shfl_sync(kAllLanes, left[2 * part + half], 4 * g + from));
            }
            for (int column = 0; column < 2; ++column) {
                float const other = shortened(__shfl_sync(kAllLanes, part == 0 ? right0 : right1,
                                                          4 * (2 * t + column) + from));
                sums[column] += rows[0] * other;
                sums[2 + column] += rows[1] * other;
            }
        }
    }
#endif
}

/// The left operand of products of float.
struct LeftParts {
    uint32_t high[4];
    uint32_t low[4];

    __device__ LeftParts(float a, float b, float c, float d) {
        float const all[4] = {a, b, c, d};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            TwoParts const parts(all[i]);
            high[i] = parts.high;
            low[i] = parts.low;
        }
    }
};

/// sums += left * right. The units cut off digits of their sums, so the large products and the
/// small ones have sums of their own; few should be added before the sums go elsewhere.
__device__ inline void multiplyAdd(float (&large)[4], float (&small)[4], LeftParts const& left,
                                   float right0, float right1) {
    TwoParts const first(right0);
    TwoParts const second(right1);
    if constexpr (!kRounded) {
        multiplyAddShort(small, left.low, first.high, second.high);
        multiplyAddShort(small, left.high, first.low, second.low);
    }
    multiplyAddShort(large, left.high, first.high, second.high);
}
