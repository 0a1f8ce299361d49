// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The product or convolution of quantized_product.cuh on GPUs of compute capability 9.0, for
// operands of int8 or uint8 whose rows are whole words of 16 bytes. A tile is 128 rows by kColumns.
// Two warpgroups of a block compute 64 rows each; two more warps copy 128 bytes of the terms of its
// rows and columns at a time, some steps ahead. Two blocks share a multiprocessor, so that one
// computes while the other one begins or ends.
//
// The copy engine copies if the operands are described to it: for each tap of the window, the
// positions of 128 results (im2col). Else the threads do; then a row of the left operand is a
// position of the result, of which a thread knows where the window begins.
//
// The source that includes this file (quantized/quantized_source.cpp) defines what that of
// quantized_product.cuh does.
// Source: Thakkar et al., CUTLASS, documentation of the warp-specialized kernels for Hopper;
// Chetlur et al., cuDNN, 2014.
#pragma once

#include "tensor_copies.cuh"
#include "warpgroup_bytes.cuh"

constexpr int kTileRows = 128;
constexpr int kComputing = 2 * kWarpgroup; ///< threads
constexpr int kCopying = 64;
constexpr int kBlock = kComputing + kCopying;
constexpr int kWordBytes = 16;
constexpr int kWordsOfRow = kPanelRowBytes / kWordBytes;
constexpr int kRowsAtOnce = kCopying / kWordsOfRow; ///< that the copying threads reach

/// Same layout as in quantized/quantized_warpgroups.cpp.
struct WarpgroupArguments {
    TensorMap left;  ///< 128 terms of 128 positions, or of rows
    TensorMap right; ///< 128 terms of the columns of a tile
    Arguments all;
    int32_t described; ///< whether the maps are
};

/// Where the terms of a thread's word are in the window.
struct TapPlace {
    int channel;
    int tap;
    int y;
    int x;

    __device__ void settle(Arguments const& arguments) {
        while (channel >= arguments.paddedTerms) {
            channel -= arguments.paddedTerms;
            ++tap;
            if (++x == arguments.width.size) {
                x = 0;
                ++y;
            }
        }
    }
};

/// A row that a thread copies: where its window begins, in the operand and in the image.
struct WindowPlace {
    int offset;
    int places; ///< y and x, of 16 bits each

    __device__ void find(Arguments const& arguments, int64_t row) {
        int y = 0;
        int x = 0;
        int const number = static_cast<int>(row);
        offset = number * static_cast<int>(arguments.leftRow);
        if (arguments.taps > 0) { // else a product
            Axis const& height = arguments.height;
            Axis const& width = arguments.width;
            int const line = number / width.output;
            int const image = line / height.output;
            x = (number - line * width.output) * width.stride - width.before;
            y = (line - image * height.output) * height.stride - height.before;
            offset = ((image * height.input + y) * width.input + x) *
                     static_cast<int>(arguments.leftRow);
        }
        y = row < arguments.rows ? y : -32768; // never reached
        places = static_cast<int>(static_cast<uint32_t>(y) << 16 |
                                  (static_cast<uint32_t>(x) & 0xffffU));
    }
    __device__ int y() const { return places >> 16; }
    __device__ int x() const { return static_cast<int>(static_cast<uint32_t>(places) << 16) >> 16; }
};

template <int kColumns>
struct WarpgroupTile {
    static constexpr int kStages = kColumns == 64 ? 4 : 3;
    static constexpr int kLeftBytes = kTileRows * kPanelRowBytes;
    static constexpr int kStageBytes = kLeftBytes + kColumns * kPanelRowBytes;
    static constexpr int kSumBytes = kTileRows * kColumns * 4;
    static constexpr int kShared =
        kStages * kStageBytes > kSumBytes ? kStages * kStageBytes : kSumBytes;

    Arguments const& arguments;
    uint8_t* shared;
    StageBarrier* filled;
    StageBarrier* used;
    int firstRow;
    int firstColumn;
    int steps;
    bool described;

    /// By the copy engine, for one thread: terms of a tap are whole steps.
    __device__ void describeAll(TensorMap const& left, TensorMap const& right) {
        bool const product = arguments.taps == 0;
        Axis const& height = arguments.height;
        Axis const& width = arguments.width;
        int const line = product ? 0 : firstRow / width.output;
        int const image = product ? 0 : line / height.output;
        int const x = product ? 0 : (firstRow - line * width.output) * width.stride - width.before;
        int const y = product ? 0 : (line - image * height.output) * height.stride - height.before;
        TapPlace place{0, 0, 0, 0};
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            int const stage = step % kStages;
            waitForPhase(used[stage], (step / kStages + 1) % 2);
            uint8_t* const to = shared + stage * kStageBytes;
            arriveAndExpect(filled[stage], kStageBytes);
            if (product) {
                copyBox(to, left, place.channel, firstRow, filled[stage]);
            } else {
                copyPositions(to, left, place.channel, x, y, image, place.x * width.dilation,
                              place.y * height.dilation, filled[stage]);
            }
            copyBox(to + kLeftBytes, right, step * kPanelRowBytes, firstColumn, filled[stage]);
            place.channel += kPanelRowBytes;
            place.settle(arguments);
        }
    }

    /// Copies up to 16 bytes to a word that products read; zeros behind them.
    __device__ static void copyWord(uint8_t* to, uint8_t const* from, bool there, bool wide) {
        if (wide) {
            beginCopy(to, from, there);
            return;
        }
        Pack<uint8_t, kWordBytes> word{};
        for (int i = 0; there && i < kWordBytes; ++i) {
            word.at[i] = from[i];
        }
        *reinterpret_cast<Pack<uint8_t, kWordBytes>*>(to) = word;
    }

    __device__ void copyAll(uint8_t const* left, uint8_t const* right) {
        int const thread = static_cast<int>(threadIdx.x) - kComputing;
        int const word = thread % kWordsOfRow;
        int const line = thread / kWordsOfRow;
        bool const wide = isAligned16(left) && isAligned16(right);
        bool const product = arguments.taps == 0;
        int const height = product ? 1 : arguments.height.input;
        int const width = product ? 1 : arguments.width.input;
        int const taps = product ? 1 : arguments.taps;
        TapPlace place{word * kWordBytes, 0, 0, 0};
        place.settle(arguments);
        WindowPlace rows[kTileRows / kRowsAtOnce];
#pragma unroll
        for (int i = 0; i < kTileRows / kRowsAtOnce; ++i) {
            rows[i].find(arguments, firstRow + line + i * kRowsAtOnce);
        }
        // Word w of a row is at place w ^ (row % 8), and rows lie a multiple of 8 apart.
        int const inPanel = line * kPanelRowBytes + (word ^ (line % 8)) * kWordBytes;
        int const pitch = static_cast<int>(arguments.rightColumn);
        int fromRight = (firstColumn + line) * pitch + word * kWordBytes;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            int const stage = step % kStages;
            waitForPhase(used[stage], (step / kStages + 1) % 2);
            uint8_t* const to = shared + stage * kStageBytes + inPanel;
            bool const inWindow = place.tap < taps;
            int const dy = place.y * arguments.height.dilation;
            int const dx = place.x * arguments.width.dilation;
            int const shift =
                (dy * width + dx) * static_cast<int>(arguments.leftRow) + place.channel;
#pragma unroll
            for (int i = 0; i < kTileRows / kRowsAtOnce; ++i) {
                bool const there =
                    inWindow &&
                    static_cast<uint32_t>(rows[i].y() + dy) < static_cast<uint32_t>(height) &&
                    static_cast<uint32_t>(rows[i].x() + dx) < static_cast<uint32_t>(width);
                copyWord(to + i * kRowsAtOnce * kPanelRowBytes,
                         left + (there ? rows[i].offset + shift : 0), there, wide);
            }
#pragma unroll
            for (int i = 0; i < kColumns / kRowsAtOnce; ++i) {
                bool const there =
                    inWindow && firstColumn + line + i * kRowsAtOnce < arguments.columns;
                copyWord(to + kLeftBytes + i * kRowsAtOnce * kPanelRowBytes,
                         right + (there ? fromRight + i * kRowsAtOnce * pitch : 0), there, wide);
            }
            if (wide) {
                arriveAfterCopies(filled[stage]);
            } else {
                arrive(filled[stage]);
            }
            fromRight += kPanelRowBytes;
            place.channel += kPanelRowBytes;
            place.settle(arguments);
        }
    }

    __device__ void release(int stage) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(used[stage]);
        }
    }

    __device__ void multiplyAll(int32_t (&sums)[kColumns / 8][4], int group) {
#pragma unroll
        for (int i = 0; i < kColumns / 8; ++i) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                sums[i][k] = 0;
            }
        }
        holdInPlace(sums);
        beforeMoreProducts();
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            int const stage = step % kStages;
            waitForPhase(filled[stage], step / kStages % 2);
            if (!described) {
                writtenForProducts();
            }
            uint8_t const* const from = shared + stage * kStageBytes;
            PanelOperand const left =
                panelOperand(from + group * kWarpgroupRows * kPanelRowBytes);
            PanelOperand const right = panelOperand(from + kLeftBytes);
            beforeMoreProducts();
#pragma unroll
            for (int i = 0; i < kPanelRowBytes; i += 32) {
                beginByteProduct<Left, Right>(sums, left.after(i), right.after(i), true);
            }
            endProducts();
            if (step > 0) {
                waitForOlderProducts<1>();
                release((step - 1) % kStages);
            }
        }
        waitForOlderProducts<0>();
        holdInPlace(sums);
    }

    /// Four sums of a row begin here in the exchange; neighbouring rows lie in different banks.
    __device__ static int placeOfSums(int row, int group) {
        return row * kColumns + (group ^ (row & 7)) * 4;
    }

    __device__ void exchange(int32_t const (&sums)[kColumns / 8][4]) {
        float* const all = reinterpret_cast<float*>(shared);
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
        for (int i = 0; i < kColumns / 8; ++i) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int const row = warp * 16 + half * 8 + lane / 4;
                int const column = i * 8 + lane % 4 * 2;
                Pack<float, 2> const two = {static_cast<float>(sums[i][half * 2]),
                                            static_cast<float>(sums[i][half * 2 + 1])};
                *reinterpret_cast<Pack<float, 2>*>(all + placeOfSums(row, column / 4) +
                                                   column % 4) = two;
            }
        }
    }

    /// Scales, the operations behind, and the stores, by the threads that computed.
    __device__ void finish(Operands const& operands, Output* to) {
        constexpr int kGroups = kColumns / 4;
        float const* const all = reinterpret_cast<float const*>(shared);
        int const thread = static_cast<int>(threadIdx.x);
        int const group = thread % kGroups;
        int const column = firstColumn + group * 4;
        float scales[4];
        float biases[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            bool const there = column + k < arguments.columns;
            scales[k] = there ? scaleOf(operands, arguments, column + k) : 0.0F;
            biases[k] = there ? biasOf(operands, arguments, column + k) : 0.0F;
        }
        bool const wide = arguments.wideResults != 0 && column + 4 <= arguments.columns &&
                          (reinterpret_cast<uint64_t>(to) & (4 * sizeof(Output) - 1)) == 0;
#pragma unroll 4
        for (int i = thread / kGroups; i < kTileRows; i += kComputing / kGroups) {
            int64_t const row = firstRow + i;
            if (row >= arguments.rows) {
                break;
            }
            Pack<float, 4> const own =
                *reinterpret_cast<Pack<float, 4> const*>(all + placeOfSums(i, group));
            Pack<Output, 4> results;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (column + k < arguments.columns) {
                    results.at[k] = resultOf(own.at[k] * scales[k] + biases[k], operands,
                                             arguments, row, column + k);
                }
            }
            Output* const at = to + row * arguments.resultRow + column;
            if (wide) {
                *reinterpret_cast<Pack<Output, 4>*>(at) = results;
                continue;
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (column + k < arguments.columns) {
                    at[k] = results.at[k];
                }
            }
        }
    }
};

template <int kColumns>
__device__ inline void quantizedWarpgroups(void const* left, void const* right,
                                           Operands const& operands, Output* to,
                                           WarpgroupArguments const& given) {
    typedef WarpgroupTile<kColumns> Tile;
    Arguments const& arguments = given.all;
    bool const described = given.described != 0;
    KILN_DYNAMIC_SHARED(memory, Tile::kShared);
    __shared__ StageBarrier barriers[2 * Tile::kStages];
    int const down = static_cast<int>((arguments.rows + kTileRows - 1) / kTileRows);
    int const index = static_cast<int>(blockIdx.x);
    int const column = index / down;
    int const taps = arguments.taps == 0 ? 1 : arguments.taps;
    Tile tile{arguments,
              memory,
              barriers,
              barriers + Tile::kStages,
              (index - column * down) * kTileRows,
              column * kColumns,
              (taps * arguments.paddedTerms + kPanelRowBytes - 1) / kPanelRowBytes,
              described};
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < Tile::kStages; ++stage) {
            initBarrier(tile.filled[stage], described ? 1 : kCopying);
            initBarrier(tile.used[stage], 2 * 4); // warps
        }
        publishBarriers();
    }
    __syncthreads();
    if (threadIdx.x >= kComputing) {
        if (!described) {
            tile.copyAll(static_cast<uint8_t const*>(left), static_cast<uint8_t const*>(right));
        } else if (threadIdx.x == kComputing) {
            tile.describeAll(given.left, given.right);
        }
        __syncthreads(); // nobody reads the stages any more
        __syncthreads(); // all sums are there
        return;
    }
    int32_t sums[kColumns / 8][4];
    tile.multiplyAll(sums, static_cast<int>(threadIdx.x) / kWarpgroup);
    __syncthreads();
    tile.exchange(sums);
    __syncthreads();
    tile.finish(operands, to);
}
