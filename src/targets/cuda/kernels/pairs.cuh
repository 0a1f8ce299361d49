// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two neighbouring elements from two numbers; one instruction rounds both to half or bfloat16.
#pragma once

#include "prelude.cuh"

template <typename T>
__device__ inline void storePair(T* to, float first, float second) {
    to[0] = fromFloat<T>(first);
    to[1] = fromFloat<T>(second);
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ inline void splitPair(uint32_t pair, uint16_t& first, uint16_t& second) {
    first = static_cast<uint16_t>(pair);
    second = static_cast<uint16_t>(pair >> 16);
}

template <>
__device__ inline void storePair<half_t>(half_t* to, float first, float second) {
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    splitPair(pair, to[0].bits, to[1].bits);
}

template <>
__device__ inline void storePair<bfloat16_t>(bfloat16_t* to, float first, float second) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    splitPair(pair, to[0].bits, to[1].bits);
}
#endif
