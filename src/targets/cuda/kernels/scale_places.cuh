// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which scale belongs to an element: loops over the elements, outermost first, of which blocks of
// neighbours share a scale. quantized_blocks.h makes them.
#pragma once

#include "fast_divide.cuh"

struct ScaleLoop {
    FastDivide extent;
    FastDivide block; ///< elements along the loop with one scale
    int64_t stride;   ///< of scales, from block to block
};

/// Same layout as in quantized_blocks.h.
struct QuantizedBlocks {
    int64_t count;
    int32_t rank;
    int32_t across; ///< for scales along the innermost axis: threads side by side in a row
    int32_t longRuns; ///< 1: the elements that a warp converts at once share a scale
    ScaleLoop loops[kMaxRank];
};

__device__ inline int64_t quotientOf(FastDivide const& divide, int64_t number) {
    return number >> 31 == 0 ? divide.quotient(static_cast<int32_t>(number))
                             : divide.quotient(number);
}

template <typename Index>
__device__ inline Index scaleIndexOf(QuantizedBlocks const& blocks, Index element, int loops) {
    Index scale = 0;
#pragma unroll 1
    for (int loop = loops - 1; loop >= 0; --loop) {
        ScaleLoop const& at = blocks.loops[loop];
        Index outer = 0;
        if (loop != 0) {
            outer = at.extent.quotient(element);
            element -= outer * static_cast<Index>(at.extent.divisor);
        }
        if (at.stride != 0) {
            scale += at.block.quotient(element) * static_cast<Index>(at.stride);
        }
        element = outer;
    }
    return scale;
}

/// The scale of an element of the first `loops` loops.
__device__ inline int64_t scaleIndex(QuantizedBlocks const& blocks, int64_t element, int loops) {
    return element >> 31 == 0 ? scaleIndexOf(blocks, static_cast<int32_t>(element), loops)
                              : scaleIndexOf(blocks, element, loops);
}
__device__ inline int64_t scaleIndex(QuantizedBlocks const& blocks, int64_t element) {
    return scaleIndex(blocks, element, blocks.rank);
}
