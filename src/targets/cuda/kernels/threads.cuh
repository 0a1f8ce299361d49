// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Shared by kernels whose threads cooperate.
#pragma once

#include "prelude.cuh"

/// Shared memory whose size the launch gives, `bytes` at most, at a multiple of 1024 bytes.
#ifdef __CUDA_ARCH__
#define KILN_DYNAMIC_SHARED(name, bytes)                                                           \
    static_assert((bytes) <= 227 * 1024, "more than a multiprocessor has");                        \
    extern __shared__ __align__(1024) unsigned char name[]
#elif defined(KILN_EMULATED_SHARED)
#define KILN_DYNAMIC_SHARED(name, bytes) KILN_EMULATED_SHARED(name)
#else
#define KILN_DYNAMIC_SHARED(name, bytes) __shared__ __align__(1024) unsigned char name[bytes]
#endif

constexpr unsigned kAllLanes = 0xffffffffU;

__device__ inline float infinity() {
    return __uint_as_float(0x7f800000U);
}

/// The larger of two; the first if the second is NaN.
__device__ inline float larger(float a, float b) {
    return b > a ? b : a;
}

__device__ inline bool isAligned16(void const* address) {
    return (reinterpret_cast<uint64_t>(address) & 15U) == 0;
}

__device__ inline bool isAligned4(void const* address) {
    return (reinterpret_cast<uint64_t>(address) & 3U) == 0;
}

/// Division of nonnegative numbers; 64-bit division is many times slower than 32-bit division.
__device__ inline int64_t quotient(int64_t number, int64_t divisor) {
    if (((number | divisor) >> 32) == 0) {
        return static_cast<uint32_t>(number) / static_cast<uint32_t>(divisor);
    }
    return number / divisor;
}
