// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of the activation layer, computed in float; integers have ReLU and clip. NaN stays
// NaN. The including file defines kShort, see functions.cuh.
#pragma once

#include "functions.cuh"
#include "numbers.cuh"

struct Relu {
    static __device__ float of(float x, float, float) { return x < 0.0F ? 0.0F : x; }
    template <typename T>
    static __device__ T of(T x, float, float) {
        return x < 0 ? T{0} : x;
    }
};

struct Clip {
    static __device__ float of(float x, float alpha, float beta) {
        float const low = x > beta ? beta : x;
        return low < alpha ? alpha : low;
    }
    template <typename T>
    static __device__ T of(T x, float alpha, float beta) {
        T const least = truncateTo<T>(alpha);
        T const most = truncateTo<T>(beta);
        T const low = most < x ? most : x;
        return low < least ? least : low;
    }
};

#define KILN_DEFINE_ACTIVATION(name, expression)                                                   \
    struct name {                                                                                  \
        static __device__ float of(float x, float alpha, float beta) { return expression; }        \
    };

KILN_DEFINE_ACTIVATION(Sigmoid, sigmoid<kShort>(x))
KILN_DEFINE_ACTIVATION(Tanh, hyperbolicTangent(x))
KILN_DEFINE_ACTIVATION(LeakyRelu, x < 0.0F ? alpha * x : x)
KILN_DEFINE_ACTIVATION(Elu, exponentialLinearUnit<kShort>(x, alpha))
KILN_DEFINE_ACTIVATION(Selu, beta* exponentialLinearUnit<kShort>(x, alpha))
KILN_DEFINE_ACTIVATION(Softsign, x / (1.0F + fabsf(x)))
KILN_DEFINE_ACTIVATION(Softplus, alpha* softplus<kShort>(beta* x))
KILN_DEFINE_ACTIVATION(HardSigmoid, Clip::of(fmaf(alpha, x, beta), 0.0F, 1.0F))
KILN_DEFINE_ACTIVATION(ScaledTanh, alpha* hyperbolicTangent(beta* x))
KILN_DEFINE_ACTIVATION(ThresholdedRelu, x <= alpha ? 0.0F : x)
KILN_DEFINE_ACTIVATION(GeluErf, gaussianLinearUnit<kShort>(x))
KILN_DEFINE_ACTIVATION(GeluTanh, gaussianLinearUnitByTanh<kShort>(x))
