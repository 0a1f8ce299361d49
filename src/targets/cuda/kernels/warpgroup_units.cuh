// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products of a warpgroup (four warps) on GPUs of compute capability 9.0 (PTX wgmma): 64
// rows by 64, 128 or 256 columns over 16 terms, half and bfloat16 with sums in float. The right
// operand lies in shared memory, the left one there or in registers. The products run while the
// warps do other work, until waitForProducts(). The emulation multiplies at once.
//
// Shared memory holds operands in panels: rows of 128 bytes, 8 of which are a kilobyte, with word w
// (16 bytes) of row r at place w ^ (r % 8). A panel begins at a multiple of 1024 bytes.
//
// Warp w has rows 16 w to 16 w + 15. With g = lane / 4 and t = lane % 4, a lane has sums[i] of rows
// g, g, g + 8, g + 8 and columns 8 i + 2t, 2t + 1, 2t, 2t + 1, as in matrix_units.cuh.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#pragma once

#include "matrix_units.cuh"

#if defined(__CUDA_ARCH__) && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define KILN_WARPGROUP_UNITS 1
#endif

constexpr int kPanelWidth = 64;      ///< elements of a row
constexpr int kPanelRowBytes = 128;  ///< of a row
constexpr int kWarpgroup = 128;      ///< threads
constexpr int kWarpgroupRows = 64;

/// Place, in elements, of the 16-byte word `word` of row `row` of a panel.
__device__ inline int placeInPanel(int row, int word) {
    return row * kPanelWidth + (word ^ (row % 8)) * 8;
}

#ifdef KILN_WARPGROUP_UNITS

/// An operand in shared memory.
struct PanelOperand {
    uint64_t bits;
    __device__ PanelOperand after(int bytes) const { return {bits + (bytes >> 4)}; }
};

/// With `panelBytes`, the distance to the panel of the next 64 columns, the terms run down the rows
/// of the panel; without, along them.
__device__ inline PanelOperand panelOperand(void const* address, int panelBytes = 0) {
    constexpr uint64_t kSwizzle128 = 1ULL << 62;
    constexpr uint64_t kEightRows = 8 * kPanelRowBytes >> 4;
    uint64_t const next = panelBytes >> 4; // not used where the terms run along the rows
    return {kSwizzle128 | kEightRows << 32 | next << 16 | (sharedAddress(address) & 0x3ffffU) >> 4};
}

#define KILN_SUMS_4(i) "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
#define KILN_SUMS_16(i) KILN_SUMS_4(i), KILN_SUMS_4(i + 1), KILN_SUMS_4(i + 2), KILN_SUMS_4(i + 3)
#define KILN_SUMS_64 KILN_SUMS_16(0), KILN_SUMS_16(4)
#define KILN_SUMS_128 KILN_SUMS_64, KILN_SUMS_16(8), KILN_SUMS_16(12)
#define KILN_LIST_64                                                                               \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"   \
    "%25,%26,%27,%28,%29,%30,%31"
#define KILN_LIST_128                                                                              \
    KILN_LIST_64 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,"   \
                 "%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define KILN_SUMS_256 KILN_SUMS_128, KILN_SUMS_16(16), KILN_SUMS_16(20), KILN_SUMS_16(24), \
                      KILN_SUMS_16(28)
#define KILN_LIST_256                                                                              \
    KILN_LIST_128 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,"  \
                  "%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101," \
                  "%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,"    \
                  "%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

// Both operands in shared memory: the numbers of the asm operands follow those of the sums. With
// `down` 1, the terms of the right one run down its rows.
#define KILN_SHARED(n, type, more, a, b, down)                                                     \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %" more ", 0;\n"                                  \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type                   \
                 " {" KILN_LIST_##n "}, %" a ", %" b ", p, 1, 1, 0, " down "; }"                   \
                 : KILN_SUMS_##n                                                                   \
                 : "l"(left.bits), "l"(right.bits), "r"(add ? 1 : 0))
// The left operand in registers, the terms of the right one down its rows.
#define KILN_REGISTERS(n, type, a, b, c, d, e)                                                     \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"                                          \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16.f32." type "." type                   \
                 " {" KILN_LIST_##n "}, {%" a ", %" b ", %" c ", %" d "}, %" e ", p, 1, 1, 1; }"   \
                 : KILN_SUMS_##n                                                                   \
                 : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right.bits))

/// Begins sums = left * right, or with `add` sums += left * right; terms along the rows of both.
template <typename T, int kTiles>
__device__ inline void beginProduct(float (&sums)[kTiles][4], PanelOperand left, PanelOperand right,
                                    bool add) {
    static_assert(kTiles == 8 || kTiles == 16, "64 or 128 columns");
    if constexpr (kTiles == 16 && IsHalf<T>::kValue) {
        KILN_SHARED(128, "f16", "66", "64", "65", "0");
    } else if constexpr (kTiles == 16) {
        KILN_SHARED(128, "bf16", "66", "64", "65", "0");
    } else if constexpr (IsHalf<T>::kValue) {
        KILN_SHARED(64, "f16", "34", "32", "33", "0");
    } else {
        KILN_SHARED(64, "bf16", "34", "32", "33", "0");
    }
}

/// The same for 256 columns; with kDown, the terms of the right operand run down its rows.
template <typename T, bool kDown>
__device__ inline void beginProduct(float (&sums)[32][4], PanelOperand left, PanelOperand right,
                                    bool add) {
    if constexpr (kDown && IsHalf<T>::kValue) {
        KILN_SHARED(256, "f16", "130", "128", "129", "1");
    } else if constexpr (kDown) {
        KILN_SHARED(256, "bf16", "130", "128", "129", "1");
    } else if constexpr (IsHalf<T>::kValue) {
        KILN_SHARED(256, "f16", "130", "128", "129", "0");
    } else {
        KILN_SHARED(256, "bf16", "130", "128", "129", "0");
    }
}

/// Begins sums += left * right. The left operand is that of matrix_units.cuh, and must not change
/// before waitForProducts(); the terms of the right one run down its rows.
template <typename T, int kTiles>
__device__ inline void beginProduct(float (&sums)[kTiles][4], uint32_t const (&left)[4],
                                    PanelOperand right) {
    static_assert(kTiles == 8 || kTiles == 16 || kTiles == 32, "64, 128 or 256 columns");
    if constexpr (kTiles == 32 && IsHalf<T>::kValue) {
        KILN_REGISTERS(256, "f16", "128", "129", "130", "131", "132");
    } else if constexpr (kTiles == 32) {
        KILN_REGISTERS(256, "bf16", "128", "129", "130", "131", "132");
    } else if constexpr (kTiles == 16 && IsHalf<T>::kValue) {
        KILN_REGISTERS(128, "f16", "64", "65", "66", "67", "68");
    } else if constexpr (kTiles == 16) {
        KILN_REGISTERS(128, "bf16", "64", "65", "66", "67", "68");
    } else if constexpr (IsHalf<T>::kValue) {
        KILN_REGISTERS(64, "f16", "32", "33", "34", "35", "36");
    } else {
        KILN_REGISTERS(64, "bf16", "32", "33", "34", "35", "36");
    }
}

/// Keeps the compiler from moving uses of `sums` over this place.
template <int kTiles>
__device__ inline void holdInPlace(float (&sums)[kTiles][4]) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
        asm volatile("" : KILN_SUMS_4(i)::"memory");
    }
}

/// Goes before products that use registers which other instructions wrote.
template <int kTiles>
__device__ inline void beforeProducts(float (&sums)[kTiles][4]) {
    holdInPlace(sums);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// The same where only products wrote them.
__device__ inline void beforeMoreProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Makes one group of the products that began since the last one.
__device__ inline void endProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most kLeft groups of products are under way; `sums` are of one that is done.
template <int kLeft, int kTiles>
__device__ inline void waitForProducts(float (&sums)[kTiles][4]) {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kLeft) : "memory");
    holdInPlace(sums);
}

/// The same while later products add to the same sums, which must not be touched.
template <int kLeft>
__device__ inline void waitForOlderProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(kLeft) : "memory");
}

/// What this thread wrote to shared memory is seen by products that begin after a barrier.
__device__ inline void writtenForProducts() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

#else // one after the other, by the same rules

struct PanelOperand {
    unsigned char const* address;
    int panelBytes;
    __device__ PanelOperand after(int bytes) const { return {address + bytes, panelBytes}; }

    /// The element at this place of the operand, behind the permutation of words.
    template <typename T>
    __device__ float at(int offset) const {
        uint64_t const place = reinterpret_cast<uint64_t>(address) + offset;
        T const* const element = reinterpret_cast<T const*>(place ^ (place >> 7 & 7U) << 4);
        return toFloat(*element);
    }
    /// Term `term` of row (or column) `line` if terms run along the rows of the panel.
    template <typename T>
    __device__ float along(int line, int term) const {
        return at<T>(line * kPanelRowBytes + term * 2);
    }
    /// Term `term` of column `column` if they run down.
    template <typename T>
    __device__ float down(int column, int term) const {
        return at<T>(column / kPanelWidth * panelBytes + term * kPanelRowBytes +
                     column % kPanelWidth * 2);
    }
};

__device__ inline PanelOperand panelOperand(void const* address, int panelBytes = 0) {
    return {static_cast<unsigned char const*>(address), panelBytes};
}

template <typename T, int kTiles>
__device__ __noinline__ void beginProduct(float (&sums)[kTiles][4], PanelOperand left,
                                          PanelOperand right, bool add) {
    int const thread = static_cast<int>(threadIdx.x) % kWarpgroup;
    for (int i = 0; i < kTiles * 4; ++i) {
        int const row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
        int const column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        float sum = add ? sums[i / 4][i % 4] : 0.0F;
        for (int term = 0; term < 16; ++term) {
            sum += left.along<T>(row, term) * right.along<T>(column, term);
        }
        sums[i / 4][i % 4] = sum;
    }
}

template <typename T, bool kDown>
__device__ __noinline__ void beginProduct(float (&sums)[32][4], PanelOperand left,
                                          PanelOperand right, bool add) {
    int const thread = static_cast<int>(threadIdx.x) % kWarpgroup;
    for (int i = 0; i < 128; ++i) {
        int const row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
        int const column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        float sum = add ? sums[i / 4][i % 4] : 0.0F;
        for (int term = 0; term < 16; ++term) {
            float const other = kDown ? right.down<T>(column, term) : right.along<T>(column, term);
            sum += left.along<T>(row, term) * other;
        }
        sums[i / 4][i % 4] = sum;
    }
}

template <typename T, int kTiles>
__device__ __noinline__ void beginProduct(float (&sums)[kTiles][4], uint32_t const (&left)[4],
                                          PanelOperand right) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    float rows[2][16]; // rows g and g + 8
    for (int from = 0; from < 4; ++from) {
        for (int word = 0; word < 4; ++word) {
            uint32_t const pair = __shfl_sync(kAllLanes, left[word], lane / 4 * 4 + from);
            float* const to = rows[word % 2] + from * 2 + word / 2 * 8;
            to[0] = lowOf<T>(pair);
            to[1] = highOf<T>(pair);
        }
    }
    for (int i = 0; i < kTiles * 4; ++i) {
        int const column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        for (int term = 0; term < 16; ++term) {
            sums[i / 4][i % 4] += rows[i / 2 % 2][term] * right.down<T>(column, term);
        }
    }
}

template <int kTiles>
__device__ inline void beforeProducts(float (&)[kTiles][4]) {}
__device__ inline void beforeMoreProducts() {}
__device__ inline void endProducts() {}
template <int kLeft, int kTiles>
__device__ inline void waitForProducts(float (&)[kTiles][4]) {}
template <int kLeft>
__device__ inline void waitForOlderProducts() {}
__device__ inline void writtenForProducts() {}

#endif
