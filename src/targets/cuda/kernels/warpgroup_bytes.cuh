// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Products of a warpgroup of elements of one byte, as those of warpgroup_units.cuh: 64 rows by 64,
// 128 or 256 columns over 32 terms, int8 and uint8 with sums in int32, on GPUs of compute
// capability 9.0. Both operands lie in panels in shared memory, whose rows have 128 terms. Lanes
// have sums as there.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "narrow_units.cuh"
#include "warpgroup_units.cuh"

#ifdef KILN_WARPGROUP_UNITS

#define KILN_WHOLE_4(i) "+r"(sums[i][0]), "+r"(sums[i][1]), "+r"(sums[i][2]), "+r"(sums[i][3])
#define KILN_WHOLE_16(i)                                                                           \
    KILN_WHOLE_4(i), KILN_WHOLE_4(i + 1), KILN_WHOLE_4(i + 2), KILN_WHOLE_4(i + 3)
#define KILN_WHOLE_64 KILN_WHOLE_16(0), KILN_WHOLE_16(4)
#define KILN_WHOLE_128 KILN_WHOLE_64, KILN_WHOLE_16(8), KILN_WHOLE_16(12)
#define KILN_WHOLE_256                                                                             \
    KILN_WHOLE_128, KILN_WHOLE_16(16), KILN_WHOLE_16(20), KILN_WHOLE_16(24), KILN_WHOLE_16(28)

#define KILN_BYTES(n, a_type, b_type, more, a, b)                                                  \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" more ", 0;\n"                                  \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k32.s32." a_type "." b_type               \
                 " {" KILN_LIST_##n "}, %" a ", %" b ", p; }"                                      \
                 : KILN_WHOLE_##n                                                                  \
                 : "l"(left.bits), "l"(right.bits), "r"(add ? 1 : 0))
#define KILN_BYTES_OF(n, more, a, b)                                                               \
    if constexpr (kLeft == 0 && kRight == 0) {                                                     \
        KILN_BYTES(n, "s8", "s8", more, a, b);                                                     \
    } else if constexpr (kLeft == 0) {                                                             \
        KILN_BYTES(n, "s8", "u8", more, a, b);                                                     \
    } else if constexpr (kRight == 0) {                                                            \
        KILN_BYTES(n, "u8", "s8", more, a, b);                                                     \
    } else {                                                                                       \
        KILN_BYTES(n, "u8", "u8", more, a, b);                                                     \
    }                                                                                              \
    static_assert(true)

/// Begins sums = left * right, or with `add` sums += left * right.
template <typename Left, typename Right, int kTiles>
__device__ inline void beginByteProduct(int32_t (&sums)[kTiles][4], PanelOperand left,
                                        PanelOperand right, bool add) {
    static_assert(kTiles == 8 || kTiles == 16 || kTiles == 32, "64, 128 or 256 columns");
    constexpr int kLeft = Narrow<Left>::kKind;
    constexpr int kRight = Narrow<Right>::kKind;
    if constexpr (kTiles == 32) {
        KILN_BYTES_OF(256, "130", "128", "129");
    } else if constexpr (kTiles == 16) {
        KILN_BYTES_OF(128, "66", "64", "65");
    } else {
        KILN_BYTES_OF(64, "34", "32", "33");
    }
}

/// Keeps the compiler from moving uses of `sums` over this place.
template <int kTiles>
__device__ inline void holdInPlace(int32_t (&sums)[kTiles][4]) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
        asm volatile("" : KILN_WHOLE_4(i)::"memory");
    }
}

#else

template <typename Left, typename Right, int kTiles>
__device__ __noinline__ void beginByteProduct(int32_t (&sums)[kTiles][4], PanelOperand left,
                                              PanelOperand right, bool add) {
    int const thread = static_cast<int>(threadIdx.x) % kWarpgroup;
    auto const at = [](PanelOperand operand, int offset) {
        uint64_t const place = reinterpret_cast<uint64_t>(operand.address) + offset;
        return *reinterpret_cast<uint8_t const*>(place ^ (place >> 7 & 7U) << 4);
    };
    for (int i = 0; i < kTiles * 4; ++i) {
        int const row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
        int const column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        int32_t sum = add ? sums[i / 4][i % 4] : 0;
        for (int term = 0; term < 32; ++term) {
            sum += Narrow<Left>::number(at(left, row * kPanelRowBytes + term)) *
                   Narrow<Right>::number(at(right, column * kPanelRowBytes + term));
        }
        sums[i / 4][i % 4] = sum;
    }
}

template <int kTiles>
__device__ inline void holdInPlace(int32_t (&)[kTiles][4]) {}

#endif
