// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention: softmax(scale * Q K^T + mask) V for each batch and head, without the scores in memory.
// Operands have any strides, so heads may lie side by side in a row. A block takes 16 queries per
// warp and passes over the keys in tiles, which are copied to shared memory one tile ahead; a warp
// keeps its scores, sums and results in registers. A row's largest score so far scales what was
// summed before it grew. Products have operands of 16 bits and sums in float.
// Source: Dao, "FlashAttention-2", 2023.
// Macros: attention_scores.cuh.
#include "attention_pairs.cuh"

constexpr int kRow = 16; ///< queries of a warp
constexpr int kHead = (KILN_HEAD + 15) / 16 * 16;
constexpr int kValue = (KILN_VALUE + 15) / 16 * 16;
constexpr int kWidest = kHead < kValue ? kValue : kHead;
/// Keys of a tile: two tiles fit 48 KB of shared memory.
constexpr int kKeys = kWidest <= 64 ? 64 : kWidest <= 128 ? 32 : 16;
// Rows in shared memory begin 16 bytes further along the banks than the row before.
constexpr int kHeadStride = kHead + 8;
constexpr int kValueStride = kValue + 8;

/// Copies `rows` rows of kFilled elements to a tile of kPadded columns; the rest becomes zeros.
template <int kFilled, int kPadded>
__device__ inline void copyTile(Element* to, Element const* from, int64_t rowStride,
                                int64_t columnStride, int rows, bool wide) {
    constexpr int kStride = kPadded + 8;
    if (wide) {
        constexpr int kPacks = kPadded / 8;
        for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPacks; i += blockDim.x) {
            int const row = i / kPacks;
            int const column = i % kPacks * 8;
            bool const exists = row < rows && column < kFilled;
            beginCopy(to + row * kStride + column,
                      exists ? from + row * rowStride + column : from, exists);
        }
        return;
    }
    for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPadded; i += blockDim.x) {
        int const row = i / kPadded;
        int const column = i % kPadded;
        Element element{};
        if (row < rows && column < kFilled) {
            element = from[row * rowStride + column * columnStride];
        }
        to[row * kStride + column] = element;
    }
}

/// Two neighbouring elements of a row of queries; zeros where there is none.
__device__ inline uint32_t queryPair(Element const* row, int64_t columnStride, int column,
                                     bool exists, bool wide) {
    if (!exists) {
        return 0;
    }
    if (wide && column + 1 < KILN_HEAD) {
        return *reinterpret_cast<uint32_t const*>(row + column);
    }
    uint32_t const low = column < KILN_HEAD ? row[column * columnStride].bits : 0U;
    uint32_t const high = column + 1 < KILN_HEAD ? row[(column + 1) * columnStride].bits : 0U;
    return high << 16 | low;
}

/// What a warp knows of its 16 queries: a lane has rows g and g + 8.
struct Rows {
    uint32_t query[kHead / 16][4];
    float result[kValue / 8][4];

    __device__ void loadQueries(Element const* from, int first, int rows, Operand const& strides,
                                bool wide) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int step = 0; step < kHead / 16; ++step) {
#pragma unroll
            for (int word = 0; word < 4; ++word) {
                int const row = lane / 4 + word % 2 * 8;
                int const column = step * 16 + lane % 4 * 2 + word / 2 * 8;
                query[step][word] = queryPair(from + (first + row) * strides.row,
                                              strides.column, column, row < rows, wide);
            }
        }
    }

    __device__ void multiplyKeys(Element const* keys, float (&scores)[kKeys / 8][4]) const {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        Element const* const own =
            keys + (lane % 8 + lane / 16 * 8) * kHeadStride + lane / 8 % 2 * 8;
#pragma unroll
        for (int i = 0; i < kKeys / 8; ++i) {
            scores[i][0] = scores[i][1] = scores[i][2] = scores[i][3] = 0.0F;
        }
#pragma unroll
        for (int step = 0; step < kHead / 16; ++step) {
#pragma unroll
            for (int i = 0; i < kKeys / 16; ++i) {
                uint32_t words[4];
                loadTiles(words, own + i * 16 * kHeadStride + step * 16);
                multiplyAdd<Element>(scores[2 * i], query[step], words[0], words[1]);
                multiplyAdd<Element>(scores[2 * i + 1], query[step], words[2], words[3]);
            }
        }
    }

    __device__ void addValues(Element const* values, float const (&weights)[kKeys / 8][4]) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        Element const* const own = values + lane % 16 * kValueStride + lane / 16 * 8;
#pragma unroll
        for (int step = 0; step < kKeys / 16; ++step) {
            uint32_t left[4];
            weightPairs(left, weights, step);
#pragma unroll
            for (int i = 0; i < kValue / 16; ++i) {
                uint32_t words[4];
                loadTransposedTiles(words, own + step * 16 * kValueStride + i * 16);
                multiplyAdd<Element>(result[2 * i], left, words[0], words[1]);
                multiplyAdd<Element>(result[2 * i + 1], left, words[2], words[3]);
            }
        }
    }
};

KILN_KERNEL void __launch_bounds__(128)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, KILN_IN_PLACE Arguments arguments) {
#if KILN_MASK == 0
    MaskElement const* const masks = nullptr;
#endif
    __shared__ __align__(16) Element keyTiles[2][kKeys * kHeadStride];
    __shared__ __align__(16) Element valueTiles[2][kKeys * kValueStride];
    int const rowsOfBlock = static_cast<int>(blockDim.x) / 32 * kRow;
    BlockOfQueries const block(arguments, queries, keys, values, masks, results, rowsOfBlock,
                               kKeys, static_cast<int>(blockIdx.x));
    int const firstQuery = block.first + static_cast<int>(threadIdx.x) / 32 * kRow;
    int const rowsLeft = arguments.queries - firstQuery; // none: the warp only helps to copy
    Operand const& keyStrides = arguments.strides[1];
    Operand const& valueStrides = arguments.strides[2];
    bool const wideKeys = (arguments.wide & 2) != 0 && isAligned16(block.key);
    bool const wideValues = (arguments.wide & 4) != 0 && isAligned16(block.value);
    auto const copy = [&](int step) {
        int const first = step * kKeys;
        copyTile<KILN_HEAD, kHead>(keyTiles[step % 2], block.key + first * keyStrides.row,
                                   keyStrides.row, keyStrides.column, arguments.keys - first,
                                   wideKeys);
        copyTile<KILN_VALUE, kValue>(valueTiles[step % 2], block.value + first * valueStrides.row,
                                     valueStrides.row, valueStrides.column, arguments.keys - first,
                                     wideValues);
        endGroup();
    };
    if (block.steps > 0) {
        copy(0);
    }
    Rows rows;
    RowSums sums;
    clearResults(rows.result);
    rows.loadQueries(block.query, firstQuery, rowsLeft, arguments.strides[0],
                     (arguments.wide & 1) != 0 && isAligned4(block.query));
    for (int step = 0; step < block.steps; ++step) {
        waitForGroups<0>();
        __syncthreads(); // the tiles are there, and all warps are done with those before
        if (step + 1 < block.steps) {
            copy(step + 1);
        }
        float scores[kKeys / 8][4];
        rows.multiplyKeys(keyTiles[step % 2], scores);
        float const scale = maskScores(scores, arguments, block.mask, firstQuery, step * kKeys);
        float shrink[2];
        sums.weigh(scores, scale, shrink);
        shrinkResults(rows.result, shrink);
        rows.addValues(valueTiles[step % 2], scores);
    }
    storeResults(rows.result, sums, block.result, firstQuery, rowsLeft, arguments.strides[3],
                 (arguments.wide & 8) != 0 && isAligned4(block.result), arguments.withoutKeys);
}
