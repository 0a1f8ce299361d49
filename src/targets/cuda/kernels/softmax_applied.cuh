// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of softmax.cuh share.
#pragma once

#include "dependents.cuh"
#include "matrix_units.cuh"
#include "softmax_running.cuh"

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int64_t parts; ///< blocks that share a row
    int64_t part;  ///< elements
    int32_t lanes; ///< threads per row or column; a power of two
};

constexpr int kMostHeld = 226 * 1024; ///< bytes

constexpr int kAtOnce = 4; ///< packs of a thread that are under way

/// exp(x - largest) / sum.
struct Applied {
    float largest;
    float factor;

    __device__ float operator()(float x) const { return exponential(x, largest) * factor; }
    __device__ Pack<Element, kVector> operator()(Pack<Element, kVector> held) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            held.at[i] = fromFloat<Element>((*this)(toFloat(held.at[i])));
        }
        return held;
    }
};
