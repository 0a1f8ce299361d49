// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of attention share that multiply by warpgroups: operands in panels.
#pragma once

#include "attention_scores.cuh"
#include "warpgroup_units.cuh"

constexpr int paddedToPanel(int n) {
    return (n + kPanelWidth - 1) / kPanelWidth * kPanelWidth;
}
constexpr int kHead = paddedToPanel(KILN_HEAD);
constexpr int kValue = paddedToPanel(KILN_VALUE);
constexpr int kHeadSteps = (KILN_HEAD + 15) / 16; ///< products of 16 terms

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
