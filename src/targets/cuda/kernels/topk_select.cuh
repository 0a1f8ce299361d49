// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The best k entries of long lanes, k > kSharedEntries, in any order: all blocks count digits
// together. As in ranking.cuh, a radix selection finds the entry that k entries reach: each launch
// of count_digits counts the next digit of the entries that share all digits before it, and the
// last block of a lane follows the group of the k-th. Digits that are the same in all entries, as
// the low bits of short elements and the high bits of places, are skipped. Then collect_best copies
// those entries to the list that sort_runs (topk_runs.cuh) begins with.
#pragma once

#include "block_sums.cuh"
#include "topk_runs.cuh"

/// The selection in one lane, behind the lists in the workspace.
struct Selection {
    unsigned bins[kBins];
    Entry threshold;
    unsigned remaining;
    unsigned done; ///< blocks of this pass that have ended
    unsigned taken;
    int digit; ///< kDigits once the threshold is known
};

__device__ inline Selection& selectionOf(void* work, int64_t lane, Arguments const& arguments) {
    auto* const behind = listsIn(work, arguments).passes + 2; // at a multiple of 16 bytes
    return reinterpret_cast<Selection*>(behind)[lane];
}

/// Whether entries may differ in a digit.
__device__ inline bool digitVaries(int digit, Arguments const& arguments) {
    constexpr int kKeyBits = 8 * static_cast<int>(sizeof(T));
    auto const last = static_cast<uint64_t>(arguments.extent - 1);
    int const low = shiftOf(digit);
#if KILN_LONG
    return digit < kWordDigits ? low + kDigitBits > 64 - kKeyBits : last >> low != 0;
#else
    return low + kDigitBits > 64 - kKeyBits || (low < 32 && last >> low != 0);
#endif
}

/// The next digit that varies; sets those in front of it.
__device__ inline int nextDigit(int digit, Entry& threshold, Arguments const& arguments) {
    Entry const any = entryOf(0, 0);
    for (; digit < kDigits && !digitVaries(digit, arguments); ++digit) {
        setBits(threshold, digit, static_cast<uint64_t>(digitOf(any, digit)) << shiftOf(digit));
    }
    return digit;
}

/// Calls see(entry) for the elements of a block, in any order; `parts` blocks share a lane.
template <typename See>
__device__ inline void forEachOfPart(T const* from, int64_t number, int64_t part,
                                     Arguments const& arguments, See see) {
    constexpr int kPackElements = 16 / sizeof(T);
    constexpr int kAtOnce = 4;
    Lane const lane = laneOf(from, number, 0, arguments);
    int64_t const packs = (arguments.extent + kPackElements - 1) / kPackElements;
    int64_t const first = part * packs / arguments.parts;
    int64_t const end = (part + 1) * packs / arguments.parts;
    if (arguments.inner == 1 && arguments.extent % kPackElements == 0 && isAligned16(lane.from)) {
        typedef Pack<T, kPackElements> Word;
        auto const* const words = reinterpret_cast<Word const*>(lane.from);
        for (int64_t pack = first + threadIdx.x; pack < end; pack += kAtOnce * kRankThreads) {
            Word held[kAtOnce];
#pragma unroll
            for (int i = 0; i < kAtOnce; ++i) {
                int64_t const at = pack + i * kRankThreads;
                held[i] = words[at < end ? at : pack];
            }
#pragma unroll
            for (int i = 0; i < kAtOnce; ++i) {
                int64_t const at = pack + i * kRankThreads;
#pragma unroll
                for (int k = 0; k < kPackElements; ++k) {
                    if (at < end) {
                        see(entryOf(keyOf(held[i].at[k], lane.flip), at * kPackElements + k));
                    }
                }
            }
        }
        return;
    }
    int64_t const last = smaller(end * kPackElements, arguments.extent);
#pragma unroll 4
    for (int64_t i = first * kPackElements + threadIdx.x; i < last; i += kRankThreads) {
        see(lane.at(i));
    }
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    begin_selection(T const*, KILN_COUNT T*, INDEX*, void* work, Arguments arguments) {
    Selection& own = selectionOf(work, blockIdx.x, arguments);
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kRankThreads) {
        own.bins[bin] = 0;
    }
    if (threadIdx.x == 0) {
        own.threshold = Entry{};
        own.remaining = static_cast<unsigned>(arguments.k);
        own.done = 0;
        own.taken = 0;
        own.digit = nextDigit(0, own.threshold, arguments);
    }
}

/// What the last block of a lane does with the counts of all.
__device__ inline void followDigit(Selection& own, int digit, Ranking& shared,
                                   Arguments const& arguments) {
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kRankThreads) {
        shared.bins[bin] = static_cast<unsigned volatile&>(own.bins[bin]);
        own.bins[bin] = 0;
    }
    __syncthreads();
    findBin(shared, own.remaining);
    if (threadIdx.x == 0) {
        setBits(own.threshold, digit, static_cast<uint64_t>(shared.bin) << shiftOf(digit));
        own.remaining -= shared.before;
        // The whole group belongs to the best: the digits behind may be zeros.
        bool const whole = shared.size == own.remaining;
        own.digit = whole ? kDigits : nextDigit(digit + 1, own.threshold, arguments);
        own.done = 0;
    }
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    count_digits(T const* from, KILN_COUNT T*, INDEX*, void* work, Arguments arguments) {
    __shared__ Ranking shared;
    __shared__ bool last;
    int64_t const number = quotient(static_cast<int64_t>(blockIdx.x), arguments.parts);
    Selection& own = selectionOf(work, number, arguments);
    int const digit = own.digit; // changes once all blocks of the lane have read it
    if (digit == kDigits) {
        return;
    }
    Entry const threshold = own.threshold;
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kRankThreads) {
        shared.bins[bin] = 0;
    }
    __syncthreads();
    forEachOfPart(from, number, blockIdx.x - number * arguments.parts, arguments,
                  [&](Entry const& entry) {
                      if (sharesDigits(entry, threshold, digit)) {
                          atomicAdd(&shared.bins[digitOf(entry, digit)], 1U);
                      }
                  });
    __syncthreads();
    for (int bin = static_cast<int>(threadIdx.x); bin < kBins; bin += kRankThreads) {
        if (unsigned const count = shared.bins[bin]; count != 0) {
            atomicAdd(&own.bins[bin], count);
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&own.done, 1U) == arguments.parts - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        followDigit(own, digit, shared, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    collect_best(T const* from, KILN_COUNT T*, INDEX*, void* work, Arguments arguments) {
    int64_t const number = quotient(static_cast<int64_t>(blockIdx.x), arguments.parts);
    int64_t const part = blockIdx.x - number * arguments.parts;
    __shared__ unsigned start;
    Selection& own = selectionOf(work, number, arguments);
    Entry const threshold = own.threshold;
    unsigned found = 0;
    forEachOfPart(from, number, part, arguments,
                  [&](Entry const& entry) { found += entry < threshold ? 0 : 1; });
    int64_t total = 0;
    auto at = static_cast<unsigned>(sumBelow<kRankThreads>(found, total));
    if (threadIdx.x == 0) {
        start = atomicAdd(&own.taken, static_cast<unsigned>(total));
    }
    __syncthreads();
    Entry* const to = listsIn(work, arguments).even + number * arguments.count + start;
    forEachOfPart(from, number, part, arguments, [&](Entry const& entry) {
        if (!(entry < threshold)) {
            to[at++] = entry;
        }
    });
}
