// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The frame of the kernels that chain/chain_source.cpp generates: pointwise operations of one
// region, with broadcasting, in one pass. A thread computes one vector of each result at a time. An
// operand is read as a vector if it is aligned to one, element by element if not, and once if it
// repeats one element along the row. Results are dense and may overwrite operands: each element is
// read by the thread that writes it, before it writes.
#pragma once

#include "broadcast.cuh"
#include "held.cuh"

constexpr int kMostOperands = 16;

/// Nested loops over the results, outermost first. Same layout as in chain_kernel.h.
struct ChainArguments {
    int64_t count; ///< elements of each result
    int32_t loops;
    int32_t repeated;             ///< bit i: operand i repeats along the innermost loop
    FastDivide extents[kMaxRank]; ///< the innermost in vectors
    int64_t strides[kMostOperands][kMaxRank]; ///< the innermost from vector to vector
    int64_t begins[kMostOperands];            ///< of slices: elements before the first one
    FastDivide byParts;                       ///< of chain_lines: threads that share a line

    __device__ bool repeats(int operand) const { return (repeated >> operand & 1) != 0; }
};

/// Where the vector begins in each operand.
template <int kOperands, typename Index>
__device__ inline void locate(ChainArguments const& arguments, Index vector,
                              Index (&offsets)[kOperands]) {
    Index rest = vector;
#pragma unroll
    for (int i = 0; i < kOperands; ++i) {
        offsets[i] = 0;
    }
    for (int loop = arguments.loops - 1; loop >= 0; --loop) {
        Index const index = splitOff(rest, arguments.extents[loop]);
#pragma unroll
        for (int i = 0; i < kOperands; ++i) {
            offsets[i] += index * static_cast<Index>(arguments.strides[i][loop]);
        }
    }
}

/// Of a thread of chain_lines, in one line of the innermost loop.
constexpr int kLineVectors = 8;

template <int kWidth, typename T>
__device__ inline Held<T, kWidth> fetched(T const* from, bool repeats) {
    Held<T, kWidth> held;
    if (repeats) {
        held.fill(*from);
    } else if (beginsVector<kWidth>(from)) {
        held.load(from);
    } else {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            held.put(i, from[i]);
        }
    }
    return held;
}

template <int kWidth, typename T>
__device__ inline void store(T* to, Pack<T, kWidth> const& values) {
    if (beginsVector<kWidth>(to)) {
        *reinterpret_cast<Pack<T, kWidth>*>(to) = values;
    } else {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            to[i] = values.at[i];
        }
    }
}
