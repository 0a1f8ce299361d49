// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The tiles of attention_warpgroups.cuh in shared memory, and the warpgroup that copies them: by
// the copy engine if the tensors are described to it, else by its threads.
#pragma once

#include "attention_panels.cuh"
#include "tensor_copies.cuh"

constexpr int kGroups = 2; ///< that compute, at most

/// Same layout as in ops/attention_warpgroups.cpp.
struct WarpgroupArguments {
    TensorMap queries; ///< boxes of 64 rows and 64 channels
    TensorMap keys;    ///< boxes of kKeys rows and 64 channels
    TensorMap values;  ///< the same
    Arguments all;
};
/// Bits of Arguments::wide: the tensors are described, and results may be moved by 16 bytes.
constexpr int kDescribed = 32;
constexpr int kWideResults = 64;
constexpr int kHeadPanels = (KILN_HEAD + kPanelWidth - 1) / kPanelWidth;
constexpr int kValuePanels = (KILN_VALUE + kPanelWidth - 1) / kPanelWidth;

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
    WarpgroupArguments const& arguments;
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

    /// kPanels panels of kRows rows, from row `row` on.
    template <int kPanels, int kRows>
    __device__ void copyBoxes(Element* to, TensorMap const& map, int row, int head, int batch,
                              StageBarrier& there) {
#pragma unroll
        for (int panel = 0; panel < kPanels; ++panel) {
            copyBox(to + panel * (kRows * kPanelWidth), map, panel * kPanelWidth, row, head, batch,
                    there);
        }
    }

    /// What the engine copies, as one thread tells it.
    __device__ void queriesByEngine(BlockOfQueries const& item) {
        StageBarrier& there = *shared.queriesThere;
        arriveAndExpect(there, groups * kHeadPanels * kWarpgroupRows * kPanelRowBytes);
        for (int group = 0; group < groups; ++group) {
            copyBoxes<kHeadPanels, kWarpgroupRows>(
                shared.queries + group * kQueryTile, arguments.queries,
                item.first + group * kWarpgroupRows, item.head, item.batch, there);
        }
    }
    __device__ void keysByEngine(BlockOfQueries const& item, int step, int stage) {
        StageBarrier& there = shared.keysThere[stage];
        arriveAndExpect(there, kHeadPanels * kKeys * kPanelRowBytes);
        copyBoxes<kHeadPanels, kKeys>(shared.keys + stage * kKeyTile, arguments.keys, step * kKeys,
                                      item.keyHead, item.batch, there);
    }
    __device__ void valuesByEngine(BlockOfQueries const& item, int step, int stage) {
        StageBarrier& there = shared.valuesThere[stage];
        arriveAndExpect(there, kValuePanels * kKeys * kPanelRowBytes);
        copyBoxes<kValuePanels, kKeys>(shared.values + stage * kValueTile, arguments.values,
                                       step * kKeys, item.keyHead, item.batch, there);
    }

    __device__ void copy(BlockOfQueries const& item) {
        if (item.steps == 0) {
            return;
        }
        bool const byEngine = (arguments.all.wide & kDescribed) != 0;
        TileCopies const copies{arguments.all, item, static_cast<int>(threadIdx.x)};
        waitForPhase(*shared.queriesUsed, (items + 1) % 2);
        if (byEngine) {
            queriesByEngine(item);
        } else {
            for (int group = 0; group < groups; ++group) {
                copies.queries(shared.queries + group * kQueryTile,
                               item.first + group * kWarpgroupRows);
            }
            tell(*shared.queriesThere, copies.wide(0));
        }
        ++items;
        for (int step = 0; step < item.steps; ++step, ++tiles) {
            int const stage = tiles % kStages;
            int const before = (tiles / kStages + 1) % 2; // phase of the tile that was there
            waitForPhase(shared.keysUsed[stage], before);
            if (byEngine) {
                keysByEngine(item, step, stage);
            } else {
                copies.keys(shared.keys + stage * kKeyTile, step);
                tell(shared.keysThere[stage], copies.wide(1));
            }
            waitForPhase(shared.valuesUsed[stage], before);
            if (byEngine) {
                valuesByEngine(item, step, stage);
            } else {
                copies.values(shared.values + stage * kValueTile, step);
                tell(shared.valuesThere[stage], copies.wide(2));
            }
        }
    }
};

/// The items of a block, in rounds of one for each block. Items of different length are sorted, the
/// longest first, and every other round goes backwards, so that all blocks have much the same work.
struct Order {
    int items;
    int tiles;
    int heads; ///< of the whole batch
    int rounds;

    __device__ explicit Order(Arguments const& arguments)
        : items(arguments.items), tiles(arguments.tiles), heads(items / tiles) {
        int const grid = static_cast<int>(gridDim.x);
        rounds = items / grid;
        rounds += place(rounds) < items ? 1 : 0;
    }
    __device__ int at(int round) const {
        int const own = place(round);
        // BlockOfQueries() begins with the last tile of a head, which is the longest.
        return KILN_CAUSAL == 0 ? own : own % heads * tiles + own / heads;
    }

private:
    __device__ static int place(int round) {
        int const grid = static_cast<int>(gridDim.x);
        int const own = static_cast<int>(blockIdx.x);
        return round * grid + (KILN_CAUSAL != 0 && round % 2 != 0 ? grid - 1 - own : own);
    }
};
