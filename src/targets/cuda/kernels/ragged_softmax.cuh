// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ragged_softmax: softmax over the first elements of each row, zeros behind them, computed in
// float. A row is read three times, by a warp (ragged_warps) or by a block (ragged_blocks); caches
// serve the last two. KILN_ELEMENT: the type; KILN_BOUNDS: that of the numbers of elements.
#include "rows.cuh"

struct Arguments {
    int64_t rows;
    int64_t length;
};

template <typename Threads>
__device__ inline void raggedRow(Element const* from, Element* to, int64_t bound, int64_t length,
                                 int thread, int threads, Threads const& all) {
    int64_t const count = bound < 0 ? 0 : bound > length ? length : bound;
    float largest = -infinity();
    for (int64_t i = thread; i < count; i += threads) {
        largest = larger(largest, toFloat(from[i]));
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
    for (int64_t i = thread; i < count; i += threads) {
        sum += expf(toFloat(from[i]) - largest);
    }
    float const factor = 1.0F / all.sum(sum);
    for (int64_t i = thread; i < length; i += threads) {
        to[i] = fromFloat<Element>(i < count ? expf(toFloat(from[i]) - largest) * factor : 0.0F);
    }
}

KILN_KERNEL void ragged_warps(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                              Arguments arguments) {
    int const warps = static_cast<int>(blockDim.x) / 32;
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    // All lanes of a warp have the same row.
    for (int64_t row = static_cast<int64_t>(blockIdx.x) * warps + warp; row < arguments.rows;
         row += static_cast<int64_t>(gridDim.x) * warps) {
        int64_t const offset = row * arguments.length;
        raggedRow(from + offset, to + offset, bounds[row], arguments.length, lane, 32, InWarp{32});
    }
}

KILN_KERNEL void ragged_blocks(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                               Arguments arguments) {
    __shared__ float shared[32];
    for (int64_t row = blockIdx.x; row < arguments.rows; row += gridDim.x) {
        int64_t const offset = row * arguments.length;
        raggedRow(from + offset, to + offset, bounds[row], arguments.length,
                  static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x), InBlock{shared});
    }
}
