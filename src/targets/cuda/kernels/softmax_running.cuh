// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of softmax share. Macros: softmax.cuh.
#pragma once

#include "held.cuh"
#include "rows.cuh"

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int32_t lanes; ///< threads per row or column; a power of two
};

#define KILN_ROWS(name, rows, threads, blocks)                                                     \
    KILN_KERNEL void __launch_bounds__(threads, blocks)                                            \
        name(Element const* from, Element* to, Arguments arguments) {                              \
        rows(from, to, arguments);                                                                 \
    }

/// The largest element so far, and the sum of exp(x - largest).
struct Running {
    float largest;
    float sum;

    __device__ void add(float x) {
        if (x > largest) {
            sum = sum * expf(largest - x) + expf(x - x); // NaN for infinity
            largest = x;
        } else if (x != -infinity()) {
            sum += expf(x - largest);
        }
    }
    __device__ void add(float const (&values)[kVector]) {
        float both = largest;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            both = larger(both, values[i]);
        }
        bool const none = both == -infinity(); // NaN counts all the same
        sum = both > largest ? sum * expf(largest - both) : sum;
        largest = both;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            float const x = values[i];
            sum += none ? (x == x ? 0.0F : x) : expf(x - both);
        }
    }
    __device__ void add(Running const& other) {
        float const both = larger(largest, other.largest);
        sum = scaled(both) + other.scaled(both);
        largest = both;
    }
    __device__ float scaled(float to) const {
        return largest == -infinity() ? sum : sum * expf(largest - to);
    }
};

__device__ inline Running nothing() {
    return {-infinity(), 0.0F};
}
