// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of product_warpgroups.cuh, and the warpgroup that copies them to shared memory.
#pragma once

#include "tensor_copies.cuh"
#include "warpgroup_units.cuh"


typedef Element const* Operands[kPlaces];

constexpr int kTileRows = 128;
constexpr int kTileColumns = 256;
constexpr int kTerms = kPanelWidth; ///< of a step
constexpr int kStages = 4;
constexpr int kLeftTile = kTileRows * kTerms;
constexpr int kRightTile = kTileColumns * kTerms;
constexpr int kGroups = 2; ///< warpgroups that compute
constexpr int kWarpRows = 16;
constexpr int kOutTile = kWarpRows * kPanelWidth; ///< of a warp
constexpr int kShared =
    2 * (kStages * (kLeftTile + kRightTile) + kGroups * 4 * kOutTile); ///< bytes

/// Same layout as in product/warpgroup_product.cpp.
struct Arguments {
    TensorMap left;  ///< boxes of 128 rows and 64 terms
    TensorMap right; ///< boxes of 64 columns and 64 terms
    int32_t rows;
    int32_t columns;
    int32_t terms;
    int32_t tilesDown;   ///< of the result
    int32_t tilesAcross;
    int32_t wide;        ///< bit 0: the matrices are described, 1: results may be 16 bytes,
                         ///< 2: the only operand is one row, of words
    int64_t rightStride; ///< from row to row; that of the left matrix is `terms`
    int64_t rowStrides[8]; ///< of the operands; 0: the same for all rows
    int32_t columnStrides[8]; ///< 0 or 1
};

/// Where a block works.
struct Tile {
    int row;
    int column;

    __device__ Tile(Arguments const& arguments, int index)
        : row(index % arguments.tilesDown * kTileRows),
          column(index / arguments.tilesDown * kTileColumns) {}
};

struct SharedMemory {
    Element* left;        ///< kStages tiles
    Element* right;       ///< kStages tiles, of panels of 64 columns each
    Element* out;         ///< a tile for each warp that computes
    StageBarrier* filled; ///< kStages
    StageBarrier* used;   ///< kStages
};
constexpr int kBarriers = 2 * kStages;

/// Copies kRows rows of 64 elements to a panel; zeros where there are none.
template <int kRows>
__device__ inline void copyPanel(Element* to, Element const* from, int64_t stride, int rows,
                                 int columns) {
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kPanelWidth; i += kWarpgroup) {
        int const row = i / kPanelWidth;
        int const column = i % kPanelWidth;
        Element element{};
        if (row < rows && column < columns) {
            element = from[row * stride + column];
        }
        to[placeInPanel(row, column / 8) + column % 8] = element;
    }
}

/// The warpgroup that copies.
struct Copier {
    Arguments const& arguments;
    SharedMemory const& shared;
    Element const* left;
    Element const* right;
    int steps = 0; ///< so far

    __device__ void byEngine(Tile const& tile, int term, int stage) {
        StageBarrier& filled = shared.filled[stage];
        if (threadIdx.x != 0) {
            return;
        }
        arriveAndExpect(filled, 2 * (kLeftTile + kRightTile));
        copyBox(shared.left + stage * kLeftTile, arguments.left, term, tile.row, filled);
#pragma unroll
        for (int i = 0; i < kTileColumns; i += kPanelWidth) {
            Element* const to = shared.right + stage * kRightTile + i * kTerms;
            if constexpr (kDown) {
                copyBox(to, arguments.right, tile.column + i, term, filled);
            } else {
                copyBox(to, arguments.right, term, tile.column + i, filled);
            }
        }
    }

    __device__ void byThreads(Tile const& tile, int term, int stage) {
        int const terms = arguments.terms - term;
        copyPanel<kTileRows>(shared.left + stage * kLeftTile,
                             left + static_cast<int64_t>(tile.row) * arguments.terms + term,
                             arguments.terms,
                             arguments.rows - tile.row, terms);
        Element* const to = shared.right + stage * kRightTile;
        int const columns = arguments.columns - tile.column;
        if constexpr (kDown) {
            for (int i = 0; i < kTileColumns; i += kPanelWidth) {
                copyPanel<kTerms>(to + i * kTerms,
                                  right + term * arguments.rightStride + tile.column + i,
                                  arguments.rightStride, terms, columns - i);
            }
        } else {
            copyPanel<kTileColumns>(to, right + tile.column * arguments.rightStride + term,
                                    arguments.rightStride, columns, terms);
        }
        writtenForProducts();
        arrive(shared.filled[stage]);
    }

    __device__ void copy(Tile const& tile) {
        for (int term = 0; term < arguments.terms; term += kTerms, ++steps) {
            int const stage = steps % kStages;
            waitForPhase(shared.used[stage], (steps / kStages + 1) % 2);
            if ((arguments.wide & 1) != 0) {
                byEngine(tile, term, stage);
            } else {
                byThreads(tile, term, stage);
            }
        }
    }
};
