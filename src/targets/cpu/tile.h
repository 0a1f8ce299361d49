// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/cpu/block.h"

namespace kiln::targets::cpu {

/// A matrix product is split into tiles of the result. A task computes one tile on its stack: no
/// workspace, and the sums do not depend on the number of threads.
constexpr int64_t kTileRows = 48;   // a multiple of kRowsAtOnce of each instruction set
constexpr int64_t kTileDepth = 128; // b then takes 32 KiB, the size of an L1 cache

struct Tile {
    alignas(64) float a[kTileRows * kTileDepth];
    alignas(64) float b[kTileDepth * kTileColumns];
    alignas(64) float c[kTileRows * kTileColumns];
};

/// Number of columns that Isa::tileProduct accesses to compute `columns`.
inline int64_t paddedColumns(int64_t columns) noexcept {
    return (columns + 31) / 32 * 32;
}

inline int64_t tilesOf(int64_t extent, int64_t tile) noexcept {
    return (extent + tile - 1) / tile;
}

/// to[i * toRow + k] = from[i * rowStride + k * step], for `rows` by `count` elements.
template <typename T>
void packRows(T const* from, int64_t rowStride, int64_t step, int64_t rows, int64_t count,
              float* to, int64_t toRow) noexcept {
    for (int64_t row = 0; row < rows; ++row) {
        if (step == 1) {
            toFloats(from + row * rowStride, to + row * toRow, count);
        } else {
            for (int64_t k = 0; k < count; ++k) {
                to[row * toRow + k] = load(from[row * rowStride + k * step]);
            }
        }
    }
}

/// Seconds for a product split into tiles, measured on one core: the arithmetic of the padded tiles
/// plus an overhead per task.
inline double tileSeconds(double batch, double rows, double columns, double depth) {
    double const padded = std::ceil(columns / 32.0) * 32.0;
    double const tasks = std::ceil(rows / kTileRows) * std::ceil(columns / kTileColumns);
    return batch * (2.0 * rows * padded * depth / 3e10 + tasks * 5e-7);
}

} // namespace kiln::targets::cpu
