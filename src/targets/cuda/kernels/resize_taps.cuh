// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which samples an output of a resize reads, and how they are summed. Macros: resize.cuh.
#pragma once

#include "flat.cuh"
#include "numbers.cuh"
#include "volume.cuh"

typedef KILN_ELEMENT Element;

struct Axis {
    int64_t input;
    int64_t output;
    int64_t table; ///< entries of the tables in front of this axis's
    float scale;   ///< 0: the quotient of the extents
    int32_t taps;
    int32_t keeps; ///< each output is the input at the same place; no table
    int32_t unused;
};

struct Arguments {
    int64_t outer;
    int64_t inner;
    int64_t tables; ///< positions of all axes that have a table
    int32_t rank;
    int32_t mode;
    int32_t transformation;
    int32_t selector;
    int32_t rounding;
    int32_t excludesOutside;
    float cubic;
    Axis axes[kMaxRank];
    // For resize_strips:
    int32_t lanes;       ///< threads that share an output row; a power of two
    int32_t pitch;       ///< between rows in shared memory
    int32_t turns;       ///< rows of each thread at once
    int32_t rowsOfBlock; ///< at most kStripRows
};

struct Tap {
    int32_t at;
    float weight;
};
typedef Pack<Tap, KILN_TAPS> Taps;

enum Transformation { kAlignCorners = 0, kAsymmetric = 1, kHalfPixel = 2 };
enum Rounding { kHalfUp = 0, kHalfDown = 1, kFloorMode = 2, kCeilMode = 3 };

__device__ inline double coordinateOf(Arguments const& arguments, Axis const& axis,
                                      int64_t position) {
    if (axis.output == 1 && arguments.selector == 1) {
        return 0.0;
    }
    double const x = static_cast<double>(position);
    double const input = static_cast<double>(axis.input);
    double const output = static_cast<double>(axis.output);
    if (arguments.transformation == kAlignCorners) {
        return axis.output == 1 ? 0.0 : x * (input - 1.0) / (output - 1.0);
    }
    double const shift = arguments.transformation == kHalfPixel ? 0.5 : 0.0;
    if (axis.scale == 0.0F) {
        return (x + shift) * input / output - shift;
    }
    return static_cast<double>(static_cast<float>(x + shift) / axis.scale -
                               static_cast<float>(shift));
}

__device__ inline double rounded(int32_t mode, double x) {
    return mode == kHalfUp      ? floor(x + 0.5)
           : mode == kHalfDown  ? ceil(x - 0.5)
           : mode == kFloorMode ? floor(x)
                                : ceil(x);
}

__device__ inline int32_t inside(double at, Axis const& axis) {
    double const last = static_cast<double>(axis.input - 1);
    return static_cast<int32_t>(at < 0.0 ? 0.0 : at > last ? last : at);
}

__device__ inline float nearWeight(float a, float x) {
    return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
}
__device__ inline float farWeight(float a, float x) {
    return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a;
}

__device__ inline Taps tapsOf(Arguments const& arguments, Axis const& axis, int64_t position) {
    Taps taps;
    double const x = coordinateOf(arguments, axis, position);
#if KILN_TAPS == 1
    taps.at[0].at = inside(rounded(arguments.rounding, x), axis);
    taps.at[0].weight = 1.0F;
#else
    double const low = floor(x);
    float const part = static_cast<float>(x - low);
#if KILN_TAPS == 2
    taps.at[0].at = inside(low, axis);
    taps.at[0].weight = 1.0F - part;
    taps.at[1].at = inside(low + 1.0, axis);
    taps.at[1].weight = part;
#else
    float const a = arguments.cubic;
    float const weights[4] = {farWeight(a, part + 1.0F), nearWeight(a, part),
                              nearWeight(a, 1.0F - part), farWeight(a, 2.0F - part)};
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        double const at = low - 1.0 + i;
        bool const outside = at < 0.0 || at > static_cast<double>(axis.input - 1);
        taps.at[i].at = inside(at, axis);
        taps.at[i].weight = outside && arguments.excludesOutside != 0 ? 0.0F : weights[i];
        sum += taps.at[i].weight;
    }
    if (arguments.excludesOutside != 0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            taps.at[i].weight /= sum;
        }
    }
#endif
#endif
    return taps;
}

/// Samples of one output along an axis.
__device__ inline Taps read(Taps const* tables, Axis const& axis, int64_t position) {
    if (axis.keeps == 0) {
        return tables[axis.table + position];
    }
    Taps taps;
#pragma unroll
    for (int i = 0; i < KILN_TAPS; ++i) {
        taps.at[i].at = static_cast<int32_t>(position);
        taps.at[i].weight = i == 0 ? 1.0F : 0.0F;
    }
    return taps;
}

/// A sample by its number. An index would put all of them in local memory.
__device__ inline Tap tapAt(Taps const& taps, int64_t number) {
    Tap result = taps.at[0];
#pragma unroll
    for (int i = 1; i < KILN_TAPS; ++i) {
        result.at = number == i ? taps.at[i].at : result.at;
        result.weight = number == i ? taps.at[i].weight : result.weight;
    }
    return result;
}

#if KILN_MOVES
typedef Element Sum;
#else
typedef float Sum;
#endif

__device__ inline void add(Sum& sum, float weight, Element value) {
#if KILN_MOVES
    sum = value;
#else
    sum += weight * toFloat(value);
#endif
}

__device__ inline Element resultOf(Sum sum) {
#if KILN_MOVES
    return sum;
#else
    if constexpr (Integers<Element>::kAre) {
        return elementOf<Element>(rintf(sum));
    } else {
        return fromFloat<Element>(sum);
    }
#endif
}
