// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// top-1: the best element of each lane, the first of equal ones. `best_warp`, `best_block`: the
// threads of a warp or block share a row and read packs of 16 bytes. `best_columns`: a thread for
// each lane; neighbours read neighbouring lanes. Macros: topk.cuh.
#pragma once

#include "topk_lanes.cuh"

#if KILN_LONG
typedef int64_t RowIndex;
#else
typedef int32_t RowIndex;
#endif

struct Best {
    decltype(keyOf(T{}, T{})) key;
    RowIndex index; ///< -1: none yet

    /// Elements come in rising order.
    __device__ void add(T bits, T flip, RowIndex place) {
        auto const own = keyOf(bits, flip);
        bool const better = own > key || index < 0;
        key = better ? own : key;
        index = better ? place : index;
    }
    __device__ Entry entry() const { return index < 0 ? Entry{} : entryOf(key, index); }
};

/// The best element that thread number `thread` sees of a row.
__device__ inline Best bestOfRow(T const* row, RowIndex extent, T flip, int thread, int threads) {
    constexpr int kVector = 16 / sizeof(T);
    constexpr int kAhead = 4; ///< packs in flight
    auto const lead = static_cast<RowIndex>((16 - (reinterpret_cast<uint64_t>(row) & 15U) & 15U) /
                                         sizeof(T));
    RowIndex const head = lead < extent ? lead : extent;
    RowIndex const packs = (extent - head) / kVector;
    Best best = {0, -1};
    if (thread < head) {
        best.add(row[thread], flip, thread);
    }
    for (RowIndex first = thread; first < packs; first += threads * kAhead) {
        Pack<T, kVector> held[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            if (first + i * threads < packs) {
                auto const* const all = reinterpret_cast<Pack<T, kVector> const*>(row + head);
                held[i] = all[first + i * threads];
            }
        }
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            if (first + i * threads < packs) {
#pragma unroll
                for (int k = 0; k < kVector; ++k) {
                    best.add(held[i].at[k], flip, head + (first + i * threads) * kVector + k);
                }
            }
        }
    }
    RowIndex const last = head + packs * kVector + thread;
    if (last < extent) {
        best.add(row[last], flip, last);
    }
    return best;
}

__device__ inline Entry bestInWarp(Entry best) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        Entry const other = shuffled(best, lanes);
        best = best < other ? other : best;
    }
    return best;
}

KILN_KERNEL void __launch_bounds__(256)
    best_warp(T const* from, KILN_COUNT T* values, INDEX* indices, void*, Arguments arguments) {
    int const own = static_cast<int>(threadIdx.x) % 32;
    int64_t const warps = static_cast<int64_t>(blockDim.x) / 32;
    for (int64_t number = blockIdx.x * warps + threadIdx.x / 32; number < arguments.lanes;
         number += gridDim.x * warps) {
        Lane const lane = laneOf(from, number, 0, arguments);
        auto const extent = static_cast<RowIndex>(arguments.extent);
        Entry const best = bestInWarp(bestOfRow(lane.from, extent, lane.flip, own, 32).entry());
        if (own == 0) {
            writeResult(lane, number, 0, best, values, indices, arguments);
        }
    }
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    best_block(T const* from, KILN_COUNT T* values, INDEX* indices, void*, Arguments arguments) {
    __shared__ Entry shared[kRankThreads / 32];
    int const own = static_cast<int>(threadIdx.x);
    for (int64_t number = blockIdx.x; number < arguments.lanes; number += gridDim.x) {
        Lane const lane = laneOf(from, number, 0, arguments);
        Entry best = bestInWarp(bestOfRow(lane.from, static_cast<RowIndex>(arguments.extent),
                                          lane.flip, own, kRankThreads)
                                    .entry());
        if (own % 32 == 0) {
            shared[own / 32] = best;
        }
        __syncthreads();
        if (own < 32) {
            best = bestInWarp(own < kRankThreads / 32 ? shared[own] : Entry{});
            if (own == 0) {
                writeResult(lane, number, 0, best, values, indices, arguments);
            }
        }
        __syncthreads(); // the next lane writes to the entries
    }
}

KILN_KERNEL void __launch_bounds__(256)
    best_columns(T const* from, KILN_COUNT T* values, INDEX* indices, void*, Arguments arguments) {
    constexpr int kAhead = 8;
    for (int64_t number = threadIndex(); number < arguments.lanes; number += threadCount()) {
        Lane const lane = laneOf(from, number, 0, arguments);
        auto const extent = static_cast<RowIndex>(arguments.extent);
        Best best = {0, -1};
        for (RowIndex first = 0; first < extent; first += kAhead) {
            T held[kAhead];
#pragma unroll
            for (int i = 0; i < kAhead; ++i) { // past the end, the last one again
                held[i] = lane.value(first + i < extent ? first + i : extent - 1);
            }
#pragma unroll
            for (int i = 0; i < kAhead; ++i) {
                best.add(held[i], lane.flip, first + i < extent ? first + i : extent - 1);
            }
        }
        writeResult(lane, number, 0, best.entry(), values, indices, arguments);
    }
}
