// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the warps and blocks of attention_split.cuh found, and where it goes.
#pragma once

#include "attention_split_rows.cuh"

/// What the warps of a block found of eight rows, one after another.
struct Found {
    float result[kWarps][kRows / 2][kValueStride];
    RowSum sums[kWarps][kRows / 2];

    /// Rows 8 half to 8 half + 7.
    __device__ void put(WarpRows const& rows, int half) {
        int const warp = static_cast<int>(threadIdx.x) / 32;
        int const lane = static_cast<int>(threadIdx.x) % 32;
        float sum = half == 0 ? rows.sums.sum[0] : rows.sums.sum[1];
        sum += __shfl_xor_sync(kAllLanes, sum, 1);
        sum += __shfl_xor_sync(kAllLanes, sum, 2);
        if (lane % 4 == 0) {
            sums[warp][lane / 4] = {half == 0 ? rows.sums.largest[0] : rows.sums.largest[1], sum};
        }
#pragma unroll
        for (int i = 0; i < kValueParts * 8; ++i) {
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                int const column = i / 8 * 64 + (lane % 4 * 2 + k) * 8 + i % 8;
                result[warp][lane / 4][column] =
                    half == 0 ? rows.result[i][k] : rows.result[i][2 + k];
            }
        }
    }
};

/// The factor of a part whose scores are relative to another's largest.
__device__ inline float shrinkTo(float largest, float part) {
    return largest == -infinity() ? 0.0F : powerOfTwo(part - largest);
}

/// Partial results in the workspace, [tile, split, row, column], and behind them their sums.
struct Partials {
    float* results;
    RowSum* sums;
    int rows; ///< of a tile

    __device__ Partials(void* work, SplitArguments const& arguments) {
        rows = arguments.rows < kRows ? arguments.rows : kRows;
        results = static_cast<float*>(work);
        int64_t const count = static_cast<int64_t>(arguments.all.items) * arguments.splits * rows;
        sums = reinterpret_cast<RowSum*>(results + count * KILN_VALUE);
    }
};

__device__ inline Element* resultRow(Element* results, SplitArguments const& arguments, int tile,
                                     int row) {
    Arguments const& all = arguments.all;
    int const keyHeads = all.heads / all.group;
    int const number = tile / all.tiles; // of the head of keys, in all of the batch
    int const own = tile % all.tiles * kRows + row;
    int const head = number % keyHeads * all.group + own / all.queries;
    Operand const& strides = all.strides[3];
    return results + number / keyHeads * strides.batch + head * strides.head +
           own % all.queries * strides.row;
}

/// Writes what the warps of a block found of the `count` rows from 8 half on, together: results if
/// no other block has keys of the tile.
__device__ inline void deliver(Found const& found, Element* results, void* work,
                               SplitArguments const& arguments, int tile, int half, int count) {
    Arguments const& all = arguments.all;
    Partials const partials(work, arguments);
    for (int i = static_cast<int>(threadIdx.x); i < count * KILN_VALUE;
         i += static_cast<int>(blockDim.x)) {
        int const own = i / KILN_VALUE;
        int const row = own + half * (kRows / 2);
        int const column = i % KILN_VALUE;
        float largest = -infinity();
#pragma unroll
        for (int warp = 0; warp < kWarps; ++warp) {
            largest = fmaxf(largest, found.sums[warp][own].largest);
        }
        float sum = 0.0F;
        float result = 0.0F;
#pragma unroll
        for (int warp = 0; warp < kWarps; ++warp) {
            float const factor = shrinkTo(largest, found.sums[warp][own].largest);
            sum = fmaf(found.sums[warp][own].sum, factor, sum);
            result = fmaf(found.result[warp][own][column], factor, result);
        }
        if (arguments.splits == 1) {
            float const factor = sum == 0.0F ? all.withoutKeys : 1.0F / sum;
            resultRow(results, arguments, tile, row)[column * all.strides[3].column] =
                fromFloat<Element>(result * factor);
            continue;
        }
        int64_t const place = static_cast<int64_t>(blockIdx.x) * partials.rows + row;
        partials.results[place * KILN_VALUE + column] = result;
        if (column == 0) {
            partials.sums[place] = {largest, sum};
        }
    }
}
