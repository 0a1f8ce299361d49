// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of attention share whose elements are half or bfloat16, two in a word.
#pragma once

#include "attention_scores.cuh"

/// Stores the results of a warp's 16 rows, of which `rows` exist, from row `first` on.
template <int kTiles>
__device__ inline void storeResults(float const (&results)[kTiles][4], RowSums const& sums,
                                    Element* to, int first, int rows, Operand const& strides,
                                    bool wide, float withoutKeys) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float const factor = sums.factor(half, withoutKeys);
        int const row = lane / 4 + half * 8;
        if (row >= rows) {
            continue;
        }
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
            int const column = i * 8 + lane % 4 * 2;
            float const low = results[i][2 * half] * factor;
            float const high = results[i][2 * half + 1] * factor;
            Element* const at = to + (first + row) * strides.row + column * strides.column;
            if (wide && column + 1 < KILN_VALUE) {
                *reinterpret_cast<uint32_t*>(at) = pairOf<Element>(low, high);
                continue;
            }
            if (column < KILN_VALUE) {
                *at = fromFloat<Element>(low);
            }
            if (column + 1 < KILN_VALUE) {
                at[strides.column] = fromFloat<Element>(high);
            }
        }
    }
}

/// Two neighbouring weights of 16 keys in each word, as the left operand of a product.
template <int kTiles>
__device__ inline void weightPairs(uint32_t (&words)[4], float const (&weights)[kTiles][4],
                                   int step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float const* const pair = weights[2 * step + i / 2] + i % 2 * 2;
        words[i] = pairOf<Element>(pair[0], pair[1]);
    }
}

/// The same, 16 bytes at once, for which the four lanes of a row exchange words.
template <int kTiles>
__device__ inline void storePacks(float const (&results)[kTiles][4], RowSums const& sums,
                                  Element* to, int first, int rows, int64_t stride,
                                  float withoutKeys) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    bool const odd = lane % 2 != 0;
    bool const upper = lane % 4 >= 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        float const factor = sums.factor(half, withoutKeys);
        int const row = lane / 4 + half * 8;
#pragma unroll
        for (int i = 0; i < kTiles; i += 4) {
            uint32_t words[4]; // of tiles i to i + 3; then all of tile i + t
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float const* const pair = results[i + k] + 2 * half;
                words[k] = pairOf<Element>(pair[0] * factor, pair[1] * factor);
            }
#pragma unroll
            for (int k = 0; k < 4; k += 2) {
                uint32_t const got = __shfl_xor_sync(kAllLanes, odd ? words[k] : words[k + 1], 1);
                words[k] = odd ? got : words[k];
                words[k + 1] = odd ? words[k + 1] : got;
            }
#pragma unroll
            for (int k = 0; k < 2; ++k) {
                uint32_t const got = __shfl_xor_sync(kAllLanes, upper ? words[k] : words[k + 2], 2);
                words[k] = upper ? got : words[k];
                words[k + 2] = upper ? words[k + 2] : got;
            }
            int const column = (i + lane % 4) * 8;
            if (row < rows && column < KILN_VALUE) {
                *reinterpret_cast<Pack<uint32_t, 4>*>(to + (first + row) * stride + column) = {
                    {words[0], words[1], words[2], words[3]}};
            }
        }
    }
}
