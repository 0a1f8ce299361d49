// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one float that keep up with the memory of a GPU: two approximations of the special
// function unit and a few multiplications. Relative errors are those against exact values, measured
// over the whole range.
#pragma once

#include "prelude.cuh"

/// 1 / x to 1 unit in the last place; of numbers above 2^126 it is 0.
__device__ inline float reciprocal(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return 1.0F / x;
#endif
}

/// 2 ^ x to 2 units in the last place; 0 where the result is subnormal.
__device__ inline float powerOfTwo(float x) {
#ifdef __CUDA_ARCH__
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
#else
    return exp2f(x);
#endif
}

/// exp(x) - 1 of x <= 0, to 5e-7. Near 0 a polynomial (Lawson's algorithm on [-0.5, 0], 1e-7).
__device__ inline float exponentialLessOne(float x) {
    constexpr float kOneOverLogOfTwo = 1.44269504F; // 1 / log(2)
    float p = fmaf(x, 0.00680760695F, 0.0410424825F);
    p = fmaf(x, p, 0.1665635989F);
    p = fmaf(x, p, 0.4999946303F);
    float const near = fmaf(x * x, p, x);
    return x > -0.5F ? near : powerOfTwo(x * kOneOverLogOfTwo) - 1.0F;
}

/// log(1 + exp(x)) to 5e-7: max(x, 0) + log(1 + y) of y = exp(-|x|), which is y times a polynomial
/// (Lawson's algorithm on [0, 1], 3e-8).
__device__ inline float softplus(float x) {
    float const y = expf(-fabsf(x));
    float p = fmaf(y, 0.00523251906F, -0.0295044969F);
    p = fmaf(y, p, 0.0782246581F);
    p = fmaf(y, p, -0.1366312606F);
    p = fmaf(y, p, 0.1910594364F);
    p = fmaf(y, p, -0.2484296333F);
    p = fmaf(y, p, 0.3331909381F);
    p = fmaf(y, p, -0.4999949293F);
    p = fmaf(y, p, 0.9999999698F);
    return fmaf(y, p, fmaxf(x, 0.0F)); // fmaxf drops a NaN that y keeps
}

/// 1 / (1 + exp(-x))
__device__ inline float sigmoid(float x) {
    return reciprocal(1.0F + expf(-x));
}

/// To 3e-7. Near 0 an odd polynomial (Lawson's algorithm on [0, 0.55], 1e-9), else
/// 1 - 2 / (exp(2 |x|) + 1).
__device__ inline float hyperbolicTangent(float x) {
    constexpr float kTwoOverLogOfTwo = 2.88539008F; // 2 / log(2)
    float const size = fabsf(x);
    float const square = x * x;
    float odd = fmaf(square, -0.00627424F, 0.02107168F);
    odd = fmaf(square, odd, -0.05385231F);
    odd = fmaf(square, odd, 0.13332586F);
    odd = fmaf(square, odd, -0.33333318F);
    float const near = fmaf(x * square, odd, x);
    float const far = fmaf(-2.0F, reciprocal(1.0F + powerOfTwo(size * kTwoOverLogOfTwo)), 1.0F);
    return size < 0.55F ? near : copysignf(far, x);
}

/// x * (1 + erf(x / sqrt(2))) / 2 to 6e-7. The tail of the normal distribution beyond z = |x| is
/// exp(-z^2 / 2) * p(1 / (1 + 0.35 z)), with a polynomial p by Lawson's algorithm on [0, 13].
__device__ inline float gaussianLinearUnit(float x) {
    float const size = fabsf(x);
    float const t = reciprocal(fmaf(size, 0.35F, 1.0F));
    float p = fmaf(t, 0.0489401378F, -0.2021109084F);
    p = fmaf(t, p, 0.2406284261F);
    p = fmaf(t, p, -0.0170137869F);
    p = fmaf(t, p, 0.1559572267F);
    p = fmaf(t, p, 0.1333561613F);
    p = fmaf(t, p, 0.1402702043F);
    p = fmaf(t, p, -0.0000273082F);
    float const tail = p * expf(-0.5F * x * x);
    return x * (x < 0.0F ? tail : 1.0F - tail);
}

/// x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2 = x * sigmoid of twice that argument.
__device__ inline float gaussianLinearUnitByTanh(float x) {
    constexpr float kTwiceRoot = 1.59576912F; // 2 * sqrt(2 / pi)
    float const weight = sigmoid(kTwiceRoot * fmaf(0.044715F * x * x, x, x));
    return weight == 0.0F ? 0.0F : x * weight; // also beside an infinity
}
