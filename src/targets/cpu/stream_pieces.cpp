// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The matrices of a language model are packed each time an engine is built, so this should take
// as long as reading and writing them. Blocks of 16 rows stay in the L1 cache, and each side is
// read or written in whole cache lines.
#include "targets/cpu/stream_pieces.h"

#include <algorithm>

#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

constexpr int64_t kWidth = kStreamColumns;
constexpr int64_t kBlock = 16; ///< rows; a cache line of one column

/// Pieces [begin, end) of a matrix whose columns lie side by side: row after row.
void packRows(StridedMatrix const& from, int64_t begin, int64_t end, float* to) {
    for (int64_t block = 0; block < from.inner; block += kBlock) {
        int64_t const last = std::min(block + kBlock, from.inner);
        for (int64_t tile = begin; tile < end; ++tile) {
            int64_t const first = tile * kWidth;
            int64_t const count = std::min(kWidth, from.columns - first);
            for (int64_t k = block; k < last; ++k) {
                std::copy_n(from.data + k * from.stepInner + first, count,
                            to + first * from.inner + k * kWidth);
            }
        }
    }
}

/// One piece of a matrix in any order.
void packColumns(StridedMatrix const& from, int64_t tile, float* to) {
    int64_t const first = tile * kWidth;
    int64_t const count = std::min(kWidth, from.columns - first);
    float* const piece = to + first * from.inner;
    for (int64_t block = 0; block < from.inner; block += kBlock) {
        int64_t const last = std::min(block + kBlock, from.inner);
        for (int64_t column = 0; column < count; ++column) {
            float const* const source = from.data + (first + column) * from.stepColumn;
            for (int64_t k = block; k < last; ++k) {
                piece[k * kWidth + column] = source[k * from.stepInner];
            }
        }
    }
}

} // namespace

void packPieces(StridedMatrix const& from, float* to) {
    parallelFor(tilesOf(from.columns, kWidth), 1, [&](int64_t begin, int64_t end) {
        if (from.stepColumn == 1) {
            packRows(from, begin, end, to);
            return;
        }
        for (int64_t tile = begin; tile < end; ++tile) {
            packColumns(from, tile, to);
        }
    });
}

} // namespace kiln::targets::cpu
