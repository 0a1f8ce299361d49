// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running sums of the threads of a block.
#pragma once

#include "threads.cuh"

/// The sum of the values of all lower threads; `total`, that of all. For a block of kThreads.
template <int kThreads>
__device__ inline int64_t sumBelow(int64_t value, int64_t& total) {
    constexpr int kWarps = kThreads / 32;
    __shared__ int64_t sums[kWarps];
    int const thread = static_cast<int>(threadIdx.x);
    int64_t upTo = value;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        int64_t const lower = __shfl_up_sync(kAllLanes, upTo, step);
        upTo += thread % 32 >= step ? lower : 0;
    }
    if (thread % 32 == 31) {
        sums[thread / 32] = upTo;
    }
    __syncthreads();
    int64_t below = upTo - value;
    total = 0;
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) {
        below += warp < thread / 32 ? sums[warp] : 0;
        total += sums[warp];
    }
    __syncthreads(); // the next call writes to the sums
    return below;
}
