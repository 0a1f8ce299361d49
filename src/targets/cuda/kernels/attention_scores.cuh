// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of attention share: arguments, masks, and the softmax of scores that arrive in
// tiles. A lane has scores[i] of rows g, g, g + 8, g + 8 and columns 8 i + 2t, 2t + 1, 2t, 2t + 1,
// with g = lane / 4 and t = lane % 4, as the matrix units give them (matrix_units.cuh).
//
// KILN_ELEMENT: half_t, bfloat16_t or float. KILN_HEAD, KILN_VALUE: elements of a key and of a
// value. KILN_CAUSAL: 1 if later keys are hidden. KILN_MASK: 0 none, 1 elements that are added,
// 2 bools, true where a key is seen, 3 bools, true where it is hidden.
#pragma once

#include "functions.cuh"
#include "matrix_units.cuh"

typedef KILN_ELEMENT Element;

/// Strides in elements: from batch to batch, head to head, row to row, and within a row.
struct Operand {
    int64_t batch;
    int64_t head;
    int64_t row;
    int64_t column;
};

/// Same layout as in ops/attention.cpp.
struct Arguments {
    int32_t queries;
    int32_t keys;
    int32_t heads;
    int32_t group; ///< heads that share a key
    int32_t tiles; ///< blocks of each head
    int32_t shift; ///< causal: query i sees the keys up to i + shift
    float scale;
    float withoutKeys;    ///< result of a query whose scores are all minus infinity: NaN or 0
    int32_t items;        ///< tiles of all heads
    /// Operands that may be moved by whole words. Bit 0: queries, 1: keys, 2: values, 3: results,
    /// 4: masks.
    int32_t wide;
    int64_t starts[3];    ///< of queries, keys and values
    Operand strides[5];   ///< queries, keys, values, results, mask: [batch, head, query, key]
};

#if KILN_MASK == 1
typedef Element MaskElement;
#else
typedef bool_t MaskElement;
#endif

/// The score, to base 2, with the mask's element.
__device__ inline float maskedScore(float score, MaskElement element) {
#if KILN_MASK == 1
    return fmaf(toFloat(element), kOneOverLogOfTwo, score);
#else
    return (element.bits != 0) == (KILN_MASK == 2) ? score : -infinity();
#endif
}

/// Hides what the mask hides, and what is behind the last key, and returns the factor that makes
/// scores to base 2: they are scaled already where something may be hidden.
template <int kTiles>
__device__ inline float maskScores(float (&scores)[kTiles][4], Arguments const& arguments,
                                   MaskElement const* mask, int firstQuery, int firstKey) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    float const scale = arguments.scale * kOneOverLogOfTwo;
    bool const allSeen =
        KILN_MASK == 0 && scale > 0.0F && firstKey + 8 * kTiles <= arguments.keys &&
        (KILN_CAUSAL == 0 || firstKey + 8 * kTiles - 1 <= firstQuery + arguments.shift);
    if (allSeen) {
        return scale;
    }
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            int const query = firstQuery + lane / 4 + k / 2 * 8;
            int const key = firstKey + i * 8 + lane % 4 * 2 + k % 2;
            bool const seen =
                key < arguments.keys && (KILN_CAUSAL == 0 || key <= query + arguments.shift);
            float score = scores[i][k] * scale;
            if (KILN_MASK != 0 && seen && query < arguments.queries) {
                score = maskedScore(score, mask[query * arguments.strides[4].row +
                                                key * arguments.strides[4].column]);
            }
            scores[i][k] = seen ? score : -infinity();
        }
    }
    return 1.0F;
}

/// The softmax of a lane's two rows.
struct RowSums {
    float largest[2] = {-infinity(), -infinity()};
    float sum[2] = {0.0F, 0.0F}; ///< over the lane's own columns

    /// Turns scores into weights, relative to the largest score so far, and sets the factors by
    /// which what was summed before shrinks. `scale`, which is positive, makes them scores to base
    /// 2. A NaN among the scores makes the sum NaN, though not the largest score.
    template <int kTiles>
    __device__ void weigh(float (&scores)[kTiles][4], float scale, float (&shrink)[2]) {
        float most[4]; // of two chains for each row: a long one takes as many cycles as the rest
        float part[4] = {0.0F, 0.0F, 0.0F, 0.0F};
        float base[2];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            most[k] = scores[0][k];
        }
#pragma unroll
        for (int i = 1; i < kTiles; ++i) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                most[k] = fmaxf(most[k], scores[i][k]);
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float all = fmaxf(most[2 * half], most[2 * half + 1]) * scale;
            all = fmaxf(all, __shfl_xor_sync(kAllLanes, all, 1));
            all = fmaxf(all, __shfl_xor_sync(kAllLanes, all, 2));
            all = fmaxf(all, largest[half]);
            // Where all scores are minus infinity, weights and sum stay 0.
            base[half] = all == -infinity() ? 0.0F : all;
            shrink[half] = powerOfTwo(largest[half] - base[half]);
            largest[half] = all;
        }
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                scores[i][k] = powerOfTwo(fmaf(scores[i][k], scale, -base[k / 2]));
                part[k] += scores[i][k];
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            sum[half] = fmaf(sum[half], shrink[half], part[2 * half] + part[2 * half + 1]);
        }
    }

    /// The factor that makes results of what row `half` summed; `withoutKeys` if it saw no key.
    __device__ float factor(int half, float withoutKeys) const {
        float total = sum[half];
        total += __shfl_xor_sync(kAllLanes, total, 1);
        total += __shfl_xor_sync(kAllLanes, total, 2);
        return total == 0.0F ? withoutKeys : 1.0F / total;
    }
};

template <int kTiles>
__device__ inline void clearResults(float (&results)[kTiles][4]) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            results[i][k] = 0.0F;
        }
    }
}

template <int kTiles>
__device__ inline void shrinkResults(float (&results)[kTiles][4], float const (&shrink)[2]) {
#pragma unroll
    for (int i = 0; i < kTiles; ++i) {
        results[i][0] *= shrink[0];
        results[i][1] *= shrink[0];
        results[i][2] *= shrink[1];
        results[i][3] *= shrink[1];
    }
}

/// Operands of item `index` of a grid: a head of a batch, with the first of `rows` queries.
struct BlockOfQueries {
    Element const* query;
    Element const* key;
    Element const* value;
    Element* result;
    MaskElement const* mask;
    int batch;
    int head;
    int keyHead;
    int first;
    int steps; ///< tiles of keys that it sees

    __device__ BlockOfQueries(Arguments const& arguments, Element const* queries,
                              Element const* keys, Element const* values, MaskElement const* masks,
                              Element* results, int rows, int keysOfTile, int index) {
        batch = index / arguments.tiles / arguments.heads;
        head = index / arguments.tiles % arguments.heads;
        keyHead = head / arguments.group;
        int tile = index % arguments.tiles;
        if (KILN_CAUSAL != 0) { // those with most keys first
            tile = arguments.tiles - 1 - tile;
        }
        first = tile * rows;
        auto const at = [&](int operand, int row) {
            Operand const& strides = arguments.strides[operand];
            return batch * strides.batch + row * strides.head;
        };
        query = queries + arguments.starts[0] + at(0, head);
        key = keys + arguments.starts[1] + at(1, keyHead);
        value = values + arguments.starts[2] + at(2, keyHead);
        result = results + at(3, head);
        mask = KILN_MASK == 0 ? nullptr : masks + at(4, head);
        int last = arguments.keys;
        if (KILN_CAUSAL != 0) { // the last query of the block sees most
            int const seen = first + rows + arguments.shift;
            last = seen < last ? (seen > 0 ? seen : 0) : last;
        }
        steps = (last + keysOfTile - 1) / keysOfTile;
    }
};
