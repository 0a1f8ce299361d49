// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp of attention_split.cuh does for its 16 rows and 16 keys.
#pragma once

#include "attention_pairs.cuh"

constexpr int kRows = 16;   ///< of a tile: queries of heads that share keys
constexpr int kWarps = 8;   ///< of a block; they take its keys in turn
constexpr int kKeys = 16;   ///< that a warp takes at once
constexpr int kSplits = 64; ///< at most, for each tile
constexpr int kHeadParts = (KILN_HEAD + 31) / 32;   ///< 8 elements for each of 4 lanes
constexpr int kValueParts = (KILN_VALUE + 63) / 64; ///< 8 elements for each of 8 lanes
constexpr int kValue = kValueParts * 64;
constexpr int kValueStride = kValue + 4;
/// Same layout as in ops/attention_split.cpp.
struct SplitArguments {
    Arguments all;
    int32_t splits;
    int32_t keysOfSplit;
    int32_t rows; ///< of all tiles of a head of keys
};

/// The largest score of a row, and the sum of its weights relative to that.
struct RowSum {
    float largest;
    float sum;
};

/// Eight neighbouring elements of a row of kFilled; zeros where there are none.
template <bool kWide, int kFilled>
__device__ inline void loadPack(uint32_t (&words)[4], Element const* row, int64_t stride,
                                int column, bool exists) {
    if constexpr (kWide) {
        Pack<uint32_t, 4> pack{};
        if (exists && column < kFilled) {
            pack = *reinterpret_cast<Pack<uint32_t, 4> const*>(row + column);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            words[i] = pack.at[i];
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            uint32_t pair[2];
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                int const at = column + 2 * i + k;
                pair[k] = exists && at < kFilled ? row[at * stride].bits : 0U;
            }
            words[i] = pair[1] << 16 | pair[0];
        }
    }
}

/// Rows g and g + 8 of a lane, and where they come from.
struct OwnRows {
    int head[2];
    int query[2];
    int last[2]; ///< key that they see
    bool exists[2];

    __device__ OwnRows(SplitArguments const& arguments, int keyHead, int tile) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int const row = tile * kRows + lane / 4 + half * 8;
            exists[half] = row < arguments.rows;
            int const own = exists[half] ? row : 0;
            head[half] = keyHead * arguments.all.group + own / arguments.all.queries;
            query[half] = own % arguments.all.queries;
            last[half] = arguments.all.keys - 1;
            if (KILN_CAUSAL != 0) {
                int const seen = query[half] + arguments.all.shift;
                last[half] = seen < last[half] ? seen : last[half];
            }
        }
    }
};

/// A warp's part of a tile of rows.
struct WarpRows {
    uint32_t query[kHeadParts * 2][4];
    float result[kValueParts * 8][4];
    RowSums sums;

    __device__ void loadQueries(Element const* from, OwnRows const& own, Operand const& strides,
                                bool wide) {
        int const column = static_cast<int>(threadIdx.x) % 4 * 8;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            Element const* const row = from + own.head[half] * strides.head +
                                       own.query[half] * strides.row;
#pragma unroll
            for (int part = 0; part < kHeadParts; ++part) {
                uint32_t words[4];
                if (wide) {
                    loadPack<true, KILN_HEAD>(words, row, 1, part * 32 + column, own.exists[half]);
                } else {
                    loadPack<false, KILN_HEAD>(words, row, strides.column, part * 32 + column,
                                               own.exists[half]);
                }
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    query[2 * part + i / 2][half + i % 2 * 2] = words[i];
                }
            }
        }
    }

    /// Scores of 16 keys: scores[i] of keys 8 i + 2t and the next.
    __device__ void multiplyKeys(uint32_t const (&keys)[2][kHeadParts][4],
                                 float (&scores)[2][4]) const {
        clearResults(scores);
#pragma unroll
        for (int part = 0; part < kHeadParts; ++part) {
#pragma unroll
            for (int step = 0; step < 2; ++step) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    multiplyAdd<Element>(scores[i], query[2 * part + step],
                                         keys[i][part][2 * step], keys[i][part][2 * step + 1]);
                }
            }
        }
    }

    /// values[i]: of keys 2t, 2t + 1, 2t + 8 and 2t + 9.
    __device__ void addValues(uint32_t const (&values)[4][kValueParts][4],
                              float const (&weights)[2][4]) {
        uint32_t left[4];
        weightPairs(left, weights, 0);
#pragma unroll
        for (int part = 0; part < kValueParts; ++part) {
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                uint32_t right[2];
#pragma unroll
                for (int k = 0; k < 2; ++k) {
                    uint32_t const low = values[2 * k][part][i / 2];
                    uint32_t const high = values[2 * k + 1][part][i / 2];
                    right[k] = i % 2 == 0 ? (low & 0xffffU) | high << 16
                                          : low >> 16 | (high & 0xffff0000U);
                }
                multiplyAdd<Element>(result[part * 8 + i], left, right[0], right[1]);
            }
        }
    }
};

/// Makes scores to base 2, and hides what a row does not see.
__device__ inline void finishScores(float (&scores)[2][4], OwnRows const& own,
                                    MaskElement const* const (&maskRows)[2],
                                    Arguments const& arguments, int firstKey, int end) {
    int const column = static_cast<int>(threadIdx.x) % 4 * 2;
    float const scale = arguments.scale * kOneOverLogOfTwo;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int const key = firstKey + i * 8 + column + k % 2;
            bool const seen = key < end && key <= own.last[k / 2];
            float score = scores[i][k] * scale;
#if KILN_MASK != 0
            if (seen && own.exists[k / 2]) {
                score =
                    maskedScore(score, maskRows[k / 2][key * arguments.strides[4].column]);
            }
#endif
            scores[i][k] = seen ? score : -infinity();
        }
    }
}
