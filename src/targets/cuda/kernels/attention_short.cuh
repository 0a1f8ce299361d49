// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of few keys by warpgroups: as attention_warpgroups.cuh, but a block is one warpgroup
// with 64 queries, which copies all its operands at once: what hides the wait for memory are the
// other blocks of the multiprocessor. More than 128 keys follow in tiles, one after the other.
// Macros: attention_scores.cuh.
#include "attention_panels.cuh"
#include "dependents.cuh"

constexpr int kShared = (kKeyTile + kValueTile + kQueryTile) * 2; ///< bytes
constexpr int kBlocks = kHead + kValue <= 2 * kPanelWidth ? 3 : 2; ///< of a multiprocessor

struct Tiles {
    Element* keys;
    Element* values;
    Element* queries;
};

/// Begins the copies of a tile of keys and values, each as a group.
__device__ inline void copyKeys(Tiles const& tiles, TileCopies const& copies, int step) {
    copies.keys(tiles.keys, step);
    endGroup();
    copies.values(tiles.values, step);
    endGroup();
}

/// Waits for copies of all threads, of which at most kLeft groups may be under way.
template <int kLeft>
__device__ inline void waitForCopies() {
    waitForGroups<kLeft>();
    writtenForProducts();
    __syncthreads();
}

/// Stores a warp's rows by way of its rows of `own`, so that those of a row are stored together.
__device__ inline void storeWide(float const (&result)[kValue / 8][4], RowSums const& sums,
                                 Element* own, Element* to, int rows, int64_t stride,
                                 float withoutKeys) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float const factor = sums.factor(half, withoutKeys);
#pragma unroll
        for (int i = 0; i < kValue / 8; ++i) {
            float const* const pair = result[i] + 2 * half;
            Element* const at = own + i / 8 * (kWarpgroupRows * kPanelWidth) +
                                placeInPanel(lane / 4 + half * 8, i % 8) + lane % 4 * 2;
            *reinterpret_cast<uint32_t*>(at) = pairOf<Element>(pair[0] * factor, pair[1] * factor);
        }
    }
    __syncwarp();
    constexpr int kWords = kValue / 8; // of a row
#pragma unroll
    for (int i = 0; i < kWords / 2; ++i) {
        int const row = (i * 32 + lane) / kWords;
        int const word = lane % kWords;
        if (row < rows && word * 8 < KILN_VALUE) {
            Element const* const from =
                own + word / 8 * (kWarpgroupRows * kPanelWidth) + placeInPanel(row, word % 8);
            *reinterpret_cast<Pack<Element, 8>*>(to + row * stride + word * 8) =
                *reinterpret_cast<Pack<Element, 8> const*>(from);
        }
    }
}

KILN_KERNEL void __launch_bounds__(kWarpgroup, kBlocks)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, KILN_IN_PLACE Arguments arguments) {
#if KILN_MASK == 0
    MaskElement const* const masks = nullptr;
#endif
    KILN_DYNAMIC_SHARED(memory, kShared);
    Element* const all = reinterpret_cast<Element*>(memory);
    Tiles const tiles{all, all + kKeyTile, all + kKeyTile + kValueTile};
    BlockOfQueries const item(arguments, queries, keys, values, masks, results, kWarpgroupRows,
                              kKeys, static_cast<int>(blockIdx.x));
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int const firstQuery = item.first + warp * 16;
    waitForInputs();
    TileCopies const copies{arguments, item, static_cast<int>(threadIdx.x)};
    if (item.steps > 0) {
        copies.queries(tiles.queries, item.first);
        copyKeys(tiles, copies, 0);
    }
    letNextBegin();
    float result[kValue / 8][4];
    clearResults(result);
    RowSums sums;
    for (int step = 0; step < item.steps; ++step) {
        float scores[kKeys / 8][4];
        uint32_t weights[kKeys / 16][4];
        float shrink[2];
        MaskAhead ahead;
        ahead.load(arguments, item.mask, firstQuery, step * kKeys);
        waitForCopies<1>();
        beforeProducts(scores);
        beginScores(scores, tiles.queries, tiles.keys);
        waitForProducts<0>(scores);
        float const scale =
            maskScores(scores, ahead, arguments, item.mask, firstQuery, step * kKeys);
        sums.weigh(scores, scale, shrink);
        shrinkResults(result, shrink);
        setWeights(weights, scores);
        waitForCopies<0>();
        beforeProducts(result);
        beginResults(result, tiles.values, weights);
        waitForProducts<0>(result);
        if (step + 1 < item.steps) {
            __syncthreads(); // all warps are done with the tiles
            copyKeys(tiles, copies, step + 1);
        }
    }
    int const rows = arguments.queries - firstQuery;
    if ((arguments.wide & 8) != 0 && isAligned16(item.result)) {
        // The last keys were read before the last wait for copies.
        storeWide(result, sums, tiles.keys + warp * 16 * kPanelWidth,
                  item.result + firstQuery * arguments.strides[3].row, rows,
                  arguments.strides[3].row, arguments.withoutKeys);
    } else {
        storeResults(result, sums, item.result, firstQuery, rows, arguments.strides[3], false,
                     arguments.withoutKeys);
    }
}
