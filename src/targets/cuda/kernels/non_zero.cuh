// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// nonzero: indices of the nonzero elements, [rank, n] in row-major order of the elements, and n.
// Three launches: each block counts the elements of a chunk and writes one bit for each element to
// the workspace; one block turns the counts, also there, into the place of each chunk's first
// index, and writes n; each block writes the indices of its chunk: a thread expands 32 bits to a
// list in shared memory, from which neighbouring threads write neighbouring indices. Macros:
// KILN_UNIT, an unsigned integer as wide as an element; KILN_INDEX, the type of the indices.
#include "block_sums.cuh"

typedef KILN_UNIT Unit;
typedef KILN_INDEX Index;

constexpr int kThreads = 256;
constexpr int kPlaceThreads = 1024;
constexpr int kEight = 8;                   ///< elements whose bits are one byte
constexpr int kChunk = kThreads * 4 * kEight; ///< elements
constexpr int kPackUnits = sizeof(Unit) > 2 ? 16 / sizeof(Unit) : kEight;

struct Arguments {
    uint64_t bits; ///< of an element that is not zero, one of these is 1
    int64_t count;
    int64_t chunks;
    int32_t rank;
    int32_t unused;
    int64_t extents[kMaxRank];
};

/// The workspace: the counts, or places, of all chunks, and a byte for every eight elements.
struct Work {
    int64_t* places;
    uint8_t* bits;

    __device__ Work(void* work, int64_t chunks)
        : places(static_cast<int64_t*>(work)), bits(reinterpret_cast<uint8_t*>(places + chunks)) {}
};

/// The bits of eight elements, the first one lowest; zeros past the end.
__device__ inline unsigned bitsOf(Unit const* from, int64_t first, bool aligned,
                                  Arguments const& arguments) {
    auto const significant = static_cast<Unit>(arguments.bits);
    unsigned bits = 0;
    if (aligned && first + kEight <= arguments.count) {
#pragma unroll
        for (int pack = 0; pack < kEight / kPackUnits; ++pack) {
            auto const held =
                reinterpret_cast<Pack<Unit, kPackUnits> const*>(from + first)[pack];
#pragma unroll
            for (int i = 0; i < kPackUnits; ++i) {
                bool const isSet = (held.at[i] & significant) != 0;
                bits |= (isSet ? 1U : 0U) << (pack * kPackUnits + i);
            }
        }
        return bits;
    }
    for (int i = 0; i < kEight && first + i < arguments.count; ++i) {
        bits |= ((from[first + i] & significant) != 0 ? 1U : 0U) << i;
    }
    return bits;
}

KILN_KERNEL void __launch_bounds__(kThreads)
    count_chunks(Unit const* from, Index*, int64_t*, void* work,
                 KILN_IN_PLACE Arguments arguments) {
    Work const to(work, arguments.chunks);
    bool const aligned = isAligned16(from);
    int64_t found = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int64_t const byte = (blockIdx.x * int64_t{4} + i) * kThreads + threadIdx.x;
        unsigned const bits = bitsOf(from, byte * kEight, aligned, arguments);
        to.bits[byte] = static_cast<uint8_t>(bits);
        found += __popc(bits);
    }
    int64_t total = 0;
    sumBelow<kThreads>(found, total);
    if (threadIdx.x == 0) {
        to.places[blockIdx.x] = total;
    }
}

KILN_KERNEL void __launch_bounds__(kPlaceThreads)
    place_chunks(Unit const*, Index*, int64_t* size, void* work,
                 KILN_IN_PLACE Arguments arguments) {
    constexpr int kShare = 8;
    int64_t* const places = Work(work, arguments.chunks).places;
    int64_t before = 0;
    for (int64_t tile = 0; tile < arguments.chunks; tile += kPlaceThreads * kShare) {
        int64_t const first = tile + threadIdx.x * kShare;
        int64_t counts[kShare];
        int64_t own = 0;
#pragma unroll
        for (int i = 0; i < kShare; ++i) {
            counts[i] = first + i < arguments.chunks ? places[first + i] : 0;
            own += counts[i];
        }
        int64_t total = 0;
        int64_t place = before + sumBelow<kPlaceThreads>(own, total);
#pragma unroll
        for (int i = 0; i < kShare; ++i) {
            if (first + i < arguments.chunks) {
                places[first + i] = place;
            }
            place += counts[i];
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        *size = before;
    }
}

KILN_KERNEL void __launch_bounds__(kThreads)
    write_indices(Unit const*, Index* to, int64_t* size, void* work,
                 KILN_IN_PLACE Arguments arguments) {
    __shared__ uint16_t list[kChunk];
    Work const from(work, arguments.chunks);
    int64_t const start = static_cast<int64_t>(blockIdx.x) * kChunk;
    uint32_t rest =
        reinterpret_cast<uint32_t const*>(from.bits)[blockIdx.x * int64_t{kThreads} + threadIdx.x];
    int64_t total = 0;
    auto at = static_cast<int>(sumBelow<kThreads>(__popc(rest), total));
    while (rest != 0) {
        list[at++] = static_cast<uint16_t>(32 * threadIdx.x + __ffs(static_cast<int>(rest)) - 1);
        rest &= rest - 1;
    }
    __syncthreads();
    int64_t const place = from.places[blockIdx.x];
    int64_t const stride = *size;
    for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(total); i += kThreads) {
        int64_t left = start + list[i];
        for (int axis = arguments.rank - 1; axis > 0; --axis) {
            int64_t const above = quotient(left, arguments.extents[axis]);
            to[axis * stride + place + i] =
                static_cast<Index>(left - above * arguments.extents[axis]);
            left = above;
        }
        if (arguments.rank > 0) {
            to[place + i] = static_cast<Index>(left);
        }
    }
}
