// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A product of matrices of one byte per element, or a convolution with channels last, which is a
// product of patches of the input with the kernel weights; the scales of both operands and any
// pointwise operations follow in the same launch.
//
// A block of four warps computes a tile of the result. It copies 64 bytes of the terms of its rows
// and columns at a time to shared memory, three steps ahead. The terms of a convolution are those
// of one tap of the window after the other; each tap has a multiple of 16 terms, the last of which
// are zeros. When all sums are there, they are exchanged by way of the same memory, so that threads
// finish and store neighbours of a row.
//
// In shared memory, word w (16 bytes) of the 64 bytes of row r is at place w ^ (r / 2 % 4): eight
// neighbouring rows of a matrix unit's tile then lie in different banks.
//
// The source that includes this file (quantized/quantized_source.cpp) defines Left, Right and
// Output, the struct Operands with the pointers of all operands, and
//   float scaleOf(Operands const&, Arguments const&, int64_t column)
//   float biasOf(Operands const&, Arguments const&, int64_t column)
//   Output resultOf(float, Operands const&, Arguments const&, int64_t row, int64_t column)
// behind a declaration of Arguments, in this order: arguments, functions, this file.
// Source of the idea of an implicit product: Chetlur et al., cuDNN, 2014.
#pragma once

#include "narrow_units.cuh"

typedef typename Narrow<Left>::Sum Total;

constexpr int kThreads = 128;
constexpr int kStepBytes = 64; ///< terms of a step
constexpr int kWordBytes = 16;
constexpr int kStages = 4;

__device__ inline int placeInStep(int row, int word) {
    return row * kStepBytes + (word ^ (row >> 1 & 3)) * kWordBytes;
}

/// Copies up to 16 neighbouring terms to a word of shared memory, zeros behind them.
__device__ inline void copyTerms(uint8_t* to, uint8_t const* from, int count, int64_t stride,
                                 bool wide) {
    if (wide) {
        beginCopy(to, from, count > 0);
        return;
    }
    Pack<uint8_t, kWordBytes> word{};
#pragma unroll
    for (int i = 0; i < kWordBytes; ++i) {
        if (i < count) {
            word.at[i] = from[i * stride];
        }
    }
    *reinterpret_cast<Pack<uint8_t, kWordBytes>*>(to) = word;
}

/// Where the terms of a thread's word are in the window.
struct TermPlace {
    int channel;
    int tap = 0;
    int z = 0;
    int y = 0;
    int x = 0;

    __device__ void settle(Arguments const& arguments) {
        while (channel >= arguments.paddedTerms) {
            channel -= arguments.paddedTerms;
            ++tap;
            if (++x == arguments.width.size) {
                x = 0;
                if (++y == arguments.height.size) {
                    y = 0;
                    ++z;
                }
            }
        }
    }
};

/// A row of the left operand that this thread copies: where its window begins.
struct LeftRow {
    int64_t offset;
    int z;
    int y;
    int x;
    bool exists;

    __device__ void find(Arguments const& arguments, int64_t row) {
        exists = row < arguments.rows;
        offset = row * arguments.leftRow;
        z = y = x = 0;
        if (arguments.taps == 0 || !exists) { // 0: a product
            return;
        }
        Axis const& depth = arguments.depth;
        Axis const& height = arguments.height;
        Axis const& width = arguments.width;
        int const lines = static_cast<int>(row) / width.output;
        int const slices = lines / height.output;
        int const image = slices / depth.output;
        x = (static_cast<int>(row) - lines * width.output) * width.stride - width.before;
        y = (lines - slices * height.output) * height.stride - height.before;
        z = (slices - image * depth.output) * depth.stride - depth.before;
        int64_t const plane = static_cast<int64_t>(depth.input) * height.input * width.input;
        offset = (image * plane + (static_cast<int64_t>(z) * height.input + y) * width.input + x) *
                 arguments.leftRow;
    }

    /// Whether the input has the position of this tap; `to` is its offset.
    __device__ bool reaches(Arguments const& arguments, TermPlace const& place, int64_t& to) const {
        Axis const& depth = arguments.depth;
        Axis const& height = arguments.height;
        Axis const& width = arguments.width;
        int const dz = place.z * depth.dilation;
        int const dy = place.y * height.dilation;
        int const dx = place.x * width.dilation;
        to = offset +
             ((static_cast<int64_t>(dz) * height.input + dy) * width.input + dx) *
                 arguments.leftRow +
             place.channel * arguments.leftTerm;
        return exists && z + dz >= 0 && z + dz < depth.input && y + dy >= 0 &&
               y + dy < height.input && x + dx >= 0 && x + dx < width.input;
    }
};

/// The result's tile of one block: 32 * kRowTiles rows, 16 * kColumnTiles columns.
template <int kRowTiles, int kColumnTiles>
struct QuantizedTile {
    static constexpr int kRows = 32 * kRowTiles;
    static constexpr int kColumns = 16 * kColumnTiles;
    static constexpr int kLeftBytes = kRows * kStepBytes;
    static constexpr int kStageBytes = (kRows + kColumns) * kStepBytes;
    static constexpr int kSumBytes = kRows * kColumns * 4;
    static constexpr int kShared =
        kStages * kStageBytes > kSumBytes ? kStages * kStageBytes : kSumBytes;
    static constexpr int kLeftWords = kRows / 32; ///< of a thread, in a step
    static constexpr int kRightWords = kColumns / 32;

    Arguments const& arguments;
    uint8_t* shared;
    uint8_t const* left;
    uint8_t const* right;
    bool leftWide;
    bool rightWide;
    int firstRow;
    int firstColumn;
    TermPlace place;
    LeftRow rows[kLeftWords];
    Total sums[kRowTiles][kColumnTiles][4];

    __device__ void begin() {
        int const thread = static_cast<int>(threadIdx.x);
        place = TermPlace{thread % 4 * kWordBytes};
        place.settle(arguments);
#pragma unroll
        for (int i = 0; i < kLeftWords; ++i) {
            rows[i].find(arguments, firstRow + thread / 4 + i * 32);
        }
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    sums[i][j][k] = Total{0};
                }
            }
        }
    }

    /// Copies the next step's terms; call once for each step, in order.
    __device__ void copy(int step) {
        int const thread = static_cast<int>(threadIdx.x);
        uint8_t* const stage = shared + step % kStages * kStageBytes;
        bool const inWindow = arguments.taps == 0 ? place.tap == 0 : place.tap < arguments.taps;
        int const rest = inWindow ? arguments.terms - place.channel : 0;
        int const count = rest < kWordBytes ? rest : kWordBytes;
#pragma unroll
        for (int i = 0; i < kLeftWords; ++i) {
            int const row = thread / 4 + i * 32;
            int64_t from = 0;
            bool const there = rows[i].reaches(arguments, place, from) && count > 0;
            copyTerms(stage + placeInStep(row, thread % 4), left + (there ? from : 0),
                      there ? count : 0, arguments.leftTerm, leftWide);
        }
        int const rightRest = arguments.packed != 0 ? (inWindow ? kWordBytes : 0) : count;
        int64_t const term =
            static_cast<int64_t>(place.tap) * arguments.paddedTerms + place.channel;
#pragma unroll
        for (int i = 0; i < kRightWords; ++i) {
            int const column = thread / 4 + i * 32;
            bool const there = firstColumn + column < arguments.columns && rightRest > 0;
            int64_t const from = (firstColumn + column) * arguments.rightColumn +
                                 term * arguments.rightTerm;
            copyTerms(stage + kLeftBytes + placeInStep(column, thread % 4),
                      right + (there ? from : 0), there ? rightRest : 0, arguments.rightTerm,
                      rightWide);
        }
        place.channel += kStepBytes;
        place.settle(arguments);
    }

    __device__ void multiply(int step) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const warp = static_cast<int>(threadIdx.x) / 32;
        uint8_t const* const stage = shared + step % kStages * kStageBytes;
        uint8_t const* const rightStage = stage + kLeftBytes;
        int const row = warp / 2 * 16 * kRowTiles + lane % 16;
        int const column = warp % 2 * 8 * kColumnTiles + lane / 16 * 8 + lane % 8;
#pragma unroll
        for (int part = 0; part < 2; ++part) { // of 32 terms
            uint32_t lefts[kRowTiles][4];
            uint32_t rights[kColumnTiles / 2][4];
#pragma unroll
            for (int i = 0; i < kRowTiles; ++i) {
                loadTiles(lefts[i], stage + placeInStep(row + i * 16, part * 2 + lane / 16));
            }
#pragma unroll
            for (int j = 0; j < kColumnTiles / 2; ++j) {
                loadTiles(rights[j], rightStage + placeInStep(column + j * 16,
                                                              part * 2 + lane / 8 % 2));
            }
#pragma unroll
            for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
                for (int j = 0; j < kColumnTiles; ++j) {
                    multiplyAddBytes<Left, Right>(sums[i][j], lefts[i], rights[j / 2][j % 2 * 2],
                                                  rights[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }

    __device__ void multiplyAll() {
        int const steps = arguments.steps;
        for (int i = 0; i < kStages - 1; ++i) {
            if (i < steps) {
                copy(i);
            }
            endGroup();
        }
        for (int i = 0; i < steps; ++i) {
            waitForGroups<kStages - 2>();
            __syncthreads();
            if (i + kStages - 1 < steps) {
                copy(i + kStages - 1); // to where step i - 1 was
            }
            endGroup();
            multiply(i);
        }
        waitForGroups<0>();
        __syncthreads();
    }

    /// Four sums of a row begin here in the exchange; neighbouring rows lie in different banks.
    __device__ static int placeOfSums(int row, int group) {
        return row * kColumns + (group ^ (row & 7)) * 4;
    }

    __device__ void exchange() {
        float* const all = reinterpret_cast<float*>(shared);
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    int const row = (warp / 2 * kRowTiles + i) * 16 + half * 8 + lane / 4;
                    int const column = (warp % 2 * kColumnTiles + j) * 8 + lane % 4 * 2;
                    Pack<float, 2> const two = {static_cast<float>(sums[i][j][half * 2]),
                                                static_cast<float>(sums[i][j][half * 2 + 1])};
                    *reinterpret_cast<Pack<float, 2>*>(
                        all + placeOfSums(row, column / 4) + column % 4) = two;
                }
            }
        }
        __syncthreads();
    }

    /// Scales, the operations behind, and the stores. `resultRow` and `resultColumn`: those of the
    /// batch's first result.
    __device__ void finish(Operands const& operands, Output* to, int64_t resultRow,
                           int64_t resultColumn) {
        constexpr int kGroups = kColumns / 4;
        float const* const all = reinterpret_cast<float const*>(shared);
        int const group = static_cast<int>(threadIdx.x) % kGroups;
        int const column = firstColumn + group * 4;
        float scales[4];
        float biases[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            bool const there = column + k < arguments.columns;
            scales[k] = there ? scaleOf(operands, arguments, resultColumn + column + k) : 0.0F;
            biases[k] = there ? biasOf(operands, arguments, resultColumn + column + k) : 0.0F;
        }
        bool const wide = arguments.wideResults != 0 && column + 4 <= arguments.columns &&
                          (reinterpret_cast<uint64_t>(to) & (4 * sizeof(Output) - 1)) == 0;
        for (int i = static_cast<int>(threadIdx.x) / kGroups; i < kRows; i += kThreads / kGroups) {
            if (firstRow + i >= arguments.rows) {
                break;
            }
            int64_t const row = resultRow + firstRow + i;
            Pack<float, 4> const own =
                *reinterpret_cast<Pack<float, 4> const*>(all + placeOfSums(i, group));
            Pack<Output, 4> results;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                if (column + k < arguments.columns) {
                    results.at[k] = resultOf(own.at[k] * scales[k] + biases[k], operands, arguments,
                                             row, resultColumn + column + k);
                }
            }
            Output* const at = to + row * arguments.resultRow + resultColumn + column;
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

template <int kRowTiles, int kColumnTiles>
__device__ inline void quantizedProduct(void const* left, void const* right,
                                        Operands const& operands, Output* to,
                                        Arguments const& arguments) {
    typedef QuantizedTile<kRowTiles, kColumnTiles> Tile;
    KILN_DYNAMIC_SHARED(memory, Tile::kShared);
    int const down = static_cast<int>((arguments.rows + Tile::kRows - 1) / Tile::kRows);
    int const across = (arguments.columns + Tile::kColumns - 1) / Tile::kColumns;
    int const tiles = down * across;
    int batch = static_cast<int>(blockIdx.x) / tiles;
    int const index = static_cast<int>(blockIdx.x) - batch * tiles;
    auto const* leftBytes = static_cast<uint8_t const*>(left);
    auto const* rightBytes = static_cast<uint8_t const*>(right);
    bool const leftWide = arguments.wideLeft != 0 && isAligned16(left);
    bool const rightWide = arguments.wideRight != 0 && isAligned16(right);
    int64_t resultRow = 0;
    int64_t resultColumn = 0;
    for (int i = arguments.loops - 1; i >= 0; --i) {
        Loop const& loop = arguments.batch[i];
        int const outer = batch / loop.extent;
        int const at = batch - outer * loop.extent;
        batch = outer;
        leftBytes += at * loop.left;
        rightBytes += at * loop.right;
        resultRow += at * loop.row;
        resultColumn += at * loop.column;
    }
    Tile tile{arguments,      memory,         leftBytes,
              rightBytes,     leftWide,       rightWide,
              index % down * Tile::kRows, index / down * Tile::kColumns};
    tile.begin();
    tile.multiplyAll();
    tile.exchange();
    tile.finish(operands, to, resultRow, resultColumn);
}
