// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// fill: alpha + the sum of index[i] * beta[i]. Floating-point types are computed in double,
// integers in their own type, with wraparound. Macros: KILN_ELEMENT, the type; KILN_NUMBER, the
// type of the sums; KILN_INPUTS, the number of operands (extents, alpha, beta), of which the
// pointers of absent ones are null; KILN_ALPHA and KILN_BETA, 1 if that is there. A thread writes
// vectors of 16 bytes; the remainder is written one by one.
#include "elementwise_functions.cuh"
#include "flat.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_NUMBER Number;

struct Arguments {
    int64_t count;
    int64_t extents[kMaxRank];
    int32_t rank;
    // Used if they are not operands.
    double realAlpha;
    double realBeta;
    int64_t wholeAlpha;
    int64_t wholeBeta;
};

template <typename T>
__device__ inline T parameter(double real, int64_t whole) {
    if constexpr (Integers<T>::kAre) {
        return static_cast<T>(whole);
    } else {
        return real;
    }
}

__device__ inline float narrow(double sum) {
    return static_cast<float>(sum);
}
__device__ inline int32_t narrow(int32_t sum) {
    return sum;
}
__device__ inline int64_t narrow(int64_t sum) {
    return sum;
}

struct Line {
    Number start;
    Number step;          ///< for every axis, if steps is null
    Element const* steps; ///< one per axis, or null

    __device__ Number part(uint64_t index, int32_t axis) const {
        Number const along = steps == nullptr ? step : static_cast<Number>(numberOf(steps[axis]));
        return Product::of(static_cast<Number>(static_cast<int64_t>(index)), along);
    }

    __device__ Element at(Arguments const& arguments, int64_t position) const {
        Number sum = start;
        auto rest = static_cast<uint64_t>(position);
#pragma unroll 1
        for (int32_t axis = arguments.rank - 1; axis > 0; --axis) {
            auto const extent = static_cast<uint64_t>(arguments.extents[axis]);
            uint64_t const above = rest / extent;
            sum = Sum::of(sum, part(rest - above * extent, axis));
            rest = above;
        }
        if (arguments.rank > 0) {
            sum = Sum::of(sum, part(rest, 0));
        }
        return elementOf<Element>(narrow(sum));
    }
};

KILN_KERNEL void fill(
#if KILN_INPUTS > 0
    void const*, // known on the host
#endif
#if KILN_INPUTS > 1
    Element const* alpha,
#endif
#if KILN_INPUTS > 2
    Element const* beta,
#endif
    Element* to, KILN_IN_PLACE Arguments arguments) {
    constexpr int kWidth = widthFor(sizeof(Element));
    Line line{parameter<Number>(arguments.realAlpha, arguments.wholeAlpha),
              parameter<Number>(arguments.realBeta, arguments.wholeBeta), nullptr};
#if KILN_ALPHA
    line.start = static_cast<Number>(numberOf(*alpha));
#endif
#if KILN_BETA
    line.steps = beta;
#endif
    int64_t const vectors = beginsVector<kWidth>(to) ? arguments.count / kWidth : 0;
    for (int64_t vector = threadIndex(); vector < vectors; vector += threadCount()) {
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = line.at(arguments, vector * kWidth + i);
        }
        reinterpret_cast<Pack<Element, kWidth>*>(to)[vector] = result;
    }
    for (int64_t i = vectors * kWidth + threadIndex(); i < arguments.count; i += threadCount()) {
        to[i] = line.at(arguments, i);
    }
}
