// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the unary layer, on numbers. The including file defines kShort, see
// functions.cuh.
#pragma once

#include "elementwise_functions.cuh"
#include "functions.cuh"

#define KILN_DEFINE_REAL(name, expression)                                                         \
    struct name {                                                                                  \
        static __device__ float of(float x) { return expression; }                                 \
    };

KILN_DEFINE_REAL(Exponential, exponential<kShort>(x))
KILN_DEFINE_REAL(Logarithm, logarithm<kShort>(x))
KILN_DEFINE_REAL(SquareRoot, sqrtf(x))
KILN_DEFINE_REAL(Reciprocal, 1.0F / x)
KILN_DEFINE_REAL(Sine, (sine<kShort, false>(x)))
KILN_DEFINE_REAL(Cosine, (sine<kShort, true>(x)))
KILN_DEFINE_REAL(Tangent, tanf(x))
KILN_DEFINE_REAL(HyperbolicSine, sinhf(x))
KILN_DEFINE_REAL(HyperbolicCosine, coshf(x))
KILN_DEFINE_REAL(ArcSine, asinf(x))
KILN_DEFINE_REAL(ArcCosine, acosf(x))
KILN_DEFINE_REAL(ArcTangent, atanf(x))
KILN_DEFINE_REAL(AreaHyperbolicSine, asinhf(x))
KILN_DEFINE_REAL(AreaHyperbolicCosine, acoshf(x))
KILN_DEFINE_REAL(AreaHyperbolicTangent, atanhf(x))
KILN_DEFINE_REAL(Ceiling, ceilf(x))
KILN_DEFINE_REAL(Floor, floorf(x))
KILN_DEFINE_REAL(ErrorFunction, errorFunction<kShort>(x))
KILN_DEFINE_REAL(Round, rintf(x)) // ties to even

struct Absolute {
    static __device__ float of(float x) { return fabsf(x); }
    template <typename T>
    static __device__ T of(T x) {
        return x < 0 ? Difference::of(T{0}, x) : x; // the lowest integer is unchanged
    }
};

struct Negative {
    static __device__ float of(float x) { return -x; }
    template <typename T>
    static __device__ T of(T x) {
        return Difference::of(T{0}, x);
    }
};

struct Sign {
    template <typename T>
    static __device__ T of(T x) {
        return x > 0 ? T{1} : x < 0 ? T{-1} : x; // NaN stays
    }
};

struct IsInfinite {
    static __device__ bool of(float x) { return fabsf(x) > 3.402823466e38F; }
};

struct IsNan {
    static __device__ bool of(float x) { return x != x; }
};

struct Not {
    static __device__ bool of(uint8_t x) { return x == 0; }
};
