// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A matrix product with pointwise operations behind it, on GPUs of compute capability 9.0: result =
// function(left * right, operands...). A tile is 128 rows by 256 columns. Two warpgroups compute 64
// rows of it each; the first warpgroup copies 64 terms of both matrices at a time, four steps ahead
// and on to the next tile of the block. (Tried and no faster: clusters of two blocks that share the
// copies of the right matrix, and warpgroups that begin some steps apart.)
//
// The copy engine copies if the matrices are described to it, else the threads do.
//
// The source that includes this file (product/product_region.cpp) defines Element, kDown (the right
// matrix is [terms, columns], else [columns, terms]), kOperands, and
//   float resultOf(float sum, Element const (&operands)[kPlaces]), kPlaces being kOperands or 1
// Source: Thakkar et al., CUTLASS, documentation of the warp-specialized kernels for Hopper.
#pragma once

#include "dependents.cuh"
#include "product_copies.cuh"

/// Two neighbouring elements of each operand.
struct Pairs {
    Element low[kPlaces];
    Element high[kPlaces];

    __device__ void load(Operands const& operands, Arguments const& arguments, int row,
                         int column) {
#pragma unroll
        for (int i = 0; i < kOperands; ++i) {
            Element const* const from = operands[i] + row * arguments.rowStrides[i] +
                                        column * arguments.columnStrides[i];
            low[i] = from[0];
            high[i] = from[column + 1 < arguments.columns ? arguments.columnStrides[i] : 0];
        }
    }
};

/// The pairs of a tile whose only operand is one row of words, for all rows. They are loaded before
/// the product, which hides the wait for memory.
struct RowOfPairs {
    uint32_t words[kTileColumns / 8];

    __device__ void load(Element const* operand, int firstColumn, int columns) {
#pragma unroll
        for (int i = 0; i < kTileColumns / 8; ++i) {
            int const column = firstColumn + i * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
            Element const* const from = operand + (column < columns ? column : 0);
            words[i] = *reinterpret_cast<uint32_t const*>(from);
        }
    }
    __device__ Pairs at(int i) const {
        Pairs pairs;
        pairs.low[0].bits = static_cast<uint16_t>(words[i]);
        pairs.high[0].bits = static_cast<uint16_t>(words[i] >> 16);
        return pairs;
    }
};

/// A warpgroup that computes 64 rows of a tile.
struct Multiplier {
    Arguments const& arguments;
    SharedMemory const& shared;
    int group;
    int steps = 0; ///< so far
    float sums[kTileColumns / 8][4];

    /// This warp is done with a stage.
    __device__ void release(int stage) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(shared.used[stage]);
        }
    }

    __device__ void begin(int stage, bool add) {
        constexpr int kRightPanel = kTerms * kPanelRowBytes; // from 64 columns to the next
        PanelOperand const left = panelOperand(shared.left + stage * kLeftTile +
                                               group * kWarpgroupRows * kPanelWidth);
        PanelOperand const right =
            panelOperand(shared.right + stage * kRightTile, kDown ? kRightPanel : 0);
#pragma unroll
        for (int i = 0; i < kTerms / 16; ++i) {
            beginProduct<Element, kDown>(sums, left.after(i * 32),
                                         right.after(i * (kDown ? 16 * kPanelRowBytes : 32)),
                                         add || i > 0);
        }
        endProducts();
    }

    __device__ void multiply() {
        int const count = (arguments.terms + kTerms - 1) / kTerms;
        beforeProducts(sums);
        for (int i = 0; i < count; ++i) {
            int const stage = (steps + i) % kStages;
            waitForPhase(shared.filled[stage], (steps + i) / kStages % 2);
            if ((arguments.wide & 1) == 0) {
                writtenForProducts();
            }
            beforeMoreProducts();
            begin(stage, i > 0);
            if (i > 0) {
                waitForOlderProducts<1>();
                release((steps + i - 1) % kStages);
            }
        }
        waitForProducts<0>(sums);
        release((steps + count - 1) % kStages);
        steps += count;
    }

    /// The results of 64 columns, by way of shared memory: a row's are stored together.
    /// pairsAt(i, row, column) gives the operands of columns 8 i + 2t and the next.
    template <typename PairsAt>
    __device__ void storePanel(int panel, Element* to, int firstRow, int firstColumn,
                               PairsAt pairsAt) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        Element* const own =
            shared.out + (static_cast<int>(threadIdx.x) / 32 - 4) * kOutTile;
#pragma unroll
        for (int i = 0; i < kPanelWidth / 8; i += 2) {
            uint32_t words[4]; // rows g and g + 8, of columns 8 i and 8 (i + 1)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                int const at = panel * (kPanelWidth / 8) + i + k / 2;
                Pairs const pairs = pairsAt(at, lane / 4 + k % 2 * 8,
                                            firstColumn + (i + k / 2) * 8 + lane % 4 * 2);
                float const* const sum = sums[at] + k % 2 * 2;
                words[k] = pairOf<Element>(resultOf(sum[0], pairs.low),
                                           resultOf(sum[1], pairs.high));
            }
            storeTiles(words, own + placeInPanel(lane % 16, i + lane / 16));
        }
        __syncwarp();
        storeRows(own, to, firstRow, firstColumn);
        __syncwarp();
    }

    __device__ void storeRows(Element const* own, Element* to, int firstRow, int firstColumn) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        bool const wide = (arguments.wide & 2) != 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int const row = i * 4 + lane / 8;
            int const column = firstColumn + lane % 8 * 8;
            if (firstRow + row >= arguments.rows || column >= arguments.columns) {
                continue;
            }
            Pack<Element, 8> const words =
                *reinterpret_cast<Pack<Element, 8> const*>(own + placeInPanel(row, lane % 8));
            Element* const at =
                to + static_cast<int64_t>(firstRow + row) * arguments.columns + column;
            if (wide) {
                *reinterpret_cast<Pack<Element, 8>*>(at) = words;
                continue;
            }
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                if (column + k < arguments.columns) {
                    at[k] = words.at[k];
                }
            }
        }
    }

    __device__ void compute(Tile const& tile, Operands const& operands, Element* to) {
        int const row = tile.row + group * kWarpgroupRows +
                        static_cast<int>(threadIdx.x) % kWarpgroup / 32 * kWarpRows;
        constexpr int kPanels = kTileColumns / kPanelWidth;
        if constexpr (kOperands == 1) {
            if ((arguments.wide & 4) != 0) {
                RowOfPairs pairs;
                pairs.load(operands[0], tile.column, arguments.columns);
                multiply();
#pragma unroll
                for (int i = 0; i < kPanels; ++i) {
                    storePanel(i, to, row, tile.column + i * kPanelWidth,
                               [&](int at, int, int) { return pairs.at(at); });
                }
                return;
            }
        }
        multiply();
#pragma unroll
        for (int i = 0; i < kPanels; ++i) {
            storePanel(i, to, row, tile.column + i * kPanelWidth,
                       [&](int, int inRow, int column) {
                           Pairs pairs{};
                           if (row + inRow < arguments.rows && column < arguments.columns) {
                               pairs.load(operands, arguments, row + inRow, column);
                           }
                           return pairs;
                       });
        }
    }
};

/// The kernel: blocks of 3 * 128 threads.
__device__ inline void multiply(Element const* left, Element const* right,
                                Operands const& operands, Element* to,
                                Arguments const& arguments) {
    KILN_DYNAMIC_SHARED(memory, kShared);
    __shared__ StageBarrier barriers[kBarriers];
    Element* const tiles = reinterpret_cast<Element*>(memory);
    SharedMemory const shared{tiles,
                              tiles + kStages * kLeftTile,
                              tiles + kStages * (kLeftTile + kRightTile),
                              barriers,
                              barriers + kStages};
    int const group = static_cast<int>(threadIdx.x) / kWarpgroup - 1; // -1: copies
    bool const described = (arguments.wide & 1) != 0;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            initBarrier(shared.filled[stage], described ? 1 : kWarpgroup);
            initBarrier(shared.used[stage], kGroups * 4); // warps
        }
        publishBarriers();
        if (described) {
            fetchMap(arguments.left);
            fetchMap(arguments.right);
        }
    }
    __syncthreads();
    waitForInputs();
    int const first = static_cast<int>(blockIdx.x);
    int const next = static_cast<int>(gridDim.x);
    int const count = arguments.tilesDown * arguments.tilesAcross;
    if (group < 0) {
        giveRegisters<72>();
        Copier copier{arguments, shared, left, right};
        if (!described || threadIdx.x < 32) {
            for (int i = first; i < count; i += next) {
                copier.copy(Tile(arguments, i));
            }
        }
        letNextBegin();
    } else {
        takeRegisters<216>();
        Multiplier multiplier{arguments, shared, group};
        for (int i = first; i < count; i += next) {
            multiplier.compute(Tile(arguments, i), operands, to);
        }
    }
}
