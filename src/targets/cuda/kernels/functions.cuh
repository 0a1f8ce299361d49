// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one float that are fast enough not to limit memory-bound kernels: approximations by
// the special function unit and a few multiplications. With kShort, results are then rounded to
// half or bfloat16: relative errors of 3e-5 suffice, and a GPU executes about 22 instructions in
// the time that it moves an element. Polynomials are by Lawson's algorithm, for the smallest
// relative error; the stated errors are measured.
#pragma once

#include "prelude.cuh"

constexpr float kLogOfTwo = 0.693147181F;
constexpr float kOneOverLogOfTwo = 1.44269504F;

/// 1 / x to 1 unit in the last place; 0 for x above 2^126.
__device__ inline float reciprocal(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0F / x;
#endif
}

/// 2 ^ x to 2 units in the last place; 0 if the result is subnormal.
__device__ inline float powerOfTwo(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return exp2f(x);
#endif
}

/// The logarithm to base 2, with an error of 2^-22 near 1.
__device__ inline float logarithmOfTwo(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("lg2.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return log2f(x);
#endif
}

/// `other` if the sign is negative or NaN, else `one`. Compiles without a branch.
__device__ inline float bySign(float sign, float one, float other) {
#ifdef __CUDA_ARCH__
    float result;
    asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(one), "f"(other), "f"(sign));
    return result;
#else
    return sign >= 0.0F ? one : other;
#endif
}

template <bool kShort>
__device__ inline float exponential(float x) {
    return kShort ? powerOfTwo(x * kOneOverLogOfTwo) : expf(x);
}

/// With kShort: a series near 1, where the approximation loses its digits.
template <bool kShort>
__device__ inline float logarithm(float x) {
    if constexpr (!kShort) {
        return logf(x);
    } else {
        float const d = x - 1.0F;
        float series = fmaf(d, -0.25F, 0.333333333F);
        series = fmaf(d, series, -0.5F);
        series = fmaf(d * d, series, d);
        return fabsf(d) < 0.05F ? series : logarithmOfTwo(x) * kLogOfTwo;
    }
}

/// exp(x) - 1 for x <= 0, to 5e-7. Near 0 a polynomial on [-0.5, 0], or a series.
template <bool kShort>
__device__ inline float exponentialLessOne(float x) {
    float const far = powerOfTwo(x * kOneOverLogOfTwo) - 1.0F;
    if constexpr (kShort) {
        return x > -0.0625F ? fmaf(x * x, fmaf(x, 0.166666667F, 0.5F), x) : far;
    } else {
        float p = fmaf(x, 0.00680760695F, 0.0410424825F);
        p = fmaf(x, p, 0.1665635989F);
        p = fmaf(x, p, 0.4999946303F);
        return x > -0.5F ? fmaf(x * x, p, x) : far;
    }
}

/// x if x >= 0, else alpha * (exp(x) - 1): a sum without a branch.
template <bool kShort>
__device__ inline float exponentialLinearUnit(float x, float alpha) {
    float const low = x < 0.0F ? x : 0.0F;
    return fmaf(alpha, exponentialLessOne<kShort>(low), x < 0.0F ? 0.0F : x);
}

/// log(1 + exp(x)) to 5e-7: max(x, 0) + log(1 + y) with y = exp(-|x|), where log(1 + y) is y times
/// a polynomial on [0, 1].
template <bool kShort>
__device__ inline float softplus(float x) {
    float const y = exponential<kShort>(-fabsf(x));
    float p = fmaf(y, 0.00523251906F, -0.0295044969F);
    p = fmaf(y, p, 0.0782246581F);
    p = fmaf(y, p, -0.1366312606F);
    p = fmaf(y, p, 0.1910594364F);
    p = fmaf(y, p, -0.2484296333F);
    p = fmaf(y, p, 0.3331909381F);
    p = fmaf(y, p, -0.4999949293F);
    p = fmaf(y, p, 0.9999999698F);
    return fmaf(y, p, fmaxf(x, 0.0F)); // fmaxf drops a NaN, but y keeps it
}

/// 1 / (1 + exp(-x))
template <bool kShort>
__device__ inline float sigmoid(float x) {
    return reciprocal(1.0F + exponential<kShort>(-x));
}

/// tanh(x) to 3e-7. Near 0 an odd polynomial on [0, 0.55], else 1 - 2 / (exp(2 |x|) + 1).
__device__ inline float hyperbolicTangent(float x) {
    float const size = fabsf(x);
    float const square = x * x;
    float odd = fmaf(square, -0.00627424F, 0.02107168F);
    odd = fmaf(square, odd, -0.05385231F);
    odd = fmaf(square, odd, 0.13332586F);
    odd = fmaf(square, odd, -0.33333318F);
    float const near = fmaf(x * square, odd, x);
    float const far =
        fmaf(-2.0F, reciprocal(1.0F + powerOfTwo(size * (2.0F * kOneOverLogOfTwo))), 1.0F);
    return size < 0.55F ? near : copysignf(far, x);
}

/// The probability of a value above z >= 0 in a normal distribution. With kShort, z is at most
/// kFarInTail: 2 to a polynomial. Else exp(-z^2 / 2) times a polynomial in 1 / (1 + p z) on
/// [0, 13].
template <bool kShort>
__device__ inline float tailOfNormal(float z) {
    if constexpr (kShort) { // to 5e-5
        float p = fmaf(z, 2.29900634e-5F, -0.000611100055F);
        p = fmaf(z, p, 0.00719556585F);
        p = fmaf(z, p, -0.051185336F);
        p = fmaf(z, p, -0.461271912F);
        p = fmaf(z, p, -1.15017426F);
        p = fmaf(z, p, -1.00006473F);
        return powerOfTwo(p);
    } else { // to 6e-7
        float const t = reciprocal(fmaf(z, 0.35F, 1.0F));
        float p = fmaf(t, 0.0489401378F, -0.2021109084F);
        p = fmaf(t, p, 0.2406284261F);
        p = fmaf(t, p, -0.0170137869F);
        p = fmaf(t, p, 0.1559572267F);
        p = fmaf(t, p, 0.1333561613F);
        p = fmaf(t, p, 0.1402702043F);
        p = fmaf(t, p, -0.0000273082F);
        return p * exponential<false>(-0.5F * z * z);
    }
}
constexpr float kFarInTail = 6.0F; ///< the tail is 1e-9

/// x if x > 0, else 0; NaN stays.
__device__ inline float positivePart(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float result;
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(result) : "f"(x));
    return result;
#else
    return x > 0.0F || x != x ? x : 0.0F;
#endif
}

/// x * (1 + erf(x / sqrt(2))) / 2 = max(x, 0) - |x| * tail(|x|). With kShort, |x| * tail is 6e-9 at
/// most beyond kFarInTail, and stays so.
template <bool kShort>
__device__ inline float gaussianLinearUnit(float x) {
    if constexpr (kShort) {
        float const z = fminf(fabsf(x), kFarInTail);
        return fmaf(-z, tailOfNormal<true>(z), positivePart(x));
    } else {
        float const tail = tailOfNormal<false>(fabsf(x));
        return x * (x < 0.0F ? tail : 1.0F - tail);
    }
}

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2 = x * sigmoid(twice the argument of tanh).
template <bool kShort>
__device__ inline float gaussianLinearUnitByTanh(float x) {
    constexpr float kTwiceRoot = 1.59576912F; // 2 * sqrt(2 / pi)
    float const weight = sigmoid<kShort>(kTwiceRoot * fmaf(0.044715F * x * x, x, x));
    return weight == 0.0F ? 0.0F : x * weight; // avoids 0 * infinity
}

/// erf(x). With kShort: near 0 an odd polynomial on [0, 0.5].
template <bool kShort>
__device__ inline float errorFunction(float x) {
    if constexpr (!kShort) {
        return erff(x);
    } else {
        float const size = fabsf(x);
        float const square = x * x;
        float odd = fmaf(square, 0.103267695F, -0.375239217F);
        odd = fmaf(square, odd, 1.12836677F);
        float const z = fminf(1.41421356F * size, kFarInTail);
        float const far = fmaf(-2.0F, tailOfNormal<true>(z), 1.0F);
        return bySign(size - 0.5F, copysignf(far, x), x * odd);
    }
}

/// Not inlined: long code that few elements need.
template <bool kCosine>
__device__ __noinline__ float sineOfAny(float x) {
    return kCosine ? cosf(x) : sinf(x);
}

/// sin(x), or cos(x) = sin(x + pi / 2). With kShort: subtracts a multiple of pi (for the cosine, an
/// odd multiple of pi / 2), then an odd polynomial on [-pi / 2, pi / 2]; relative error 1.4e-6.
template <bool kShort, bool kCosine>
__device__ inline float sine(float x) {
    if (!kShort) {
        return kCosine ? cosf(x) : sinf(x);
    }
    if (fabsf(x) > 65536.0F) {
        return sineOfAny<kCosine>(x);
    }
    constexpr float kShift = 12582912.0F; // 1.5 * 2^23: the sum has no fraction
    constexpr float kPerPi = 0.318309886F;
    float const shifted = kCosine ? fmaf(x, kPerPi, 0.5F) + kShift : fmaf(x, kPerPi, kShift);
    float const halves = shifted - kShift - (kCosine ? 0.5F : 0.0F);
    float r = fmaf(halves, -3.14159274F, x);
    r = fmaf(halves, 8.74227766e-8F, r); // pi has more digits than a float
    float const square = r * r;
    float p = fmaf(square, -0.00018542224F, 0.008314275F);
    p = fmaf(square, p, -0.16665854F);
    p = fmaf(r * square, p, r);
    return __uint_as_float(__float_as_uint(p) ^ __float_as_uint(shifted) << 31);
}
