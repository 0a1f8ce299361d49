// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Windows of the kernels of pooling.cuh, which names the macros, and what they give.
#pragma once

#include "fast_divide.cuh"
#include "flat.cuh"
#include "volume.cuh"

typedef KILN_ELEMENT Element;

/// One spatial axis.
struct Axis {
    int64_t input;
    int64_t output;
    int64_t size;
    int64_t stride;
    int64_t before; ///< padding
    int64_t after;
};

struct Arguments {
    int64_t results;
    Axis depth; ///< extent 1 if there are fewer than three spatial axes
    Axis height;
    Axis width;
    float ofLargest; ///< weights of the two terms
    float ofMean;
    int32_t countsPadding;
    int64_t channels; ///< of channels last
    // For pooling_strips:
    int32_t threads;
    int32_t strips; ///< of each slice
    FastDivide byWidth;
    FastDivide byStrips;
    FastDivide byDepth;
    // For pooling_tiles:
    int64_t slices;       ///< output planes
    int64_t tiles;        ///< of a slice
    int32_t slicesOfTile; ///< more than one only if windows have no depth
    int32_t rowsOfTile;   ///< output rows
    int32_t padded;       ///< whether windows have columns of padding
    float inverse;        ///< of the number of elements of each window, if all have as many
    FastDivide byVectors; ///< of a band
    FastDivide byGroups;  ///< of columns
    FastDivide byTileStrips;
    // For pooling_rows:
    int64_t items; ///< groups of lanes
    int32_t lanes; ///< of a group
    int32_t groupsOfWarp;
    int32_t vectors; ///< of an input row
    int32_t unused;
    FastDivide byPieces; ///< of a row
    FastDivide byRowStrips;
};

/// The positions of a window along one axis: inside the input, and inside the padded input.
struct Range {
    int64_t begin;
    int64_t end;
    int64_t padded; ///< number of positions, padding included
};

__device__ inline int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}
__device__ inline int64_t most(int64_t a, int64_t b) {
    return a > b ? a : b;
}

__device__ inline Range rangeOf(Axis const& axis, int64_t position) {
    int64_t const begin = position * axis.stride - axis.before;
    int64_t const end = begin + axis.size;
    Range range;
    range.begin = most(begin, 0);
    range.end = most(range.begin, least(end, axis.input));
    range.padded = most(0, least(end, axis.input + axis.after) - begin);
    return range;
}

/// The result of a window from its largest element and its sum.
__device__ inline float resultOf(Arguments const& arguments, Range const& z, Range const& y,
                                 Range const& x, float largest, float sum) {
    if (!KILN_MEAN) {
        return largest;
    }
    int64_t const inside = (z.end - z.begin) * (y.end - y.begin) * (x.end - x.begin);
    int64_t const count = arguments.countsPadding != 0 ? z.padded * y.padded * x.padded : inside;
    float const mean = count == 0 ? 0.0F : sum / static_cast<float>(count);
    // A term with weight 0 must not turn an infinity into NaN.
    if (arguments.ofMean == 0.0F) {
        return largest;
    }
    return arguments.ofLargest == 0.0F ? mean
                                       : arguments.ofLargest * largest + arguments.ofMean * mean;
}

/// The larger of two; NaN if one is.
__device__ inline float largerOrNan(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float result;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
#else
    return b > a || b != b ? b : a;
#endif
}
