// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// attention of few queries and many keys: it reads each key and value once and computes little, so
// many blocks share the keys of a head, and a second launch combines what they found. (Tried and no
// faster: clusters of blocks that combine it by way of shared memory.) The heads that share keys
// are rows of one tile. Keys and values go from memory to the registers that the matrix units read,
// 16 bytes at a time: a product's terms, and its columns, may have any order, so a lane takes
// neighbouring elements of a row.
// Source: Dao, Haziza, Massa and Sizov, "Flash-Decoding for long-context inference", 2023.
// Macros: attention_scores.cuh.
#include "attention_split_parts.cuh"
#include "dependents.cuh"

/// Passes over the keys of a block, of which each warp takes every eighth 16.
template <bool kWide>
__device__ inline void passKeys(WarpRows& rows, OwnRows const& own, Element const* key,
                                Element const* value, MaskElement const* const (&maskRows)[2],
                                Arguments const& arguments, int begin, int end) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    Operand const& keyStrides = arguments.strides[1];
    Operand const& valueStrides = arguments.strides[2];
    int const step = kWarps * kKeys;
#pragma unroll 1
    for (int first = begin + static_cast<int>(threadIdx.x) / 32 * kKeys; first < end;
         first += step) {
        uint32_t keys[2][kHeadParts][4];
        uint32_t values[4][kValueParts][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            int const at = first + i * 8 + lane / 4;
#pragma unroll
            for (int part = 0; part < kHeadParts; ++part) {
                loadPack<kWide, KILN_HEAD>(keys[i][part], key + at * keyStrides.row,
                                           keyStrides.column, part * 32 + lane % 4 * 8, at < end);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            int const at = first + i / 2 * 8 + lane % 4 * 2 + i % 2;
#pragma unroll
            for (int part = 0; part < kValueParts; ++part) {
                loadPack<kWide, KILN_VALUE>(values[i][part], value + at * valueStrides.row,
                                            valueStrides.column, part * 64 + lane / 4 * 8,
                                            at < end);
            }
        }
        float scores[2][4];
        rows.multiplyKeys(keys, scores);
        finishScores(scores, own, maskRows, arguments, first, end);
        float shrink[2];
        rows.sums.weigh(scores, 1.0F, shrink);
        shrinkResults(rows.result, shrink);
        rows.addValues(values, scores);
    }
}

KILN_KERNEL void __launch_bounds__(32 * kWarps)
    attention(Element const* queries, Element const* keys, Element const* values,
#if KILN_MASK != 0
              MaskElement const* masks,
#endif
              Element* results, void* work, KILN_IN_PLACE SplitArguments arguments) {
    __shared__ Found found;
    waitForInputs();
    Arguments const& all = arguments.all;
    int const tile = static_cast<int>(blockIdx.x) / arguments.splits;
    int const split = static_cast<int>(blockIdx.x) % arguments.splits;
    int const keyHeads = all.heads / all.group;
    int const batch = tile / all.tiles / keyHeads;
    int const keyHead = tile / all.tiles % keyHeads;
    OwnRows const own(arguments, keyHead, tile % all.tiles);
    auto const startOf = [&](int operand) {
        Operand const& strides = all.strides[operand];
        return all.starts[operand] + batch * strides.batch + keyHead * strides.head;
    };
    Element const* const query = queries + all.starts[0] + batch * all.strides[0].batch;
    Element const* const key = keys + startOf(1);
    Element const* const value = values + startOf(2);
    MaskElement const* maskRows[2] = {};
#if KILN_MASK != 0
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        Operand const& strides = all.strides[4];
        maskRows[half] = masks + batch * strides.batch + own.head[half] * strides.head +
                         own.query[half] * strides.row;
    }
#endif
    int const begin = split * arguments.keysOfSplit;
    int const most = begin + arguments.keysOfSplit;
    int const end = most < all.keys ? most : all.keys;
    WarpRows rows;
    clearResults(rows.result);
    rows.loadQueries(query, own, all.strides[0], (all.wide & 1) != 0 && isAligned16(query));
    if ((all.wide & 6) == 6 && isAligned16(key) && isAligned16(value)) {
        passKeys<true>(rows, own, key, value, maskRows, all, begin, end);
    } else {
        passKeys<false>(rows, own, key, value, maskRows, all, begin, end);
    }
    int const rowsLeft = arguments.rows - tile % all.tiles * kRows;
    int const count = rowsLeft < kRows ? rowsLeft : kRows;
    for (int half = 0; half * (kRows / 2) < count; ++half) {
        int const left = count - half * (kRows / 2);
        __syncthreads(); // what was found before was read
        found.put(rows, half);
        __syncthreads();
        deliver(found, results, work, arguments, tile, half, left < kRows / 2 ? left : kRows / 2);
    }
    letNextBegin(); // any earlier, it takes time from the keys
}

/// A block for each row of each tile.
KILN_KERNEL void __launch_bounds__(128)
    combine(Element const*, Element const*, Element const*,
#if KILN_MASK != 0
            MaskElement const*,
#endif
            Element* results, void* work, KILN_IN_PLACE SplitArguments arguments) {
    __shared__ RowSum sums[kSplits];
    waitForInputs();
    letNextBegin();
    Partials const partials(work, arguments);
    int const tile = static_cast<int>(blockIdx.x) / partials.rows;
    int const row = static_cast<int>(blockIdx.x) % partials.rows;
    if (tile % arguments.all.tiles * kRows + row >= arguments.rows) {
        return;
    }
    int64_t const first =
        static_cast<int64_t>(tile) * arguments.splits * partials.rows + row;
    if (static_cast<int>(threadIdx.x) < arguments.splits) {
        int64_t const split = threadIdx.x;
        sums[split] = partials.sums[first + split * partials.rows];
    }
    __syncthreads();
    float largest = -infinity();
    for (int split = 0; split < arguments.splits; ++split) {
        largest = fmaxf(largest, sums[split].largest);
    }
    Element* const to = resultRow(results, arguments, tile, row);
    for (int column = static_cast<int>(threadIdx.x); column < KILN_VALUE;
         column += static_cast<int>(blockDim.x)) {
        float sum = 0.0F;
        float result = 0.0F;
#pragma unroll 8
        for (int split = 0; split < arguments.splits; ++split) {
            float const factor = shrinkTo(largest, sums[split].largest);
            int64_t const place = first + static_cast<int64_t>(split) * partials.rows;
            sum = fmaf(sums[split].sum, factor, sum);
            result = fmaf(partials.results[place * KILN_VALUE + column], factor, result);
        }
        float const factor = sum == 0.0F ? arguments.all.withoutKeys : 1.0F / sum;
        to[column * arguments.all.strides[3].column] = fromFloat<Element>(result * factor);
    }
}
