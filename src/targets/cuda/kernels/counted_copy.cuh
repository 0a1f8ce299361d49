// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies the first `count` entries of a tensor. The kernel reads the count, so the host need not
// know it, and clamps it to [0, most]. Words of 16 bytes if both buffers are aligned to that, four
// in flight per thread; the rest byte by byte.
#include "prelude.cuh"

struct Arguments {
    int64_t entryBytes;
    int64_t most;
    int32_t wide;
    int32_t unused;
};

constexpr int kUnroll = 4;

KILN_KERNEL void counted_copy(uint8_t const* from, void const* size, uint8_t* to,
                              Arguments arguments) {
    typedef Pack<uint32_t, 4> Word;
    int64_t count = arguments.wide != 0 ? *static_cast<int64_t const*>(size)
                                        : *static_cast<int32_t const*>(size);
    count = count < 0 ? 0 : count > arguments.most ? arguments.most : count;
    int64_t const bytes = count * arguments.entryBytes;
    bool const aligned = ((reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to)) &
                          (sizeof(Word) - 1)) == 0;
    int64_t const words = aligned ? bytes / static_cast<int64_t>(sizeof(Word)) : 0;
    auto const* source = reinterpret_cast<Word const*>(from);
    auto* target = reinterpret_cast<Word*>(to);
    int64_t const step = threadCount();
    for (int64_t first = threadIndex(); first < words; first += step * kUnroll) {
        Word held[kUnroll];
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            if (int64_t const at = first + i * step; at < words) {
                held[i] = source[at];
            }
        }
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            if (int64_t const at = first + i * step; at < words) {
                target[at] = held[i];
            }
        }
    }
    for (int64_t at = words * static_cast<int64_t>(sizeof(Word)) + threadIndex(); at < bytes;
         at += threadCount()) {
        to[at] = from[at];
    }
}
