// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention by warpgroups: softmax(scale * Q K^T + mask) V for each batch and head, on GPUs of
// compute capability 9.0. As attention.cuh, but a warpgroup takes 64 queries, and the products run
// beside other work: while those of one tile of keys with the queries, and of the weights of the
// tile before with its values, are computed, the softmax of the next scores begins. One more
// warpgroup, the first, copies queries, keys and values, two tiles ahead and on to the next item of
// the block. An item is a head of a batch with the queries of all warpgroups.
// Sources: Shah et al., "FlashAttention-3", 2024; PTX ISA. Macros: attention_scores.cuh.
#include "attention_panels.cuh"
#include "stage_barriers.cuh"

constexpr int kGroups = 2; ///< that compute, at most
constexpr int kStages = 2; ///< tiles of keys, and of values
constexpr int kShared = (kStages * (kKeyTile + kValueTile) + kGroups * kQueryTile) * 2; ///< bytes

/// What the warpgroups of a block share.
struct Shared {
    Element* keys;   ///< kStages tiles
    Element* values; ///< kStages tiles
    Element* queries; ///< a tile for each warpgroup that computes
    StageBarrier* keysThere; ///< kStages barriers, as the next three
    StageBarrier* keysUsed;
    StageBarrier* valuesThere;
    StageBarrier* valuesUsed;
    StageBarrier* queriesThere;
    StageBarrier* queriesUsed;
};
constexpr int kBarriers = 4 * kStages + 2;

/// The warpgroup that copies.
struct Copier {
    Arguments const& arguments;
    Shared const& shared;
    int groups;
    int tiles = 0; ///< of keys, so far
    int items = 0; ///< with keys, so far

    /// The barrier tells that what the threads copied is there.
    __device__ void tell(StageBarrier& barrier, bool wide) {
        if (wide) {
            arriveAfterCopies(barrier);
        } else {
            writtenForProducts();
            arrive(barrier);
        }
    }

    __device__ void copy(BlockOfQueries const& item) {
        if (item.steps == 0) {
            return;
        }
        TileCopies const copies{arguments, item, static_cast<int>(threadIdx.x)};
        waitForPhase(*shared.queriesUsed, (items + 1) % 2);
        for (int group = 0; group < groups; ++group) {
            copies.queries(shared.queries + group * kQueryTile,
                           item.first + group * kWarpgroupRows);
        }
        tell(*shared.queriesThere, copies.wide(0));
        ++items;
        for (int step = 0; step < item.steps; ++step, ++tiles) {
            int const stage = tiles % kStages;
            int const before = (tiles / kStages + 1) % 2; // phase of the tile that was there
            waitForPhase(shared.keysUsed[stage], before);
            copies.keys(shared.keys + stage * kKeyTile, step);
            tell(shared.keysThere[stage], copies.wide(1));
            waitForPhase(shared.valuesUsed[stage], before);
            copies.values(shared.values + stage * kValueTile, step);
            tell(shared.valuesThere[stage], copies.wide(2));
        }
    }
};

/// A warpgroup that computes: a lane has rows g and g + 8 of its warp's 16.
struct Rows {
    Arguments const& arguments;
    Shared const& shared;
    int group;
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
        writtenForProducts();
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
        beginScoresOf(scores, tiles + 1);
        waitForTile(shared.valuesThere, tiles);
        beginResultsOf(tiles);
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
        storeResults(result, sums, item.result, firstQuery, arguments.queries - firstQuery,
                     arguments.strides[3], (arguments.wide & 8) != 0 && isAligned4(item.result),
                     arguments.withoutKeys);
    }
};

KILN_KERNEL void __launch_bounds__((kGroups + 1) * kWarpgroup, 1)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, KILN_IN_PLACE Arguments arguments) {
#if KILN_MASK == 0
    MaskElement const* const masks = nullptr;
#endif
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
            initBarrier(shared.keysThere[stage], kWarpgroup);
            initBarrier(shared.keysUsed[stage], groups * 4); // warps
            initBarrier(shared.valuesThere[stage], kWarpgroup);
            initBarrier(shared.valuesUsed[stage], groups * 4);
        }
        initBarrier(*shared.queriesThere, kWarpgroup);
        initBarrier(*shared.queriesUsed, groups * 4);
    }
    __syncthreads();
    auto const itemAt = [&](int index) {
        return BlockOfQueries(arguments, queries, keys, values, masks, results,
                              groups * kWarpgroupRows, kKeys, index);
    };
    if (group < 0) {
        giveRegisters<40>();
        Copier copier{arguments, shared, groups};
        for (int i = static_cast<int>(blockIdx.x); i < arguments.items; i += gridDim.x) {
            copier.copy(itemAt(i));
        }
    } else {
        takeRegisters<232>();
        Rows rows{arguments, shared, group};
        for (int i = static_cast<int>(blockIdx.x); i < arguments.items; i += gridDim.x) {
            rows.compute(itemAt(i));
        }
    }
}
