// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Moves elements between two orders of axes through shared memory. Axis `a` is the fastest of the
// source, `b` the fastest of the target. Each block moves a tile of both, so that reads and writes
// are coalesced; the other axes number the tiles. If one axis is short, tiles are longer along the
// other; if both are, tiles have a third axis, `c`. With kPack 2 (elements of two bytes, even
// extents and strides) lanes move pairs and transpose 2 by 2 elements in registers, so that no
// access is narrower than 4 bytes. Vectorized formats round the channels up: channels from
// readLimit on are read as zeros, channels from writeLimit on are not written. permutation.h
// computes the numbers.
#pragma once

#include "fast_divide.cuh"

constexpr int kTileThreads = 256;
/// Resident blocks per multiprocessor: 32 registers per thread, or 40 for pairs, which have twice
/// as many loads in flight.
constexpr int kTileBlocks = 8;
constexpr int kPairBlocks = 6;

struct TileAxis {
    FastDivide extent;
    int64_t from;     ///< stride in the source, in elements
    int64_t to;       ///< in the target
    int64_t channels; ///< channels that one step along this axis advances
};

struct Tiles {
    TileAxis a;
    TileAxis b;
    TileAxis c; ///< extent 1 if tiles have two axes
    TileAxis others[kMaxRank]; ///< outermost first
    int32_t otherCount;
    int32_t bitsA; ///< log2 of the tile's extent along a, in packs
    int32_t bitsB;
    int32_t bitsC; ///< in elements
    int32_t pitch; ///< stride of the tile in shared memory
    FastDivide tilesA;
    FastDivide tilesB;
    FastDivide tilesC;
    int64_t readLimit;
    int64_t writeLimit;
};

/// An unsigned integer of kBytes bytes.
template <int kBytes>
struct LaneOf;
template <>
struct LaneOf<1> {
    typedef uint8_t Type;
};
template <>
struct LaneOf<2> {
    typedef uint16_t Type;
};
template <>
struct LaneOf<4> {
    typedef uint32_t Type;
};
template <>
struct LaneOf<8> {
    typedef uint64_t Type;
};

/// Loads a lane of one element, or of two; in one access if both buffers are aligned.
template <typename Lane, bool kAligned, typename T>
__device__ inline Lane loadLane(T const* from) {
    if constexpr (sizeof(Lane) == sizeof(T)) {
        return *from;
    } else if constexpr (kAligned) {
        return *reinterpret_cast<Lane const*>(from);
    } else {
        return static_cast<Lane>(static_cast<Lane>(from[1]) << 16 | from[0]);
    }
}
template <bool kAligned, typename T, typename Lane>
__device__ inline void storeLane(T* to, Lane value) {
    if constexpr (sizeof(Lane) == sizeof(T)) {
        *to = value;
    } else if constexpr (kAligned) {
        *reinterpret_cast<Lane*>(to) = value;
    } else {
        to[0] = static_cast<T>(value);
        to[1] = static_cast<T>(value >> 16);
    }
}

/// Hides the origin of the pointer from the compiler, which would otherwise recompute the parts of
/// each address. That takes more time than the accesses.
template <typename T>
__device__ inline T* settled(T* pointer) {
#ifdef __CUDA_ARCH__
    asm("" : "+l"(pointer));
#endif
    return inGlobalMemory(pointer);
}

/// The position of a tile: its first element and its channel.
struct TilePlace {
    int64_t from;
    int64_t to;
    int64_t channel;
    int32_t a;
    int32_t b;
    int32_t c;
};

__device__ inline TilePlace placeOfTile(Tiles const& tiles, int32_t block) {
    TilePlace place{};
    int32_t rest = tiles.tilesA.quotient(block);
    place.a = block - rest * static_cast<int32_t>(tiles.tilesA.divisor);
    int32_t const row = rest;
    rest = tiles.tilesB.quotient(row);
    place.b = row - rest * static_cast<int32_t>(tiles.tilesB.divisor);
    int32_t const plane = rest;
    rest = tiles.tilesC.quotient(plane);
    place.c = plane - rest * static_cast<int32_t>(tiles.tilesC.divisor);
#pragma unroll 1
    for (int i = tiles.otherCount - 1; i >= 0; --i) {
        TileAxis const& axis = tiles.others[i];
        int32_t const next = axis.extent.quotient(rest);
        int64_t const at = rest - next * static_cast<int32_t>(axis.extent.divisor);
        rest = next;
        place.from += at * axis.from;
        place.to += at * axis.to;
        place.channel += at * axis.channels;
    }
    return place;
}

/// The order in which the threads of a block visit a tile in rows of 2^bits: from slot to slot
/// along the row, then on to other rows. The steps depend only on the slot and are equal for all
/// threads.
struct TileWalk {
    int32_t column; ///< of this thread, in slot 0
    int32_t row;
    int32_t bits;

    __device__ explicit TileWalk(int32_t tileBits) : bits(tileBits) {
        int32_t const thread = static_cast<int32_t>(threadIdx.x);
        column = thread & ((1 << tileBits) - 1);
        row = thread >> tileBits;
    }
    __device__ int32_t columnStep(int32_t slot) const {
        return slot * kTileThreads & ((1 << bits) - 1);
    }
    __device__ int32_t rowStep(int32_t slot) const { return slot * kTileThreads >> bits; }
};

/// Lanes of `kBytes` bytes in flight per thread.
template <int kBytes>
constexpr int kTileSlots = kBytes >= 4 ? 8 : 16;

/// kLimited: check the channel limits. kAligned: both buffers are aligned for pairs. kPlanes: tiles
/// have a third axis, whose index arithmetic costs others a tenth of their time.
template <typename T, int kPack, bool kLimited, bool kAligned, bool kPlanes, typename Lane>
__device__ inline void moveThrough(Lane* tile, T const* from, T* to, Tiles const& tiles) {
    constexpr int kSlots = kTileSlots<sizeof(Lane)>;
    constexpr int32_t kPlane = kSlots * kTileThreads * 3 / 2;
    TilePlace const place = placeOfTile(tiles, static_cast<int32_t>(blockIdx.x));
    // From here on a, b and offsets are relative to the tile's corner, so they fit 32 bits.
    int32_t const firstA = (place.a << tiles.bitsA) * kPack;
    int32_t const firstB = (place.b << tiles.bitsB) * kPack;
    int32_t const restA = static_cast<int32_t>(tiles.a.extent.divisor) - firstA;
    int32_t const restB = static_cast<int32_t>(tiles.b.extent.divisor) - firstB;
    int32_t const firstC = kPlanes ? place.c << tiles.bitsC : 0;
    int32_t const restC = static_cast<int32_t>(tiles.c.extent.divisor) - firstC;
    int32_t const stepB = static_cast<int32_t>(tiles.b.from);
    int32_t const stepA = static_cast<int32_t>(tiles.a.to);
    int64_t const channel = place.channel + firstA * tiles.a.channels +
                            firstB * tiles.b.channels + firstC * tiles.c.channels;
    auto const channelAt = [&](int32_t a, int32_t b, int32_t c) {
        return channel + a * tiles.a.channels + b * tiles.b.channels + c * tiles.c.channels;
    };

    // Rows of the source: columns along a, rows along b and then c; a and b in packs.
    Lane held[kSlots][kPack];
    {
        TileWalk const walk(tiles.bitsA);
        int32_t const a = walk.column * kPack;
        int32_t const maskB = kPlanes ? (1 << tiles.bitsB) - 1 : -1;
        int32_t const stepC = kPlanes ? static_cast<int32_t>(tiles.c.from) : 0;
        int32_t const b = (walk.row & maskB) * kPack;
        int32_t const c = kPlanes ? walk.row >> tiles.bitsB : 0;
        T const* const source =
            settled(from + place.from + firstA + firstB * tiles.b.from + firstC * tiles.c.from +
                    (c * stepC + b * stepB + a));
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            int32_t const moreA = walk.columnStep(slot) * kPack;
            int32_t const moreB = (walk.rowStep(slot) & maskB) * kPack;
            int32_t const moreC = kPlanes ? walk.rowStep(slot) >> tiles.bitsB : 0;
            bool const inside = a < restA - moreA && b < restB - moreB &&
                                (!kPlanes || c < restC - moreC);
#pragma unroll
            for (int j = 0; j < kPack; ++j) {
                held[slot][j] = 0;
                if (inside && (!kLimited || channelAt(a + moreA, b + moreB + j, c + moreC) <
                                                tiles.readLimit)) {
                    held[slot][j] = loadLane<Lane, kAligned>(
                        source + (moreC * stepC + (moreB + j) * stepB + moreA));
                }
            }
        }
        int32_t const at = walk.column * tiles.pitch + walk.row;
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
            Lane* const cell =
                tile + at + (walk.columnStep(slot) * tiles.pitch + walk.rowStep(slot));
            if (kPack == 1) {
                *cell = held[slot][0];
            } else {
                Lane const low = held[slot][0];
                Lane const high = held[slot][kPack - 1];
                cell[0] = static_cast<Lane>((low & 0xffffU) | high << 16);
                cell[(kPack - 1) * kPlane] = static_cast<Lane>(low >> 16 | (high & 0xffff0000U));
            }
        }
    }
    __syncthreads();

    // Rows of the target: columns along b in packs, rows along a in elements and then c, so that
    // short rows fill sectors, too.
    TileWalk const walk(tiles.bitsB);
    int32_t const bitsRow = tiles.bitsA + (kPack - 1);
    int32_t const maskA = kPlanes ? (1 << bitsRow) - 1 : -1;
    int32_t const stepC = kPlanes ? static_cast<int32_t>(tiles.c.to) : 0;
    int32_t const a = walk.row & maskA;
    int32_t const b = walk.column * kPack;
    int32_t const c = kPlanes ? walk.row >> bitsRow : 0;
    T* const target = settled(to + place.to + firstA * tiles.a.to + firstB +
                              firstC * tiles.c.to + (c * stepC + a * stepA + b));
    Lane turned[kSlots * kPack];
#pragma unroll
    for (int slot = 0; slot < kSlots * kPack; ++slot) {
        int32_t const row = a + (walk.rowStep(slot) & maskA);
        int32_t const plane = kPlanes ? c + (walk.rowStep(slot) >> bitsRow) : 0;
        turned[slot] = tile[(row & (kPack - 1)) * kPlane + (row >> (kPack - 1)) * tiles.pitch +
                            (plane << tiles.bitsB) + walk.column + walk.columnStep(slot)];
    }
#pragma unroll
    for (int slot = 0; slot < kSlots * kPack; ++slot) {
        int32_t const moreA = walk.rowStep(slot) & maskA;
        int32_t const moreB = walk.columnStep(slot) * kPack;
        int32_t const moreC = kPlanes ? walk.rowStep(slot) >> bitsRow : 0;
        bool const inside = a < restA - moreA && b < restB - moreB &&
                            (!kPlanes || c < restC - moreC);
        if (inside &&
            (!kLimited || channelAt(a + moreA, b + moreB, c + moreC) < tiles.writeLimit)) {
            storeLane<kAligned>(target + (moreC * stepC + moreA * stepA + moreB), turned[slot]);
        }
    }
}

/// Moves the block's tile. Alignment is checked once: a check at each load would keep loads from
/// being in flight together.
template <typename T, int kPack, bool kLimited>
__device__ inline void moveTile(T const* from, T* to, Tiles const& tiles) {
    typedef typename LaneOf<sizeof(T) * kPack>::Type Lane;
    __shared__ Lane tile[kPack * kTileSlots<sizeof(Lane)> * kTileThreads * 3 / 2];
    bool const aligned = ((reinterpret_cast<uint64_t>(from) | reinterpret_cast<uint64_t>(to)) &
                          (sizeof(Lane) - 1)) == 0;
    bool const inPlanes = tiles.c.extent.divisor > 1;
    if (kPack == 1 || aligned) {
        if (inPlanes) {
            moveThrough<T, kPack, kLimited, true, true>(tile, from, to, tiles);
        } else {
            moveThrough<T, kPack, kLimited, true, false>(tile, from, to, tiles);
        }
    } else {
        moveThrough<T, kPack, kLimited, kPack == 1, true>(tile, from, to, tiles);
    }
}
