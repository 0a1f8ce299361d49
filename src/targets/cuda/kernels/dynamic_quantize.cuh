// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// dynamic_quantize: the scale of each block is its largest magnitude / (kMost * factor); then
// elements are divided by scale * factor. A thread finds the scale of a small block, a warp that of
// a large one. Macros: KILN_WIDE, KILN_NARROW and KILN_SCALE, the types; KILN_FACTOR, that of the
// factor, only defined if there is one; KILN_MOST, the largest number of KILN_NARROW.
#include "quantized_elements.cuh"

typedef KILN_WIDE Wide;
typedef KILN_NARROW Narrow;
typedef KILN_SCALE Scale;

#ifdef KILN_FACTOR
#define KILN_FACTORS , KILN_FACTOR const* factors
#define KILN_FACTOR_VALUE toFloat(*factors)
#else
#define KILN_FACTORS
#define KILN_FACTOR_VALUE 1.0F
#endif

struct Arguments {
    QuantizedBlocks blocks;
    int64_t scaleCount;
    int32_t rank;
    int64_t data[kMaxRank];   ///< extents
    int64_t block[kMaxRank];  ///< extents of a block
    int64_t scales[kMaxRank]; ///< blocks along each axis
};

/// The larger magnitude; NaN if one is NaN.
__device__ inline float largerMagnitude(float a, float b) {
    return a != a || a > b ? a : b;
}

/// The largest magnitude among every `step`-th element of a block, from number `begin` on.
__device__ inline float largestIn(Arguments const& arguments, Wide const* from, int64_t block,
                                  int begin, int step) {
    int64_t first = 0;
    int64_t stride = 1;
    int64_t total = 1;
    int64_t count[kMaxRank];
    for (int axis = arguments.rank - 1; axis >= 0; --axis) {
        int64_t const outer = quotient(block, arguments.scales[axis]);
        int64_t const start = (block - outer * arguments.scales[axis]) * arguments.block[axis];
        int64_t const rest = arguments.data[axis] - start;
        count[axis] = rest < arguments.block[axis] ? rest : arguments.block[axis];
        first += start * stride;
        stride *= arguments.data[axis];
        total *= count[axis];
        block = outer;
    }
    float largest = 0.0F;
    for (int64_t i = begin; i < total; i += step) {
        int64_t rest = i;
        int64_t offset = first;
        int64_t pitch = 1;
        for (int axis = arguments.rank - 1; axis >= 0 && rest > 0; --axis) {
            int64_t const outer = quotient(rest, count[axis]);
            offset += (rest - outer * count[axis]) * pitch;
            pitch *= arguments.data[axis];
            rest = outer;
        }
        largest = largerMagnitude(fabsf(toFloat(from[offset])), largest);
    }
    return largest;
}

KILN_KERNEL void scales_by_thread(Wide const* from KILN_FACTORS, Narrow*, Scale* scales,
                                  Arguments arguments) {
    for (int64_t block = threadIndex(); block < arguments.scaleCount; block += threadCount()) {
        float const largest = largestIn(arguments, from, block, 0, 1);
        scales[block] = elementOf<Scale>(largest / (KILN_MOST * KILN_FACTOR_VALUE));
    }
}

KILN_KERNEL void scales_by_warp(Wide const* from KILN_FACTORS, Narrow*, Scale* scales,
                                Arguments arguments) {
    int const lane = static_cast<int>(threadIdx.x & 31U);
    int64_t const warps = threadCount() >> 5;
    for (int64_t block = threadIndex() >> 5; block < arguments.scaleCount; block += warps) {
        float largest = largestIn(arguments, from, block, lane, 32);
        for (int step = 16; step > 0; step >>= 1) {
            largest = largerMagnitude(__shfl_xor_sync(kAllLanes, largest, step), largest);
        }
        if (lane == 0) {
            scales[block] = elementOf<Scale>(largest / (KILN_MOST * KILN_FACTOR_VALUE));
        }
    }
}

KILN_KERNEL void quantize_blocks(Wide const* from KILN_FACTORS, Narrow* to, Scale* scales,
                                 Arguments arguments) {
    float const factor = KILN_FACTOR_VALUE;
    convertBlocks<false>(arguments.blocks, from, to, [&](int64_t index) {
        float const scale = toFloat(scales[index]) * factor;
        return [=](float x) {
            return scale == 0.0F ? 0.0F : quantizedNumber<Narrow>(x, scale, 0.0F);
        };
    });
}
