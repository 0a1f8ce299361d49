// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A product of a few rows of half or bfloat16 with a matrix of int4, fp4, int8, uint8 or fp8, whose
// elements become those of the first type, times the scale of their block, in registers. So the
// matrix, which is most of the work, is read once, as it is.
//
// A block computes 32 columns of 16, 32 or 64 rows. Its eight warps take turns at the terms and add
// their sums in shared memory. A lane loads 16 bytes of a column at a time: 32 or 16 neighbouring
// terms. The matrix units want pairs of terms in an order of their own, but any order will do that
// both operands share: so a lane multiplies the terms that it has.
//
// The matrix lies column by column, in whole steps of four lanes, with zeros behind. The source
// that includes this file (quantized/narrow_weights.cpp) defines Element, Weight, Scale, Output,
// Operands and resultOf() as for quantized_product.cuh.
#pragma once

#include "matrix_units.cuh"
#include "numbers.cuh"

constexpr int kWarps = 8;
constexpr int kColumnTiles = 4;
constexpr int kBlockColumns = 8 * kColumnTiles;
constexpr int kBits = Elements<Weight>::kPacked ? 4 : 8;
constexpr int kLaneTerms = 128 / kBits;     ///< in 16 bytes
constexpr int kStepTerms = 4 * kLaneTerms;  ///< of a warp
constexpr int kTermGroup = 8;                   ///< terms that share a scale at least

/// Eight neighbouring weights of the words that a lane has loaded.
template <typename W>
__device__ inline void decode(Pack<uint32_t, 4> const& words, int group,
                              float (&numbers)[kTermGroup]) {
    if constexpr (Elements<W>::kPacked) {
#pragma unroll
        for (int i = 0; i < kTermGroup; ++i) {
            numbers[i] = Nibble<W>::decode(words.at[group] >> 4 * i & 15U);
        }
    } else {
#pragma unroll
        for (int i = 0; i < kTermGroup; ++i) {
            uint32_t const bits = words.at[group * 2 + i / 4] >> i % 4 * 8 & 255U;
            Pack<uint8_t, 1> const one = {static_cast<uint8_t>(bits)};
            numbers[i] = toFloat(*reinterpret_cast<W const*>(&one));
        }
    }
}

/// Eight neighbouring elements of a row, zeros where there are none.
__device__ inline Pack<uint32_t, 4> loadRow(Element const* left, Arguments const& arguments,
                                            int64_t row, int term) {
    Pack<uint32_t, 4> words = {};
    if (row >= arguments.rows || term >= arguments.terms) {
        return words;
    }
    Element const* const from = left + row * arguments.terms + term;
    if (arguments.wideLeft != 0 && isAligned16(left)) {
        return *reinterpret_cast<Pack<uint32_t, 4> const*>(from);
    }
#pragma unroll
    for (int i = 0; i < kTermGroup; ++i) {
        if (term + i < arguments.terms) {
            words.at[i / 2] |= static_cast<uint32_t>(from[i].bits) << i % 2 * 16;
        }
    }
    return words;
}

template <int kRowTiles>
struct NarrowProduct {
    Arguments const& arguments;
    Element const* left;
    Pack<uint32_t, 4> const* weights;
    Scale const* scales;
    int64_t firstRow;
    int firstColumn;
    float sums[kRowTiles][kColumnTiles][4];

    __device__ void step(int number) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const first = number * kStepTerms + lane % 4 * kLaneTerms;
        Pack<uint32_t, 4> words[kColumnTiles];
#pragma unroll
        for (int j = 0; j < kColumnTiles; ++j) {
            int const column = firstColumn + j * 8 + lane / 4;
            words[j] = Pack<uint32_t, 4>{};
            if (column < arguments.columns) {
                words[j] = weights[(static_cast<int64_t>(column) * arguments.steps + number) * 4 +
                                   lane % 4];
            }
        }
#pragma unroll
        for (int group = 0; group < kLaneTerms / kTermGroup; ++group) {
            int const term = first + group * kTermGroup;
            uint32_t lefts[kRowTiles][2][4];
#pragma unroll
            for (int i = 0; i < kRowTiles; ++i) {
                Pack<uint32_t, 4> const low =
                    loadRow(left, arguments, firstRow + i * 16 + lane / 4, term);
                Pack<uint32_t, 4> const high =
                    loadRow(left, arguments, firstRow + i * 16 + 8 + lane / 4, term);
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    lefts[i][half][0] = low.at[half * 2];
                    lefts[i][half][1] = high.at[half * 2];
                    lefts[i][half][2] = low.at[half * 2 + 1];
                    lefts[i][half][3] = high.at[half * 2 + 1];
                }
            }
            int const block = (term < arguments.terms ? term : arguments.terms - 1) /
                              arguments.blockTerms;
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
                int const column = firstColumn + j * 8 + lane / 4;
                float const scale =
                    column < arguments.columns
                        ? toFloat(scales[block * arguments.scaleBlock +
                                         column * arguments.scaleColumn])
                        : 0.0F;
                float numbers[kTermGroup];
                decode<Weight>(words[j], group, numbers);
                uint32_t pairs[4];
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    pairs[i] = pairOf<Element>(numbers[2 * i] * scale, numbers[2 * i + 1] * scale);
                }
#pragma unroll
                for (int i = 0; i < kRowTiles; ++i) {
                    multiplyAdd<Element>(sums[i][j], lefts[i][0], pairs[0], pairs[1]);
                    multiplyAdd<Element>(sums[i][j], lefts[i][1], pairs[2], pairs[3]);
                }
            }
        }
    }

    __device__ void multiply() {
#pragma unroll
        for (int i = 0; i < kRowTiles * kColumnTiles * 4; ++i) {
            sums[i / 4 / kColumnTiles][i / 4 % kColumnTiles][i % 4] = 0.0F;
        }
        for (int i = static_cast<int>(threadIdx.x) / 32; i < arguments.steps; i += kWarps) {
            step(i);
        }
    }

    /// Adds the sums of all warps, 16 rows at a time.
    __device__ void finish(Operands const& operands, Output* to) {
        __shared__ float all[kWarps][16][kBlockColumns];
        int const lane = static_cast<int>(threadIdx.x) % 32;
        int const warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
        for (int i = 0; i < kRowTiles; ++i) {
            __syncthreads();
#pragma unroll
            for (int j = 0; j < kColumnTiles; ++j) {
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    all[warp][lane / 4 + k / 2 * 8][j * 8 + lane % 4 * 2 + k % 2] = sums[i][j][k];
                }
            }
            __syncthreads();
            for (int at = static_cast<int>(threadIdx.x); at < 16 * kBlockColumns;
                 at += kWarps * 32) {
                int64_t const row = firstRow + i * 16 + at / kBlockColumns;
                int const column = at % kBlockColumns;
                float sum = 0.0F;
#pragma unroll
                for (int from = 0; from < kWarps; ++from) {
                    sum += all[from][at / kBlockColumns][column];
                }
                if (row < arguments.rows && firstColumn + column < arguments.columns) {
                    to[row * arguments.columns + firstColumn + column] =
                        resultOf(sum, operands, arguments, row, firstColumn + column);
                }
            }
        }
    }
};

template <int kRowTiles>
__device__ inline void narrowProduct(Element const* left, void const* weights, Scale const* scales,
                                     Operands const& operands, Output* to,
                                     Arguments const& arguments) {
    NarrowProduct<kRowTiles> product{arguments,
                                     left,
                                     static_cast<Pack<uint32_t, 4> const*>(weights),
                                     scales,
                                     static_cast<int64_t>(blockIdx.y) * 16 * kRowTiles,
                                     static_cast<int>(blockIdx.x) * kBlockColumns};
    product.multiply();
    product.finish(operands, to);
}
