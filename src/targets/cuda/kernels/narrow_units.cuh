// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Small matrix products of elements of one byte by the matrix units of a GPU: 16x32 by 32x8 (PTX
// mma.m16n8k32), int8 and uint8 with sums in int32, E4M3 with sums in float. All threads of a warp
// call them together. GPUs whose units do not have the types, and the emulation, exchange the
// operands by shuffles.
//
// With g = lane / 4 and t = lane % 4, a lane holds
//   left (row-major), words 0 to 3: rows g, g + 8, g, g + 8; columns 4t, 4t, 4t + 16, 4t + 16;
//   right, words 0 and 1: rows 4t and 4t + 16 (and the next three), column g;
//   sums as in matrix_units.cuh.
#pragma once

#include "matrix_units.cuh"
#include "narrow_numbers.cuh"

template <typename T>
struct Narrow;
template <>
struct Narrow<int8_t> {
    typedef int32_t Sum;
    static constexpr int kKind = 0;
    static __device__ int32_t number(uint64_t bits) { return static_cast<int8_t>(bits & 255U); }
};
template <>
struct Narrow<uint8_t> {
    typedef int32_t Sum;
    static constexpr int kKind = 1;
    static __device__ int32_t number(uint64_t bits) { return static_cast<int32_t>(bits & 255U); }
};
template <>
struct Narrow<fp8_t> {
    typedef float Sum;
    static constexpr int kKind = 2;
    static __device__ float number(uint64_t bits) {
        return toFloat(fp8_t{static_cast<uint8_t>(bits)});
    }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KILN_BYTE_UNITS 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define KILN_FP8_UNITS 1
#endif

#define KILN_BYTE_PRODUCT(left_type, right_type)                                                   \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." left_type "." right_type                          \
        ".s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                     \
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])                               \
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1))

/// The same by shuffles.
template <typename Left, typename Right, typename Total>
__device__ __noinline__ void multiplyAddBytesByShuffles(Total (&sums)[4], uint32_t const (&left)[4],
                                                        uint32_t right0, uint32_t right1) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const g = lane / 4;
    int const t = lane % 4;
    for (int from = 0; from < 4; ++from) { // the lanes of a row, and of a column
        uint64_t rows[2];
        for (int half = 0; half < 2; ++half) {
            uint64_t const own = static_cast<uint64_t>(left[half + 2]) << 32 | left[half];
            rows[half] = __shfl_sync(kAllLanes, own, 4 * g + from);
        }
        for (int column = 0; column < 2; ++column) {
            uint64_t const own = static_cast<uint64_t>(right1) << 32 | right0;
            uint64_t const words = __shfl_sync(kAllLanes, own, 4 * (2 * t + column) + from);
            for (int half = 0; half < 2; ++half) {
                for (int shift = 0; shift < 64; shift += 8) {
                    sums[2 * half + column] += Narrow<Left>::number(rows[half] >> shift) *
                                               Narrow<Right>::number(words >> shift);
                }
            }
        }
    }
}

/// sums += left * right
template <typename Left, typename Right, typename Total>
__device__ inline void multiplyAddBytes(Total (&sums)[4], uint32_t const (&left)[4],
                                        uint32_t right0, uint32_t right1) {
    constexpr int kLeft = Narrow<Left>::kKind;
    constexpr int kRight = Narrow<Right>::kKind;
    if constexpr (kLeft == 2) {
#ifdef KILN_FP8_UNITS
        asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
            "%7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
#else
        multiplyAddBytesByShuffles<Left, Right>(sums, left, right0, right1);
#endif
    } else {
#ifdef KILN_BYTE_UNITS
        if constexpr (kLeft == 0 && kRight == 0) {
            KILN_BYTE_PRODUCT("s8", "s8");
        } else if constexpr (kLeft == 0) {
            KILN_BYTE_PRODUCT("s8", "u8");
        } else if constexpr (kRight == 0) {
            KILN_BYTE_PRODUCT("u8", "s8");
        } else {
            KILN_BYTE_PRODUCT("u8", "u8");
        }
#else
        multiplyAddBytesByShuffles<Left, Right>(sums, left, right0, right1);
#endif
    }
}
