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
    ScaleLoop loops[kMaxRank];
};

__device__ inline int64_t quotientOf(FastDivide const& divide, int64_t number) {
    return number >> 31 == 0 ? divide.quotient(static_cast<int32_t>(number))
                             : divide.quotient(number);
}

/// The scale of an element of the first `loops` loops.
__device__ inline int64_t scaleIndex(QuantizedBlocks const& blocks, int64_t element, int loops) {
    int64_t scale = 0;
    for (int loop = loops - 1; loop >= 0; --loop) {
        ScaleLoop const& at = blocks.loops[loop];
        int64_t const outer = loop == 0 ? 0 : quotientOf(at.extent, element);
        int64_t const position = element - outer * at.extent.divisor;
        if (at.stride != 0) {
            scale += quotientOf(at.block, position) * at.stride;
        }
        element = outer;
    }
    return scale;
}
__device__ inline int64_t scaleIndex(QuantizedBlocks const& blocks, int64_t element) {
    return scaleIndex(blocks, element, blocks.rank);
}
