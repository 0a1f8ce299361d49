// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// double math: arithmetic of float64 on the bits of numbers in int64 tensors. A thread computes
// numbers one by one; there are few. Macros: KILN_FROM and KILN_TO, the types; KILN_OPERANDS, 1 or
// 2; KILN_FUNCTION, one of the functions below.
#include "threads.cuh"

struct Arguments {
    int64_t count;
    int64_t steps[2]; ///< 0 for an operand of one element
};

/// Conversions are those of the types.
struct Same {
    static __device__ KILN_TO of(KILN_FROM x) { return static_cast<KILN_TO>(x); }
};
struct ToInteger {
    static __device__ int64_t of(double x) {
        constexpr double kBeyond = 9223372036854775808.0;
        int64_t const most = 0x7fffffffffffffff;
        if (x != x) {
            return 0;
        }
        return x >= kBeyond ? most : x <= -kBeyond ? -most - 1 : static_cast<int64_t>(x);
    }
};
struct Negated {
    static __device__ double of(double x) { return -x; }
};
struct Absolute {
    static __device__ double of(double x) { return fabs(x); }
};
struct Floor {
    static __device__ double of(double x) { return floor(x); }
};
struct Ceil {
    static __device__ double of(double x) { return ceil(x); }
};
struct Round {
    static __device__ double of(double x) { return rint(x); }
};
struct Root {
    static __device__ double of(double x) { return sqrt(x); }
};
struct Sum {
    static __device__ double of(double x, double y) { return x + y; }
};
struct Difference {
    static __device__ double of(double x, double y) { return x - y; }
};
struct Product {
    static __device__ double of(double x, double y) { return x * y; }
};
struct Quotient {
    static __device__ double of(double x, double y) { return x / y; }
};
struct Larger {
    static __device__ double of(double x, double y) { return x != x || x > y ? x : y; }
};
struct Smaller {
    static __device__ double of(double x, double y) { return x != x || x < y ? x : y; }
};
struct Equal {
    static __device__ bool of(double x, double y) { return x == y; }
};
struct Less {
    static __device__ bool of(double x, double y) { return x < y; }
};
struct LessOrEqual {
    static __device__ bool of(double x, double y) { return x <= y; }
};

__device__ inline int64_t firstNumber() {
    return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t numbersAtOnce() {
    return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

#if KILN_OPERANDS == 1
KILN_KERNEL void double_math(KILN_FROM const* x, KILN_TO* to, Arguments arguments) {
    for (int64_t i = firstNumber(); i < arguments.count; i += numbersAtOnce()) {
        to[i] = KILN_FUNCTION::of(x[i * arguments.steps[0]]);
    }
}
#else
KILN_KERNEL void double_math(KILN_FROM const* x, KILN_FROM const* y, KILN_TO* to,
                             Arguments arguments) {
    for (int64_t i = firstNumber(); i < arguments.count; i += numbersAtOnce()) {
        to[i] = KILN_FUNCTION::of(x[i * arguments.steps[0]], y[i * arguments.steps[1]]);
    }
}
#endif
