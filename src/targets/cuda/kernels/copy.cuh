// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies bytes in words of 16 bytes, four in flight per thread. The remainder, and buffers not
// aligned to 16 bytes, are copied byte by byte.
#include "prelude.cuh"

struct Arguments {
    int64_t bytes;
};

constexpr int kUnroll = 4;

KILN_KERNEL void copy(uint8_t const* from, uint8_t* to, Arguments arguments) {
    typedef Pack<uint32_t, 4> Word;
    if (from == to) {
        return; // an output that the user has put in the memory of an input
    }
    bool const aligned = ((reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to)) &
                          (sizeof(Word) - 1)) == 0;
    int64_t const words = aligned ? arguments.bytes / static_cast<int64_t>(sizeof(Word)) : 0;
    auto const* source = reinterpret_cast<Word const*>(from);
    auto* target = reinterpret_cast<Word*>(to);
    int64_t const step = static_cast<int64_t>(gridDim.x) * blockDim.x * kUnroll;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * kUnroll + threadIdx.x;
         first < words; first += step) {
        Word held[kUnroll];
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            if (int64_t const at = first + i * static_cast<int64_t>(blockDim.x); at < words) {
                held[i] = source[at];
            }
        }
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            if (int64_t const at = first + i * static_cast<int64_t>(blockDim.x); at < words) {
                target[at] = held[i];
            }
        }
    }
    for (int64_t at = words * static_cast<int64_t>(sizeof(Word)) + threadIndex();
         at < arguments.bytes; at += threadCount()) {
        to[at] = from[at];
    }
}
