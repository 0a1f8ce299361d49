// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention by warpgroups: softmax(scale * Q K^T + mask) V for each batch and head, on GPUs of
// compute capability 9.0. As attention.cuh, but a warpgroup takes 64 queries, and the products run
// beside other work: while those of one tile of keys with the queries, and of the weights of the
// tile before with its values, are computed, the softmax of the next scores begins. One more
// warpgroup, the first, copies queries, keys and values, two tiles ahead and on to the next item of
// the block. An item is a head of a batch with the queries of all warpgroups.
//
// With narrow heads the softmax takes as long as the products, and warpgroups begin these in turn,
// so that one computes weights while the products of another run. (Tried and slower: three
// warpgroups that compute, and a softmax kept in front of the wait for the products of the values.)
// Sources: Shah et al., "FlashAttention-3", 2024; PTX ISA. Macros: attention_scores.cuh.
#include "attention_copies.cuh"
#include "dependents.cuh"

constexpr bool kTurns = kHead + kValue <= 2 * kPanelWidth;

/// Waits until the threads of the group before, too, have come to barrier `number`.
__device__ inline void waitForTurn(int number) {
#ifdef KILN_WARPGROUP_UNITS
    asm volatile("bar.sync %0, 256;" : : "r"(number) : "memory");
#endif
}
/// Comes to barrier `number` and goes on.
__device__ inline void giveTurn(int number) {
#ifdef KILN_WARPGROUP_UNITS
    asm volatile("bar.arrive %0, 256;" : : "r"(number) : "memory");
#endif
}

/// A warpgroup that computes: a lane has rows g and g + 8 of its warp's 16.
struct Rows {
    Arguments const& arguments;
    Shared const& shared;
    int group;
    int groups;
    bool byEngine;
    int tiles = 0; ///< of keys, so far
    int items = 0; ///< with keys, so far
    float result[kValue / 8][4];
    uint32_t weights[kKeys / 16][4]; ///< of the last tile whose scores are known
    float shrink[2];
    RowSums sums;

    /// What a barrier guards was used by this warp.
    __device__ void release(StageBarrier& barrier) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(barrier);
        }
    }

    __device__ void beginScoresOf(float (&scores)[kKeys / 8][4], int tile) {
        beginScores(scores, shared.queries + group * kQueryTile,
                    shared.keys + tile % kStages * kKeyTile);
    }

    __device__ void beginResultsOf(int tile) {
        beginResults(result, shared.values + tile % kStages * kValueTile, weights);
    }

    __device__ void waitForTile(StageBarrier* there, int tile) {
        waitForPhase(there[tile % kStages], tile / kStages % 2);
        if (!byEngine) {
            writtenForProducts();
        }
    }

    /// The weights of an item's first tile.
    __device__ void begin(BlockOfQueries const& item, int firstQuery) {
        float scores[kKeys / 8][4];
        MaskAhead ahead;
        ahead.load(arguments, item.mask, firstQuery, 0);
        waitForPhase(*shared.queriesThere, items % 2);
        waitForTile(shared.keysThere, tiles);
        beforeProducts(scores);
        beginScoresOf(scores, tiles);
        waitForProducts<0>(scores);
        release(shared.keysUsed[tiles % kStages]);
        float const scale = maskScores(scores, ahead, arguments, item.mask, firstQuery, 0);
        sums.weigh(scores, scale, shrink);
        setWeights(weights, scores);
    }

    /// Adds the values of tile `step` and makes the weights of the next.
    __device__ void advance(BlockOfQueries const& item, int firstQuery, int step) {
        float scores[kKeys / 8][4];
        MaskAhead ahead;
        ahead.load(arguments, item.mask, firstQuery, (step + 1) * kKeys);
        waitForTile(shared.keysThere, tiles + 1);
        beforeProducts(scores);
        beforeProducts(result);
        bool const turns = kTurns && groups > 1;
        if (turns) {
            waitForTurn(1 + group);
        }
        beginScoresOf(scores, tiles + 1);
        waitForTile(shared.valuesThere, tiles);
        beginResultsOf(tiles);
        if (turns) {
            giveTurn(1 + (group + 1) % groups);
        }
        waitForProducts<1>(scores);
        release(shared.keysUsed[(tiles + 1) % kStages]);
        float const scale =
            maskScores(scores, ahead, arguments, item.mask, firstQuery, (step + 1) * kKeys);
        sums.weigh(scores, scale, shrink);
        waitForProducts<0>(result);
        release(shared.valuesUsed[tiles % kStages]);
        shrinkResults(result, shrink);
        setWeights(weights, scores);
        ++tiles;
    }

    /// Adds the values of the last tile.
    __device__ void end() {
        release(*shared.queriesUsed);
        ++items;
        waitForTile(shared.valuesThere, tiles);
        beforeProducts(result);
        beginResultsOf(tiles);
        waitForProducts<0>(result);
        release(shared.valuesUsed[tiles % kStages]);
        ++tiles;
    }

    __device__ void compute(BlockOfQueries const& item) {
        int const firstQuery =
            item.first + group * kWarpgroupRows +
            static_cast<int>(threadIdx.x) % kWarpgroup / 32 * 16;
        sums = {};
        clearResults(result);
        if (item.steps > 0) {
            begin(item, firstQuery);
#pragma unroll 1
            for (int step = 0; step + 1 < item.steps; ++step) {
                advance(item, firstQuery, step);
            }
            end();
        }
        int const rowsLeft = arguments.queries - firstQuery;
        if ((arguments.wide & kWideResults) != 0 && isAligned16(item.result)) {
            storePacks(result, sums, item.result, firstQuery, rowsLeft, arguments.strides[3].row,
                       arguments.withoutKeys);
        } else {
            storeResults(result, sums, item.result, firstQuery, rowsLeft, arguments.strides[3],
                         (arguments.wide & 8) != 0 && isAligned4(item.result),
                         arguments.withoutKeys);
        }
    }
};

KILN_KERNEL void __launch_bounds__((kGroups + 1) * kWarpgroup, 1)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, KILN_IN_PLACE WarpgroupArguments described) {
#if KILN_MASK == 0
    MaskElement const* const masks = nullptr;
#endif
    Arguments const& arguments = described.all;
    bool const byEngine = (arguments.wide & kDescribed) != 0;
    KILN_DYNAMIC_SHARED(memory, kShared);
    __shared__ StageBarrier barriers[kBarriers];
    Element* const tiles = reinterpret_cast<Element*>(memory);
    Shared const shared{tiles,
                        tiles + kStages * kKeyTile,
                        tiles + kStages * (kKeyTile + kValueTile),
                        barriers,
                        barriers + kStages,
                        barriers + 2 * kStages,
                        barriers + 3 * kStages,
                        barriers + 4 * kStages,
                        barriers + 4 * kStages + 1};
    int const groups = static_cast<int>(blockDim.x) / kWarpgroup - 1;
    int const group = static_cast<int>(threadIdx.x) / kWarpgroup - 1; // -1: copies
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            initBarrier(shared.keysThere[stage], byEngine ? 1 : kWarpgroup);
            initBarrier(shared.keysUsed[stage], groups * 4); // warps
            initBarrier(shared.valuesThere[stage], byEngine ? 1 : kWarpgroup);
            initBarrier(shared.valuesUsed[stage], groups * 4);
        }
        initBarrier(*shared.queriesThere, byEngine ? 1 : kWarpgroup);
        initBarrier(*shared.queriesUsed, groups * 4);
        publishBarriers();
        if (byEngine) {
            fetchMap(described.queries);
            fetchMap(described.keys);
            fetchMap(described.values);
        }
    }
    __syncthreads();
    waitForInputs();
    Order const order(arguments);
    auto const itemAt = [&](int index) {
        return BlockOfQueries(arguments, queries, keys, values, masks, results,
                              groups * kWarpgroupRows, kKeys, index);
    };
    if (group < 0) {
        giveRegisters<56>();
        Copier copier{described, shared, groups};
        if (!byEngine || threadIdx.x == 0) {
            for (int i = 0; i < order.rounds; ++i) {
                copier.copy(itemAt(order.at(i)));
            }
        }
        letNextBegin();
    } else {
        takeRegisters<224>();
        Rows rows{arguments, shared, group, groups, byEngine};
        if (kTurns && groups > 1 && group == groups - 1) {
            giveTurn(1);
        }
        for (int i = 0; i < order.rounds; ++i) {
            rows.compute(itemAt(order.at(i)));
        }
    }
}
