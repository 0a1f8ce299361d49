// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The first launch of kernels that write over a copy of their data.
#pragma once

#include "threads.cuh"

typedef Pack<uint32_t, 4> Word;
constexpr int kHeldWords = 4; ///< of a thread, on their way

/// Copies elements by all threads of the launch, in words of 16 bytes if both buffers are aligned.
/// Does nothing if they are one buffer.
template <typename T>
__device__ inline void copyElements(T const* from, T* to, int64_t count) {
    if (from == to) {
        return;
    }
    constexpr int64_t kPerWord = 16 / sizeof(T);
    bool const aligned = isAligned16(from) && isAligned16(to);
    int64_t const words = aligned ? count / kPerWord : 0;
    int64_t const perBlock = static_cast<int64_t>(blockDim.x) * kHeldWords;
    for (int64_t first = blockIdx.x * perBlock + threadIdx.x; first < words;
         first += gridDim.x * perBlock) {
        Word held[kHeldWords];
#pragma unroll
        for (int i = 0; i < kHeldWords; ++i) {
            if (int64_t const at = first + i * blockDim.x; at < words) {
                held[i] = reinterpret_cast<Word const*>(from)[at];
            }
        }
#pragma unroll
        for (int i = 0; i < kHeldWords; ++i) {
            if (int64_t const at = first + i * blockDim.x; at < words) {
                reinterpret_cast<Word*>(to)[at] = held[i];
            }
        }
    }
    for (int64_t i = words * kPerWord + threadIndex(); i < count; i += threadCount()) {
        to[i] = from[i];
    }
}
