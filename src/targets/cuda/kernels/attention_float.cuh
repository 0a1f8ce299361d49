// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of float: as attention.cuh, with products by three of short numbers, or by one
// (tf32_units.cuh).
// A tile of keys, and one of values, lie in shared memory; while one is used, the next of the other
// is copied. The terms of a product may have any order, and so may its columns, so a lane takes
// four neighbouring elements of a row at once: channels 4t to 4t + 3 of each 16 for the scores,
// and of each 32 channels 4g to 4g + 3 for the results.
// Macros: attention_scores.cuh, tf32_units.cuh.
#include "attention_scores.cuh"
#include "tf32_units.cuh"

constexpr int kRow = 16; ///< queries of a warp
constexpr int kWarps = 4;
constexpr int kHead = (KILN_HEAD + 15) / 16 * 16;
constexpr int kValue = (KILN_VALUE + 31) / 32 * 32;
constexpr int kKeys = kHead <= 64 && kValue <= 64 ? 64 : 32; ///< of a tile
// Neighbouring lanes read other banks: a row of keys begins 64 bytes along the banks from the one
// before, a row of values 16 bytes.
constexpr int kHeadStride = kHead % 32 == 0 ? kHead + 16 : kHead;
constexpr int kValueStride = kValue + 4;
constexpr int kBlocks = 2; ///< of a multiprocessor

typedef Pack<float, 4> Four;

/// Copies `rows` rows of kFilled elements to rows of kPadded; the rest becomes zeros.
template <int kFilled, int kPadded, int kStride>
__device__ inline void copyTile(float* to, float const* from, Operand const& strides, int rows,
                                bool wide) {
    if (wide) {
        constexpr int kPacks = kPadded / 4;
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPacks; i += 32 * kWarps) {
            int const row = i / kPacks;
            int const column = i % kPacks * 4;
            bool const exists = row < rows && column < kFilled;
            beginCopy(to + row * kStride + column,
                      exists ? from + row * strides.row + column : from, exists);
        }
        return;
    }
    for (int i = static_cast<int>(threadIdx.x); i < kKeys * kPadded; i += 32 * kWarps) {
        int const row = i / kPadded;
        int const column = i % kPadded;
        to[row * kStride + column] = row < rows && column < kFilled
                                         ? from[row * strides.row + column * strides.column]
                                         : 0.0F;
    }
}

/// Adds the sums of small products, if there are any.
template <int kTiles>
__device__ inline void addSmall(float (&sums)[kTiles][4], float const (&small)[kTiles][4]) {
    if constexpr (kRounded) {
        return;
    }
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            sums[i][k] += small[i][k];
        }
    }
}

/// What a warp knows of its 16 queries: a lane has rows g and g + 8.
struct Rows {
    float query[2][kHead / 4]; ///< of each 16 channels, 4t to 4t + 3
    float result[kValue / 8][4];

    __device__ void loadQueries(float const* from, int first, int rows, Operand const& strides,
                                bool wide) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int const row = lane / 4 + half * 8;
            float const* const own = from + (first + row) * strides.row;
#pragma unroll
            for (int i = 0; i < kHead / 16; ++i) {
                int const column = i * 16 + lane % 4 * 4;
                Four four{};
                if (row < rows && wide && column < KILN_HEAD) {
                    four = *reinterpret_cast<Four const*>(own + column);
                }
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (row < rows && !wide && column + k < KILN_HEAD) {
                        four.at[k] = own[(column + k) * strides.column];
                    }
                    query[half][4 * i + k] = four.at[k];
                }
            }
        }
    }

    __device__ void multiplyKeys(float const* keys, float (&scores)[kKeys / 8][4]) const {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        float const* const own = keys + lane / 4 * kHeadStride + lane % 4 * 4;
        float small[kKeys / 8][4];
        clearResults(scores);
        clearResults(small);
#pragma unroll
        for (int step = 0; step < kHead / 16; ++step) {
            float const* const top = query[0] + 4 * step;
            float const* const bottom = query[1] + 4 * step;
            LeftParts const first(top[0], bottom[0], top[1], bottom[1]);
            LeftParts const second(top[2], bottom[2], top[3], bottom[3]);
#pragma unroll
            for (int i = 0; i < kKeys / 8; ++i) {
                Four const four =
                    *reinterpret_cast<Four const*>(own + i * 8 * kHeadStride + step * 16);
                multiplyAdd(scores[i], small[i], first, four.at[0], four.at[1]);
                multiplyAdd(scores[i], small[i], second, four.at[2], four.at[3]);
            }
        }
        addSmall(scores, small);
    }

    __device__ void addValues(float const* values, float const (&weights)[kKeys / 8][4]) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        float const* const own = values + lane % 4 * 2 * kValueStride + lane / 4 * 4;
#pragma unroll
        for (int i = 0; i < kValue / 32; ++i) {
            float large[4][4];
            float small[4][4];
            clearResults(large);
            clearResults(small);
#pragma unroll
            for (int step = 0; step < kKeys / 8; ++step) {
                float const* const weight = weights[step];
                LeftParts const left(weight[0], weight[2], weight[1], weight[3]);
                float const* const from = own + step * 8 * kValueStride + i * 32;
                Four const even = *reinterpret_cast<Four const*>(from);
                Four const odd = *reinterpret_cast<Four const*>(from + kValueStride);
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    multiplyAdd(large[k], small[k], left, even.at[k], odd.at[k]);
                }
            }
            addSmall(large, small);
#pragma unroll
            for (int k = 0; k < 4; ++k) {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    result[4 * i + k][j] += large[k][j];
                }
            }
        }
    }

    /// A lane has of each 32 channels 8t to 8t + 7.
    __device__ void store(RowSums const& sums, float* to, int first, int rows,
                          Operand const& strides, bool wide, float withoutKeys) const {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float const factor = sums.factor(half, withoutKeys);
            int const row = lane / 4 + half * 8;
            if (row >= rows) {
                continue;
            }
            float* const own = to + (first + row) * strides.row;
#pragma unroll
            for (int i = 0; i < kValue / 16; ++i) {
                int const column = i / 2 * 32 + lane % 4 * 8 + i % 2 * 4;
                Four four;
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    four.at[k] = result[i / 2 * 4 + k][2 * half + i % 2] * factor;
                }
                if (wide && column < KILN_VALUE) {
                    *reinterpret_cast<Four*>(own + column) = four;
                    continue;
                }
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    if (column + k < KILN_VALUE) {
                        own[(column + k) * strides.column] = four.at[k];
                    }
                }
            }
        }
    }
};

KILN_KERNEL void __launch_bounds__(32 * kWarps, kBlocks)
    attention(float const* queries, float const* keys, float const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              float* results, KILN_IN_PLACE Arguments arguments) {
#if KILN_MASK == 0
    MaskElement const* const masks = nullptr;
#endif
    __shared__ __align__(16) float keyTile[kKeys * kHeadStride];
    __shared__ __align__(16) float valueTile[kKeys * kValueStride];
    BlockOfQueries const block(arguments, queries, keys, values, masks, results, kWarps * kRow,
                               kKeys, static_cast<int>(blockIdx.x));
    int const firstQuery = block.first + static_cast<int>(threadIdx.x) / 32 * kRow;
    int const rowsLeft = arguments.queries - firstQuery; // none: the warp only helps to copy
    bool const wideKeys = (arguments.wide & 2) != 0 && isAligned16(block.key);
    bool const wideValues = (arguments.wide & 4) != 0 && isAligned16(block.value);
    auto const copyKeys = [&](int step) {
        int const first = step * kKeys;
        if (step < block.steps) {
            Operand const& strides = arguments.strides[1];
            copyTile<KILN_HEAD, kHead, kHeadStride>(keyTile, block.key + first * strides.row,
                                                    strides, arguments.keys - first, wideKeys);
        }
        endGroup();
    };
    auto const copyValues = [&](int step) {
        int const first = step * kKeys;
        if (step < block.steps) {
            Operand const& strides = arguments.strides[2];
            copyTile<KILN_VALUE, kValue, kValueStride>(valueTile,
                                                       block.value + first * strides.row, strides,
                                                       arguments.keys - first, wideValues);
        }
        endGroup();
    };
    copyKeys(0);
    copyValues(0);
    Rows rows;
    RowSums sums;
    clearResults(rows.result);
    rows.loadQueries(block.query, firstQuery, rowsLeft, arguments.strides[0],
                     (arguments.wide & 1) != 0 && isAligned16(block.query));
    for (int step = 0; step < block.steps; ++step) {
        float scores[kKeys / 8][4];
        waitForGroups<1>();
        __syncthreads(); // the keys are there
        rows.multiplyKeys(keyTile, scores);
        __syncthreads(); // all warps are done with them
        copyKeys(step + 1);
        float const scale = maskScores(scores, arguments, block.mask, firstQuery, step * kKeys);
        float shrink[2];
        sums.weigh(scores, scale, shrink);
        shrinkResults(rows.result, shrink);
        waitForGroups<1>();
        __syncthreads(); // the values are there
        rows.addValues(valueTile, scores);
        __syncthreads();
        copyValues(step + 1);
    }
    rows.store(sums, block.result, firstQuery, rowsLeft, arguments.strides[3],
               (arguments.wide & 8) != 0 && isAligned16(block.result), arguments.withoutKeys);
}
