// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The candidates of NMS: the best scores of each batch item, sorted, and their boxes. A block each;
// collect_parts splits few items into parts first. Macros: see nms.cuh.
#pragma once

#include "numbers.cuh"
#include "ranking.cuh"

typedef KILN_ELEMENT Element;

constexpr int kSharedEntries = 32768 / static_cast<int>(sizeof(Entry));
constexpr int kWord = 64;

struct Inputs {
    void const* at[INPUTS];
};

/// A box with its area in the workspace.
struct Corners {
    float left;
    float top;
    float right;
    float bottom;
};

struct Arguments {
    int64_t batch;
    int64_t boxes;
    int64_t classes;
    int64_t candidates; ///< of an item, at most
    int64_t padded;     ///< the power of two from there on
    int64_t parts;
    int64_t room; ///< rows of the output
    int32_t shared; ///< 1: all classes have the same boxes
    int32_t bandWords; ///< candidates that are compared with all later ones at once, in words
    // Offsets in the workspace, in bytes.
    int64_t parted;   ///< Entry [batch, parts, candidates]
    int64_t list;     ///< Entry [batch, padded]
    int64_t corners;  ///< Corners [batch, candidates]
    int64_t masks;    ///< uint64_t [batch, those of a band, words]
    int64_t removed;  ///< uint64_t [batch, words], between bands
    int64_t kept;     ///< uint64_t [batch, words]
    int64_t selected; ///< int32_t [batch, candidates]
    int64_t tally;    ///< int32_t [batch, classes]
    int64_t counts;   ///< int64_t [3, batch]: candidates; selected ones; bands that are done

    __device__ int64_t words() const { return (candidates + kWord - 1) / kWord; }
};

template <typename V>
__device__ inline V* workAt(void* work, int64_t offset) {
    return reinterpret_cast<V*>(static_cast<uint8_t*>(work) + offset);
}

/// Scores of an item from number `first` on. Those that are not above the threshold have the lowest
/// entry, and so has NaN.
struct Scores {
    Element const* from;
    int64_t first;
    float least;

    __device__ Entry at(int64_t i) const {
        Element const score = from[first + i];
        T const bits = *reinterpret_cast<T const*>(&score);
        return toFloat(score) > least ? entryOf(keyOf(bits, T{0}), first + i) : Entry{};
    }
};

struct Entries {
    Entry const* from;
    __device__ Entry at(int64_t i) const { return from[i]; }
};

__device__ inline Scores scoresOf(Inputs const& inputs, int64_t item, int64_t first,
                                  Arguments const& arguments) {
    float least = 0.0F;
#if KILN_SCORE
    least = *static_cast<float const*>(inputs.at[4]);
#endif
    auto const* const scores = static_cast<Element const*>(inputs.at[1]);
    return {scores + item * arguments.boxes * arguments.classes, first, least};
}

/// The best k entries of a source that are not the lowest one, in any order; returns their number.
template <typename Source>
__device__ inline int64_t collectCandidates(Source const& source, int64_t count, int64_t k,
                                            Entry* list, Ranking& shared) {
    Entry const threshold = thresholdOf(source, count, k, shared);
    if (threadIdx.x == 0) {
        shared.taken = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < count; i += kRankThreads) {
        Entry const entry = source.at(i);
        if (Entry{} < entry && !(entry < threshold)) {
            list[atomicAdd(&shared.taken, 1U)] = entry;
        }
    }
    __syncthreads();
    return shared.taken;
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    collect_parts(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Ranking shared;
    int64_t const item = blockIdx.x / arguments.parts;
    int64_t const part = blockIdx.x - item * arguments.parts;
    int64_t const all = arguments.boxes * arguments.classes;
    int64_t const first = part * all / arguments.parts;
    int64_t const count = (part + 1) * all / arguments.parts - first;
    int64_t const most = arguments.candidates;
    Entry* const list = workAt<Entry>(work, arguments.parted) + blockIdx.x * most;
    int64_t const taken = collectCandidates(scoresOf(inputs, item, first, arguments), count,
                                            most < count ? most : count, list, shared);
    for (int64_t i = taken + threadIdx.x; i < most; i += kRankThreads) {
        list[i] = Entry{};
    }
}

__device__ inline Corners cornersOf(Inputs const& inputs, int64_t item, int64_t index,
                                    Arguments const& arguments) {
    int64_t const perBox = arguments.shared != 0 ? 1 : arguments.classes;
    int64_t const box = arguments.shared != 0 ? index / arguments.classes : index;
    Element const* const at = static_cast<Element const*>(inputs.at[0]) +
                              (item * arguments.boxes * perBox + box) * 4;
    float const a = toFloat(at[0]);
    float const b = toFloat(at[1]);
    float const c = toFloat(at[2]);
    float const d = toFloat(at[3]);
    float const halfC = KILN_CENTERS != 0 ? __fmul_rn(0.5F, c) : 0.0F;
    float const halfD = KILN_CENTERS != 0 ? __fmul_rn(0.5F, d) : 0.0F;
    float const x0 = KILN_CENTERS != 0 ? __fadd_rn(a, -halfC) : a;
    float const y0 = KILN_CENTERS != 0 ? __fadd_rn(b, -halfD) : b;
    float const x1 = KILN_CENTERS != 0 ? __fadd_rn(a, halfC) : c;
    float const y1 = KILN_CENTERS != 0 ? __fadd_rn(b, halfD) : d;
    return {x1 < x0 ? x1 : x0, y1 < y0 ? y1 : y0, x0 < x1 ? x1 : x0, y0 < y1 ? y1 : y0};
}

/// Puts the candidates of an item in a list, and returns their number.
__device__ inline int64_t candidatesOf(Inputs const& inputs, int64_t item, Entry* list, void* work,
                                       Ranking& shared, Arguments const& arguments) {
    int64_t count = 0;
    if (arguments.parts > 1) {
        int64_t const all = arguments.parts * arguments.candidates;
        Entries const entries{workAt<Entry>(work, arguments.parted) + item * all};
        count = collectCandidates(entries, all, arguments.candidates, list, shared);
    } else {
        count = collectCandidates(scoresOf(inputs, item, 0, arguments),
                                  arguments.boxes * arguments.classes, arguments.candidates, list,
                                  shared);
    }
    return count;
}

KILN_KERNEL void __launch_bounds__(kRankThreads)
    rank_candidates(Inputs inputs, INDEX*, int32_t*, int64_t*, void* work, Arguments arguments) {
    __shared__ Ranking shared;
    __shared__ Entry near[kSharedEntries];
    int64_t const item = blockIdx.x;
    Entry* const list = workAt<Entry>(work, arguments.list) + item * arguments.padded;
    Entry* const sorted = arguments.candidates <= kSharedEntries ? near : list;
    int64_t const count = candidatesOf(inputs, item, sorted, work, shared, arguments);
    int64_t padded = 1;
    while (padded < count) {
        padded *= 2;
    }
    if (sorted == list && padded > kSharedEntries) {
        sortLong(list, count, padded, near);
    } else {
        sortBest(sorted, count, padded);
    }
    Corners* const corners = workAt<Corners>(work, arguments.corners) + item * arguments.candidates;
    for (int64_t i = threadIdx.x; i < count; i += kRankThreads) {
        list[i] = sorted[i];
        corners[i] = cornersOf(inputs, item, indexOf(sorted[i]), arguments);
    }
    if (threadIdx.x == 0) {
        int64_t* const counts = workAt<int64_t>(work, arguments.counts);
        counts[item] = count;
        counts[2 * arguments.batch + item] = 0;
    }
}
