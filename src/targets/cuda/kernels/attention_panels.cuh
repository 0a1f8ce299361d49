// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of attention share that multiply by warpgroups: operands in panels, and the
// products of a tile of keys.
#pragma once

#include "attention_scores.cuh"
#include "warpgroup_units.cuh"

constexpr int paddedToPanel(int n) {
    return (n + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}
constexpr int kHead = paddedToPanel(KILN_HEAD);
constexpr int kValue = paddedToPanel(KILN_VALUE);
constexpr int kHeadSteps = (KILN_HEAD + 15) / 16; ///< products of 16 terms
constexpr int kKeys = 128;                        ///< of a tile
constexpr int kKeyTile = kKeys * kHead;
constexpr int kValueTile = kKeys * kValue;
constexpr int kQueryTile = kWarpgroupRows * kHead;

/// Copies `rows` rows of kFilled elements to kRows rows of panels; the rest becomes zeros. Thread
/// `thread` of `threads`.
template <int kFilled, int kPadded, int kRows>
__device__ inline void copyPanels(Element* to, Element const* from, Operand const& strides,
                                  int rows, bool wide, int thread, int threads) {
    constexpr int kWords = kPadded / 8;
    int const word = thread % kWords;
    int const first = thread / kWords;
    int const step = threads / kWords; // a multiple of 8: a thread's places differ by whole rows
    bool const filled = word * 8 < kFilled;
    Element* place = to + word / 8 * (kRows * kPanelWidth) + placeInPanel(first, word % 8);
    Element const* source = from + first * strides.row + word * 8 * strides.column;
    if (wide) {
#pragma unroll 4
        for (int row = first; row < kRows; row += step) {
            bool const exists = filled && row < rows;
            beginCopy(place, exists ? source : from, exists);
            place += step * kPanelWidth;
            source += step * strides.row;
        }
        return;
    }
#pragma unroll 1
    for (int row = first; row < kRows; row += step) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            Element element{};
            if (row < rows && word * 8 + i < kFilled) {
                element = source[i * strides.column];
            }
            place[i] = element;
        }
        place += step * kPanelWidth;
        source += step * strides.row;
    }
}

/// Copies of an item's operands by one warpgroup, of which this is thread `thread`.
struct TileCopies {
    Arguments const& arguments;
    BlockOfQueries const& item;
    int thread;

    /// Whether operand 0 (queries), 1 (keys) or 2 (values) is copied by words.
    __device__ bool wide(int operand) const {
        Element const* const from =
            operand == 0 ? item.query : (operand == 1 ? item.key : item.value);
        return (arguments.wide >> operand & 1) != 0 && isAligned16(from);
    }

    /// The queries from number `first` of the whole tensor on.
    __device__ void queries(Element* to, int first) const {
        Operand const& strides = arguments.strides[0];
        copyPanels<KILN_HEAD, kHead, kWarpgroupRows>(to, item.query + first * strides.row, strides,
                                                     arguments.queries - first, wide(0), thread,
                                                     kWarpgroup);
    }

    __device__ void keys(Element* to, int step) const {
        Operand const& strides = arguments.strides[1];
        int const first = step * kKeys;
        copyPanels<KILN_HEAD, kHead, kKeys>(to, item.key + first * strides.row, strides,
                                            arguments.keys - first, wide(1), thread, kWarpgroup);
    }

    __device__ void values(Element* to, int step) const {
        Operand const& strides = arguments.strides[2];
        int const first = step * kKeys;
        copyPanels<KILN_VALUE, kValue, kKeys>(to, item.value + first * strides.row, strides,
                                              arguments.keys - first, wide(2), thread, kWarpgroup);
    }
};

/// Begins the products of 64 queries with a tile of keys.
__device__ inline void beginScores(float (&scores)[kKeys / 8][4], Element const* queries,
                                   Element const* keys) {
    PanelOperand const left = panelOperand(queries);
    PanelOperand const right = panelOperand(keys);
#pragma unroll
    for (int step = 0; step < kHeadSteps; ++step) {
        int const inRow = step % 4 * 32; // 16 terms
        beginProduct<Element>(scores,
                              left.after(step / 4 * kWarpgroupRows * kPanelRowBytes + inRow),
                              right.after(step / 4 * kKeys * kPanelRowBytes + inRow), step > 0);
    }
    endProducts();
}

/// Begins to add the values of a tile of keys, by their weights.
__device__ inline void beginResults(float (&result)[kValue / 8][4], Element const* values,
                                    uint32_t const (&weights)[kKeys / 16][4]) {
    PanelOperand const right = panelOperand(values, kKeys * kPanelRowBytes);
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
        beginProduct<Element>(result, weights[step], right.after(step * 16 * kPanelRowBytes));
    }
    endProducts();
}

__device__ inline void setWeights(uint32_t (&weights)[kKeys / 16][4],
                                  float const (&scores)[kKeys / 8][4]) {
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
        weightPairs(weights[step], scores, step);
    }
}
