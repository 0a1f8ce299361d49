// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which samples an output of a resize reads, and how they are summed. Macros: resize.cuh.
#pragma once

#include "fast_divide.cuh"
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
    // The coordinate of an output position, without a scale: (position * step + first) / divisor,
    // at least -1.
    int64_t step;
    int64_t first;
    int64_t divisor;
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
    // For resize_tiles:
    int64_t strips;        ///< of a plane
    int32_t lanes;         ///< threads that share an output row; a power of two
    int32_t rowsOfStrip;   ///< output rows
    int32_t inputsOfStrip; ///< input rows, at most
    int32_t pitch;         ///< elements between rows in shared memory
    FastDivide byVectors;  ///< words of a row
    // For images that double or halve: weights of outputs at even and at odd places. `strips` too.
    float phases[2][4];
};

struct Tap {
    int32_t at;
    float weight;
};
typedef Pack<Tap, KILN_TAPS> Taps;

enum Transformation { kAlignCorners = 0, kAsymmetric = 1, kHalfPixel = 2 };
enum Rounding { kHalfUp = 0, kHalfDown = 1, kFloorMode = 2, kCeilMode = 3 };

/// A coordinate between two positions.
struct Place {
    int32_t low;
    float part;   ///< in [0, 1]
    int32_t half; ///< whether the part is below 1/2, equal or above: -1, 0, 1
};

/// The same as on the host, in integers: divisions of double numbers would take most of the time.
__device__ inline Place placeOf(Arguments const& arguments, Axis const& axis, int64_t position) {
    if (axis.scale != 0.0F) {
        double const shift = arguments.transformation == kHalfPixel ? 0.5 : 0.0;
        float const x = static_cast<float>(static_cast<double>(position) + shift) / axis.scale -
                        static_cast<float>(shift);
        float const most = static_cast<float>(1 << 30);
        float const low = floorf(x < -4.0F ? -4.0F : x < most ? x : most);
        float const part = x < -4.0F || x >= most ? 0.0F : x - low;
        return {static_cast<int32_t>(low), part, part < 0.5F ? -1 : part > 0.5F ? 1 : 0};
    }
    int64_t const number = position * axis.step + axis.first + axis.divisor;
    int64_t const whole = quotient(number, axis.divisor);
    int64_t const rest = number - whole * axis.divisor;
    return {static_cast<int32_t>(whole) - 1,
            static_cast<float>(rest) / static_cast<float>(axis.divisor),
            2 * rest < axis.divisor ? -1 : 2 * rest > axis.divisor ? 1 : 0};
}

__device__ inline bool roundsUp(int32_t mode, Place const& place) {
    return mode == kHalfUp      ? place.half >= 0
           : mode == kHalfDown  ? place.half > 0
           : mode == kFloorMode ? false
                                : place.part > 0.0F;
}

__device__ inline int32_t inside(int32_t at, Axis const& axis) {
    int32_t const last = static_cast<int32_t>(axis.input) - 1;
    return at < 0 ? 0 : at < last ? at : last;
}

__device__ inline float nearWeight(float a, float x) {
    return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
}
__device__ inline float farWeight(float a, float x) {
    return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a;
}

/// The samples at a place of an axis that changes.
__device__ inline Taps tapsAt(Arguments const& arguments, Axis const& axis, Place const& place) {
    Taps taps;
#if KILN_TAPS == 1
    taps.at[0].at = inside(place.low + (roundsUp(arguments.rounding, place) ? 1 : 0), axis);
    taps.at[0].weight = 1.0F;
#elif KILN_TAPS == 2
    taps.at[0].at = inside(place.low, axis);
    taps.at[0].weight = 1.0F - place.part;
    taps.at[1].at = inside(place.low + 1, axis);
    taps.at[1].weight = place.part;
#else
    float const a = arguments.cubic;
    float const weights[4] = {farWeight(a, place.part + 1.0F), nearWeight(a, place.part),
                              nearWeight(a, 1.0F - place.part), farWeight(a, 2.0F - place.part)};
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        int32_t const at = place.low - 1 + i;
        taps.at[i].at = inside(at, axis);
        taps.at[i].weight =
            at != taps.at[i].at && arguments.excludesOutside != 0 ? 0.0F : weights[i];
        sum += taps.at[i].weight;
    }
    if (arguments.excludesOutside != 0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            taps.at[i].weight /= sum;
        }
    }
#endif
    return taps;
}

__device__ inline Taps keptTaps(int64_t position) {
    Taps taps;
#pragma unroll
    for (int i = 0; i < KILN_TAPS; ++i) {
        taps.at[i].at = static_cast<int32_t>(position);
        taps.at[i].weight = i == 0 ? 1.0F : 0.0F;
    }
    return taps;
}

__device__ inline Taps tapsOf(Arguments const& arguments, Axis const& axis, int64_t position) {
    return axis.keeps != 0 ? keptTaps(position)
                           : tapsAt(arguments, axis, placeOf(arguments, axis, position));
}

/// Samples of one output along an axis.
__device__ inline Taps read(Taps const* tables, Axis const& axis, int64_t position) {
    return axis.keeps == 0 ? tables[axis.table + position] : keptTaps(position);
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
