// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// nonzero: indices of the nonzero elements, [rank, n] in row-major order of the elements, and n.
// Three launches: each block counts the elements of a chunk; one block turns the counts, in the
// workspace, into the place of each chunk's first index, and writes n; each block writes the
// indices of its chunk. A thread takes kShare adjacent elements. Macros: KILN_UNIT, an unsigned
// integer as wide as an element; KILN_INDEX, the type of the indices.
#include "block_sums.cuh"

typedef KILN_UNIT Unit;
typedef KILN_INDEX Index;

constexpr int kThreads = 256;
constexpr int kShare = 16;

struct Arguments {
    uint64_t bits; ///< of an element that is not zero, one of these is 1
    int64_t count;
    int64_t chunks;
    int32_t rank;
    int32_t unused;
    int64_t extents[kMaxRank];
};

__device__ inline bool isSet(Unit const* from, int64_t i, Arguments const& arguments) {
    return i < arguments.count && (from[i] & static_cast<Unit>(arguments.bits)) != 0;
}

__device__ inline int64_t firstOfThread() {
    return (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kShare;
}

__device__ inline int64_t countOfThread(Unit const* from, Arguments const& arguments) {
    int64_t found = 0;
    for (int i = 0; i < kShare; ++i) {
        found += isSet(from, firstOfThread() + i, arguments) ? 1 : 0;
    }
    return found;
}

KILN_KERNEL void count_chunks(Unit const* from, Index*, int64_t*, void* work,
                              Arguments arguments) {
    int64_t total = 0;
    sumBelow<kThreads>(countOfThread(from, arguments), total);
    if (threadIdx.x == 0) {
        static_cast<int64_t*>(work)[blockIdx.x] = total;
    }
}

KILN_KERNEL void place_chunks(Unit const*, Index*, int64_t* size, void* work,
                              Arguments arguments) {
    auto* const counts = static_cast<int64_t*>(work);
    int64_t before = 0;
    for (int64_t first = 0; first < arguments.chunks; first += kThreads) {
        int64_t const chunk = first + threadIdx.x;
        int64_t const own = chunk < arguments.chunks ? counts[chunk] : 0;
        int64_t total = 0;
        int64_t const place = before + sumBelow<kThreads>(own, total);
        if (chunk < arguments.chunks) {
            counts[chunk] = place;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        *size = before;
    }
}

KILN_KERNEL void write_indices(Unit const* from, Index* to, int64_t* size, void* work,
                               Arguments arguments) {
    int64_t total = 0;
    int64_t const below = sumBelow<kThreads>(countOfThread(from, arguments), total);
    int64_t at = static_cast<int64_t const*>(work)[blockIdx.x] + below;
    int64_t const stride = *size;
    for (int i = 0; i < kShare; ++i) {
        int64_t rest = firstOfThread() + i;
        if (!isSet(from, rest, arguments)) {
            continue;
        }
        for (int axis = arguments.rank - 1; axis >= 0; --axis) {
            int64_t const above = rest / arguments.extents[axis];
            to[axis * stride + at] = static_cast<Index>(rest - above * arguments.extents[axis]);
            rest = above;
        }
        ++at;
    }
}
