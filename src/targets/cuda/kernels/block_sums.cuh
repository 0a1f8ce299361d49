// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running sums of the threads of a block.
#pragma once

#include "prelude.cuh"

/// The sum of the values of all lower threads; `total`, that of all. For a block of kThreads.
template <int kThreads>
__device__ inline int64_t sumBelow(int64_t value, int64_t& total) {
    __shared__ int64_t sums[2][kThreads];
    int const thread = static_cast<int>(threadIdx.x);
    int from = 0;
    sums[0][thread] = value;
    __syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
        int64_t const below = thread >= step ? sums[from][thread - step] : 0;
        sums[1 - from][thread] = sums[from][thread] + below;
        from = 1 - from;
        __syncthreads();
    }
    total = sums[from][kThreads - 1];
    int64_t const result = sums[from][thread] - value;
    __syncthreads(); // the next call writes to the sums
    return result;
}
