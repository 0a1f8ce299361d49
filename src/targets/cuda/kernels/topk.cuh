// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// top-k: the best k elements of each lane of [outer, extent, inner], best first, and their indices.
// Short lanes with few results are held in the registers of a warp, which finds the best one k
// times. Otherwise a block selects them (ranking.cuh) and sorts them in shared memory. A few long
// lanes are split into parts, whose best k are written to the workspace and joined by a second
// launch. More than kSharedEntries results are selected (topk_select.cuh) and sorted
// (topk_runs.cuh) by many blocks; lanes that are not much longer are only sorted. One result of
// each lane has kernels of its own (topk_one.cuh).
// Macros: those of ranking.cuh; INDEX, the type of the indices; KILN_COUNT, the parameter for k, if
// that is an operand.
#include "topk_one.cuh"
#include "topk_select.cuh"

constexpr int kSharedEntries = 2048;

template <int kHeld>
__device__ inline void warpLanes(T const* from, T* values, INDEX* indices,
                                 Arguments const& arguments) {
    int const own = static_cast<int>(threadIdx.x) % 32;
    int64_t const warps = static_cast<int64_t>(blockDim.x) / 32;
    for (int64_t number = blockIdx.x * warps + threadIdx.x / 32; number < arguments.lanes;
         number += gridDim.x * warps) {
        Lane const lane = laneOf(from, number, 0, arguments);
        Entry held[kHeld];
#pragma unroll
        for (int i = 0; i < kHeld; ++i) {
            int64_t const index = i * 32 + own;
            held[i] = index < arguments.extent ? lane.at(index) : Entry{};
        }
        Entry result{};
        for (int round = 0; round < static_cast<int>(arguments.k); ++round) {
            Entry best = held[0];
#pragma unroll
            for (int i = 1; i < kHeld; ++i) {
                best = best < held[i] ? held[i] : best;
            }
#pragma unroll
            for (int lanes = 16; lanes > 0; lanes /= 2) {
                Entry const other = shuffled(best, lanes);
                best = best < other ? other : best;
            }
#pragma unroll
            for (int i = 0; i < kHeld; ++i) {
                held[i] = isSame(held[i], best) ? Entry{} : held[i];
            }
            result = own == round ? best : result;
        }
        if (own < static_cast<int>(arguments.k)) {
            writeResult(lane, number, own, result, values, indices, arguments);
        }
    }
}

#define KILN_WARP_LANES(HELD)                                                                      \
    KILN_KERNEL void __launch_bounds__(256)                                                        \
        warp_##HELD(T const* from, KILN_COUNT T* values, INDEX* indices, void*,                    \
                    Arguments arguments) {                                                         \
        warpLanes<HELD>(from, values, indices, arguments);                                         \
    }

KILN_WARP_LANES(1)
KILN_WARP_LANES(2)
KILN_WARP_LANES(4)
KILN_WARP_LANES(8)
KILN_WARP_LANES(16)
KILN_WARP_LANES(32)

KILN_KERNEL void __launch_bounds__(kRankThreads)
    block_lanes(T const* from, KILN_COUNT T* values, INDEX* indices, void*, Arguments arguments) {
    __shared__ Ranking shared;
    __shared__ Entry list[kSharedEntries];
    for (int64_t number = blockIdx.x; number < arguments.lanes; number += gridDim.x) {
        Lane const lane = laneOf(from, number, 0, arguments);
        collectBest(lane, arguments.extent, arguments.k, list, shared);
        sortBest(list, arguments.k, arguments.padded);
        for (int64_t i = threadIdx.x; i < arguments.k; i += kRankThreads) {
            writeResult(lane, number, i, list[i], values, indices, arguments);
        }
        __syncthreads(); // the next lane writes to the list
    }
}

/// Writes the best k entries of each part to the workspace, [lane, part, k].
KILN_KERNEL void __launch_bounds__(kRankThreads)
    block_parts(T const* from, KILN_COUNT T*, INDEX*, void* work, Arguments arguments) {
    __shared__ Ranking shared;
    int64_t const number = blockIdx.x / arguments.parts;
    int64_t const part = blockIdx.x - number * arguments.parts;
    int64_t const first = part * arguments.extent / arguments.parts;
    int64_t const end = (part + 1) * arguments.extent / arguments.parts;
    collectBest(laneOf(from, number, first, arguments), end - first, arguments.k,
                static_cast<Entry*>(work) + blockIdx.x * arguments.k, shared);
}

struct Entries {
    Entry const* from;
    __device__ Entry at(int64_t i) const { return from[i]; }
};

KILN_KERNEL void __launch_bounds__(kRankThreads)
    join_parts(T const* from, KILN_COUNT T* values, INDEX* indices, void* work,
               Arguments arguments) {
    __shared__ Ranking shared;
    __shared__ Entry list[kSharedEntries];
    int64_t const count = arguments.parts * arguments.k;
    Entries const entries{static_cast<Entry const*>(work) + blockIdx.x * count};
    collectBest(entries, count, arguments.k, list, shared);
    sortBest(list, arguments.k, arguments.padded);
    Lane const lane = laneOf(from, blockIdx.x, 0, arguments);
    for (int64_t i = threadIdx.x; i < arguments.k; i += kRankThreads) {
        writeResult(lane, blockIdx.x, i, list[i], values, indices, arguments);
    }
}
