// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts lists of entries that are longer than shared memory, [lane, count], the best first, as far
// as the k-th: sort_runs sorts runs of kRun, and each launch of merge_runs makes one run of two.
// The last one writes the results. A block of merge_runs writes kRun entries of a merged run; it
// finds where they begin in both halves by a binary search (Green, McColl and Bader, "GPU merge
// path", 2012). The lists lie in the workspace twice, and passes alternate between them. Behind
// them is the number of the pass, since all launches have the same arguments.
#pragma once

#include "topk_lanes.cuh"

constexpr int kRun = 2048;
constexpr int kMergeThreads = 256;
constexpr int kShare = kRun / kMergeThreads; ///< entries that a thread merges

struct Passes {
    int32_t pass;
    uint32_t done; ///< blocks of this pass that have ended
};

struct Lists {
    Entry* even; ///< what even passes read and odd ones write
    Entry* odd;
    Passes* passes;
};

__device__ inline Lists listsIn(void* work, Arguments const& arguments) {
    int64_t const size = arguments.lanes * arguments.count;
    auto* const first = static_cast<Entry*>(work);
    return {first, first + size, reinterpret_cast<Passes*>(first + 2 * size)};
}

__device__ inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/// The runs of a block: the place of its entries in the list of its lane.
struct Place {
    int64_t lane;
    int64_t first;

    __device__ explicit Place(Arguments const& arguments) {
        int64_t const runs = (arguments.count + kRun - 1) / kRun;
        lane = quotient(static_cast<int64_t>(blockIdx.x), runs);
        first = (blockIdx.x - lane * runs) * kRun;
    }
};

KILN_KERNEL void __launch_bounds__(kRankThreads)
    sort_runs(T const* from, KILN_COUNT T*, INDEX*, void* work, Arguments arguments) {
    __shared__ Entry list[kRun];
    Lists const lists = listsIn(work, arguments);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *lists.passes = {};
    }
    Place const place(arguments);
    int64_t const size = smaller(kRun, arguments.count - place.first);
    Lane const lane = laneOf(from, place.lane, 0, arguments);
    Entry* const to = lists.even + place.lane * arguments.count + place.first;
    for (int64_t i = threadIdx.x; i < size; i += kRankThreads) {
        list[i] = arguments.direct != 0 ? lane.at(place.first + i) : to[i];
    }
    sortBest(list, size, kRun);
    for (int64_t i = threadIdx.x; i < size; i += kRankThreads) {
        to[i] = list[i];
    }
}

/// Two sorted lists.
struct Pair {
    Entry const* one;
    Entry const* other;
    int64_t oneSize;
    int64_t otherSize;

    /// How many of the best `count` entries of both are those of the first list.
    __device__ int64_t split(int64_t count) const {
        int64_t low = count < otherSize ? 0 : count - otherSize;
        int64_t high = smaller(count, oneSize);
        while (low < high) {
            int64_t const middle = (low + high) / 2;
            if (other[count - 1 - middle] < one[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Sets the best entries of both from number `begin` on, as many as there are before `end`.
    __device__ void merge(int64_t begin, int64_t end, Entry (&to)[kShare]) const {
        int64_t i = split(begin);
        int64_t k = begin - i;
#pragma unroll
        for (int at = 0; at < kShare; ++at) {
            if (begin + at < end) {
                bool const first = k >= otherSize || (i < oneSize && other[k] < one[i]);
                to[at] = first ? one[i] : other[k];
                i += first ? 1 : 0;
                k += first ? 0 : 1;
            }
        }
    }
};

/// The entries [begin, end) of the two runs of a pair, merged, in shared memory.
__device__ inline void mergeShare(Pair const& pair, int64_t begin, int64_t end, Entry* held,
                                  int64_t* splits) {
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
        splits[threadIdx.x / 32] = pair.split(threadIdx.x == 0 ? begin : end);
    }
    __syncthreads();
    int64_t const size = end - begin;
    int64_t const ones = splits[1] - splits[0];
    for (int64_t i = threadIdx.x; i < size; i += kMergeThreads) {
        held[i] = i < ones ? pair.one[splits[0] + i] : pair.other[begin - splits[0] + i - ones];
    }
    __syncthreads();
    Pair const own{held, held + ones, ones, size - ones};
    int64_t const first = smaller(static_cast<int64_t>(threadIdx.x) * kShare, size);
    int64_t const last = smaller(first + kShare, size);
    Entry merged[kShare];
    own.merge(first, last, merged);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kShare; ++i) {
        if (first + i < last) {
            held[first + i] = merged[i];
        }
    }
    __syncthreads();
}

KILN_KERNEL void __launch_bounds__(kMergeThreads)
    merge_runs(T const* from, KILN_COUNT T* values, INDEX* indices, void* work,
               Arguments arguments) {
    __shared__ Entry held[kRun];
    __shared__ int64_t splits[2];
    Lists const lists = listsIn(work, arguments);
    int const pass = lists.passes->pass;
    int64_t const run = static_cast<int64_t>(kRun) << pass;
    Place const place(arguments);
    int64_t const start = place.first & ~(2 * run - 1);
    int64_t const begin = place.first - start;
    // A run may be shorter at the end of the list, and counts as far as the k-th entry only.
    int64_t const left = arguments.count - start;
    int64_t const most = smaller(run, arguments.k);
    Entry const* const one =
        (pass % 2 == 0 ? lists.even : lists.odd) + place.lane * arguments.count + start;
    Pair const pair{one, one + run, smaller(most, left),
                    left > run ? smaller(most, left - run) : 0};
    int64_t const end =
        smaller(begin + kRun, smaller(arguments.k, pair.oneSize + pair.otherSize));
    if (begin < end) {
        mergeShare(pair, begin, end, held, splits);
        bool const isLast = 2 * run >= arguments.count;
        Lane const lane = laneOf(from, place.lane, 0, arguments);
        Entry* const to =
            (pass % 2 == 0 ? lists.odd : lists.even) + place.lane * arguments.count + start;
        for (int64_t i = begin + threadIdx.x; i < end; i += kMergeThreads) {
            if (isLast) {
                writeResult(lane, place.lane, i, held[i - begin], values, indices, arguments);
            } else {
                to[i] = held[i - begin];
            }
        }
    }
    __syncthreads(); // all threads know the pass
    if (threadIdx.x == 0 && atomicAdd(&lists.passes->done, 1U) == gridDim.x - 1) {
        *lists.passes = {pass + 1, 0};
    }
}
