// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A few rows read each number once, into registers: the time is that of reading the matrix. For
// more rows, tiles of it become floats in the cache, for tileProduct().
#include "targets/cpu/narrow_product.h"

#include <algorithm>

#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/tile.h"

namespace kiln::targets::cpu {
namespace {

constexpr int64_t kFewRows = 16; ///< measured: 416 us, 17 rows by tiles 569
constexpr int64_t kPanelRows = 128;

void copyPiece(NarrowProduct const& product, float const* from, int64_t fromRow, int64_t rows,
               int64_t column, int64_t width, float* to) {
    int64_t const count = std::min(width, product.matrix.columns - column);
    for (int64_t row = 0; row < rows; ++row) {
        std::copy_n(from + row * fromRow, count, to + row * product.matrix.columns + column);
    }
}

/// Each task computes some pieces of all rows.
void multiplyFew(NarrowProduct const& product, float const* x, float* to) {
    NarrowMatrix const& matrix = product.matrix;
    auto const multiply = isa().narrowProduct[static_cast<int32_t>(matrix.kind)];
    parallelFor(matrix.pieces(), grainFor(matrix.inner * 16), [&](int64_t begin, int64_t end) {
        alignas(64) float totals[kFewRows * kStreamColumns];
        for (int64_t piece = begin; piece < end; ++piece) {
            std::fill_n(totals, product.rows * kStreamColumns, 0.0F);
            multiply(matrix.piece(product.numbers, product.scales, piece), product.rows, x,
                     matrix.inner, totals);
            copyPiece(product, totals, kStreamColumns, product.rows, piece * kStreamColumns,
                      kStreamColumns, to);
        }
    });
}

struct Panel {
    alignas(64) float b[kTileDepth * kTileColumns];
    alignas(64) float c[kPanelRows * kTileColumns];
};

/// One panel of the result: up to kPanelRows rows by kTileColumns columns.
void multiplyPanel(NarrowProduct const& product, float const* x, int64_t rows, int64_t column,
                   Panel& panel) {
    NarrowMatrix const& matrix = product.matrix;
    auto const expand = isa().narrowToFloat[static_cast<int32_t>(matrix.kind)];
    int64_t const columns = std::min(kTileColumns, matrix.columns - column);
    std::fill_n(panel.c, rows * kTileColumns, 0.0F);
    for (int64_t k = 0; k < matrix.inner; k += kTileDepth) {
        int64_t const depth = std::min(kTileDepth, matrix.inner - k);
        for (int64_t i = 0; i < columns; i += kStreamColumns) {
            int64_t const number = (column + i) / kStreamColumns;
            expand(matrix.piece(product.numbers, product.scales, number), k, k + depth, panel.b + i,
                   kTileColumns);
        }
        isa().tileProduct(rows, columns, depth, x + k, matrix.inner, panel.b, kTileColumns,
                          panel.c);
    }
}

void multiplyMany(NarrowProduct const& product, float const* x, float* to) {
    NarrowMatrix const& matrix = product.matrix;
    int64_t const across = tilesOf(matrix.columns, kTileColumns);
    int64_t const down = tilesOf(product.rows, kPanelRows);
    parallelFor(across * down, 1, [&](int64_t begin, int64_t end) {
        Panel panel;
        for (int64_t task = begin; task < end; ++task) {
            int64_t const row = task / across * kPanelRows;
            int64_t const column = task % across * kTileColumns;
            int64_t const rows = std::min(kPanelRows, product.rows - row);
            multiplyPanel(product, x + row * matrix.inner, rows, column, panel);
            copyPiece(product, panel.c, kTileColumns, rows, column, kTileColumns,
                      to + row * matrix.columns);
        }
    });
}

} // namespace

void multiplyNarrow(NarrowProduct const& product, float const* x, float* to) {
    (product.rows <= kFewRows ? multiplyFew : multiplyMany)(product, x, to);
}

} // namespace kiln::targets::cpu
