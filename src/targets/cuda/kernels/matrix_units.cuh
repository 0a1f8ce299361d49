// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Small matrix products by the matrix units of a GPU, and what feeds them: 16x16 by 16x8 for half
// and bfloat16 with sums in float (PTX mma.m16n8k16), 8x8 tiles from shared memory (ldmatrix), and
// asynchronous copies to shared memory (cp.async). All threads of a warp call them together. GPUs
// before compute capability 8.0, and the emulation, exchange the operands by shuffles.
//
// With g = lane / 4 and t = lane % 4, a lane holds
//   left (row-major), words 0 to 3: rows g, g + 8, g, g + 8; columns 2t, 2t, 2t + 8, 2t + 8;
//   right, words 0 and 1: rows 2t and 2t + 8 (and the next), column g;
//   sums 0 to 3: rows g, g, g + 8, g + 8; columns 2t, 2t + 1, 2t, 2t + 1.
#pragma once

#include "threads.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KILN_MATRIX_UNITS 1
#define KILN_BY_UNITS inline
#else
#define KILN_BY_UNITS __noinline__ // else it takes the compiler many seconds
#endif

template <typename T>
struct IsHalf {
    static constexpr bool kValue = false;
};
template <>
struct IsHalf<half_t> {
    static constexpr bool kValue = true;
};

#ifdef __CUDA_ARCH__
__device__ inline uint32_t sharedAddress(void const* address) {
    uint64_t result;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(result) : "l"(address));
    return static_cast<uint32_t>(result);
}
#endif

template <typename T>
__device__ inline float lowOf(uint32_t word) {
    T element;
    element.bits = static_cast<uint16_t>(word);
    return toFloat(element);
}
template <typename T>
__device__ inline float highOf(uint32_t word) {
    T element;
    element.bits = static_cast<uint16_t>(word >> 16);
    return toFloat(element);
}

/// Two elements in one word.
template <typename T>
__device__ inline uint32_t pairOf(float low, float high) {
    return static_cast<uint32_t>(fromFloat<T>(high).bits) << 16 | fromFloat<T>(low).bits;
}

#ifdef KILN_MATRIX_UNITS
template <>
__device__ inline uint32_t pairOf<half_t>(float low, float high) {
    uint32_t result;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
    return result;
}
template <>
__device__ inline uint32_t pairOf<bfloat16_t>(float low, float high) {
    uint32_t result;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
    return result;
}
#endif

/// sums += left * right
template <typename T>
__device__ KILN_BY_UNITS void multiplyAdd(float (&sums)[4], uint32_t const (&left)[4],
                                          uint32_t right0, uint32_t right1) {
#ifdef KILN_MATRIX_UNITS
    if constexpr (IsHalf<T>::kValue) {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
            "{%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
    } else {
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
            "%7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
    }
#else
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const g = lane / 4;
    int const t = lane % 4;
    for (int from = 0; from < 4; ++from) { // the lanes of a row, and of a column
        uint64_t rows[2];                      // columns 2t and 2t + 8 of rows g and g + 8
        for (int half = 0; half < 2; ++half) {
            uint64_t const own = static_cast<uint64_t>(left[half + 2]) << 32 | left[half];
            rows[half] = __shfl_sync(kAllLanes, own, 4 * g + from);
        }
        for (int column = 0; column < 2; ++column) {
            uint64_t const own = static_cast<uint64_t>(right1) << 32 | right0;
            uint64_t const words = __shfl_sync(kAllLanes, own, 4 * (2 * t + column) + from);
            for (int half = 0; half < 2; ++half) {
                for (int shift = 0; shift < 64; shift += 32) {
                    uint32_t const a = static_cast<uint32_t>(rows[half] >> shift);
                    uint32_t const b = static_cast<uint32_t>(words >> shift);
                    sums[2 * half + column] += lowOf<T>(a) * lowOf<T>(b) +
                                               highOf<T>(a) * highOf<T>(b);
                }
            }
        }
    }
#endif
}

/// Four 8x8 tiles of 16-bit elements: lane 8 i + r gives the address of row r of tile i, which is
/// aligned to 16 bytes. Word i: row g, columns 2t and 2t + 1 of tile i.
template <typename T>
__device__ inline void loadTiles(uint32_t (&words)[4], T const* row) {
#ifdef KILN_MATRIX_UNITS
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(sharedAddress(row))
                 : "memory");
#else
    int const lane = static_cast<int>(threadIdx.x) % 32;
    for (int tile = 0; tile < 4; ++tile) {
        uint64_t const from =
            __shfl_sync(kAllLanes, reinterpret_cast<uint64_t>(row), 8 * tile + lane / 4);
        words[tile] = reinterpret_cast<uint32_t const*>(from)[lane % 4];
    }
#endif
}

/// The same with transposed tiles. Word i: rows 2t and 2t + 1, column g of tile i.
template <typename T>
__device__ inline void loadTransposedTiles(uint32_t (&words)[4], T const* row) {
#ifdef KILN_MATRIX_UNITS
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(sharedAddress(row))
                 : "memory");
#else
    int const lane = static_cast<int>(threadIdx.x) % 32;
    for (int tile = 0; tile < 4; ++tile) {
        words[tile] = 0;
        for (int i = 0; i < 2; ++i) {
            uint64_t const from = __shfl_sync(kAllLanes, reinterpret_cast<uint64_t>(row),
                                              8 * tile + 2 * (lane % 4) + i);
            uint32_t const bits = reinterpret_cast<T const*>(from)[lane / 4].bits;
            words[tile] |= bits << 16 * i;
        }
    }
#endif
}

/// The reverse of loadTiles().
template <typename T>
__device__ inline void storeTiles(uint32_t const (&words)[4], T* row) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};"
                 :
                 : "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3]),
                   "r"(sharedAddress(row))
                 : "memory");
#else
    int const lane = static_cast<int>(threadIdx.x) % 32;
    for (int tile = 0; tile < 4; ++tile) {
        uint64_t const to =
            __shfl_sync(kAllLanes, reinterpret_cast<uint64_t>(row), 8 * tile + lane / 4);
        reinterpret_cast<uint32_t*>(to)[lane % 4] = words[tile];
    }
#endif
}

/// Begins a copy of 16 bytes to shared memory; zeros if there is nothing to copy. Both addresses
/// are aligned to 16 bytes.
__device__ inline void beginCopy(void* to, void const* from, bool exists) {
#ifdef KILN_MATRIX_UNITS
    int const bytes = exists ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(sharedAddress(to)), "l"(from), "r"(bytes)
                 : "memory");
#elif defined(KILN_EMULATED_SHARED)
    kilnBeginCopy(to, from, exists);
#else
    Pack<uint32_t, 4> words{};
    if (exists) {
        words = *static_cast<Pack<uint32_t, 4> const*>(from);
    }
    *static_cast<Pack<uint32_t, 4>*>(to) = words;
#endif
}

/// Makes one group of the copies that began since the last one.
__device__ inline void endGroup() {
#ifdef KILN_MATRIX_UNITS
    asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(KILN_EMULATED_SHARED)
    kilnEndGroup();
#endif
}

/// Waits until at most kLeft groups of this thread are under way.
template <int kLeft>
__device__ inline void waitForGroups() {
#ifdef KILN_MATRIX_UNITS
    asm volatile("cp.async.wait_group %0;" : : "n"(kLeft) : "memory");
#elif defined(KILN_EMULATED_SHARED)
    kilnWaitForGroups(kLeft);
#endif
}
