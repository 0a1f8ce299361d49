// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// activation: a function of each element, computed in float; integers have ReLU and clip. NaN stays
// NaN. Macros: KILN_ELEMENT, the type; KILN_FUNCTION, one of the functions below.
#include "flat.cuh"
#include "functions.cuh"
#include "numbers.cuh"

constexpr bool kShort = sizeof(KILN_ELEMENT) == 2; ///< see functions.cuh

struct Arguments {
    int64_t count;
    float alpha;
    float beta;
};

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

#define KILN_DEFINE(name, expression)                                                              \
    struct name {                                                                                  \
        static __device__ float of(float x, float alpha, float beta) { return expression; }        \
    };

KILN_DEFINE(Sigmoid, sigmoid<kShort>(x))
KILN_DEFINE(Tanh, hyperbolicTangent(x))
KILN_DEFINE(LeakyRelu, x < 0.0F ? alpha * x : x)
KILN_DEFINE(Elu, exponentialLinearUnit<kShort>(x, alpha))
KILN_DEFINE(Selu, beta* exponentialLinearUnit<kShort>(x, alpha))
KILN_DEFINE(Softsign, x / (1.0F + fabsf(x)))
KILN_DEFINE(Softplus, alpha* softplus<kShort>(beta* x))
KILN_DEFINE(HardSigmoid, Clip::of(fmaf(alpha, x, beta), 0.0F, 1.0F))
KILN_DEFINE(ScaledTanh, alpha* hyperbolicTangent(beta* x))
KILN_DEFINE(ThresholdedRelu, x <= alpha ? 0.0F : x)
KILN_DEFINE(GeluErf, gaussianLinearUnit<kShort>(x))
KILN_DEFINE(GeluTanh, gaussianLinearUnitByTanh<kShort>(x))

KILN_KERNEL void activation(KILN_ELEMENT const* from, KILN_ELEMENT* to, Arguments arguments) {
    constexpr int kWidth = widthFor(sizeof(KILN_ELEMENT));
    auto const f = [&](KILN_ELEMENT x) {
        return elementOf<KILN_ELEMENT>(
            KILN_FUNCTION::of(numberOf(x), arguments.alpha, arguments.beta));
    };
    computeFlat<kWidth>(arguments.count, to, f, flatOperand<kWidth>(from));
}
