// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Transposes elements of two bytes in registers. A thread has a block of 8 by 8 elements: it loads
// rows of 16 bytes along axis `a`, the fastest of the source, and stores rows of 16 bytes along
// axis `b`, the fastest of the target. The lanes of a warp share a tile of 2^bitsA by 2^bitsB
// blocks. That takes a tenth of the instructions of moveTile(), but extents and strides must be
// multiples of 8.
#pragma once

#include "tiles.cuh"
#include "wide_stores.cuh"

constexpr int kBlockSide = 8;
constexpr int kBlockThreads = 128;

typedef Pack<uint32_t, kBlockSide / 2> BlockRow;

/// The tile of a warp; `count` of them.
__device__ inline void moveBlocks(uint16_t const* from, uint16_t* to, Tiles const& tiles,
                                  int64_t count) {
    int32_t const thread = static_cast<int32_t>(threadIdx.x);
    int32_t const lane = thread % 32;
    int64_t const tile = static_cast<int64_t>(blockIdx.x) * (kBlockThreads / 32) + thread / 32;
    if (tile >= count) {
        return;
    }
    TilePlace const place = placeOfTile(tiles, static_cast<int32_t>(tile));
    int64_t const a =
        static_cast<int64_t>((place.a << tiles.bitsA) + (lane & ((1 << tiles.bitsA) - 1))) *
        kBlockSide;
    int64_t const b =
        static_cast<int64_t>((place.b << tiles.bitsB) + (lane >> tiles.bitsA)) * kBlockSide;
    if (a >= tiles.a.extent.divisor || b >= tiles.b.extent.divisor) {
        return;
    }
    int64_t const stepB = tiles.b.from;
    int64_t const stepA = tiles.a.to;
    uint16_t const* source = inGlobalMemory(from + (place.from + a + b * stepB));
    uint16_t* target = inGlobalMemory(to + (place.to + b + a * stepA));
    if (((reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to)) & 15U) != 0) {
#pragma unroll 1
        for (int i = 0; i < kBlockSide * kBlockSide; ++i) {
            target[i / kBlockSide * stepA + i % kBlockSide] =
                source[i % kBlockSide * stepB + i / kBlockSide];
        }
        return;
    }
    BlockRow rows[kBlockSide];
#pragma unroll
    for (int i = 0; i < kBlockSide; ++i, source += stepB) {
        rows[i] = *reinterpret_cast<BlockRow const*>(source);
    }
#pragma unroll
    for (int i = 0; i < kBlockSide; ++i, target += stepA) {
        BlockRow turned;
#pragma unroll
        for (int k = 0; k < kBlockSide / 2; ++k) {
            uint32_t const low = rows[2 * k].at[i / 2];
            uint32_t const high = rows[2 * k + 1].at[i / 2];
            turned.at[k] =
                i % 2 == 0 ? (low & 0xffffU) | high << 16 : low >> 16 | (high & 0xffff0000U);
        }
        storeAtOnce(reinterpret_cast<uint32_t*>(target), turned);
    }
}
