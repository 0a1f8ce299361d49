// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along the middle axis of [outer, extent, inner],
// computed in float. Rows (inner = 1) are held in registers and read once, by a part of a warp or
// by a block; longer rows: softmax_long.cuh. Otherwise: softmax_columns.cuh. A NaN or +infinity
// makes the whole row NaN, as in the formula.
// KILN_ELEMENT: the type.
#include "dependents.cuh"
#include "softmax_columns.cuh"
#include "softmax_long.cuh"

/// One row in kPacks packs of each thread.
template <int kPacks, bool kWide, typename Threads>
__device__ inline void softmaxRow(Element const* from, Element* to,
                                  Place<kWide, int> const& place, Threads const& all) {
    float values[kPacks][kVector];
    float largest = -infinity();
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        place.load(from, pack, -infinity(), values[pack]);
    }
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            largest = larger(largest, values[pack][i]);
        }
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            // Past the end it is 0, or NaN if the row's largest element is minus infinity: then the
            // row is NaN, too.
            values[pack][i] = exponential(values[pack][i], largest);
            sum += values[pack][i];
        }
    }
    float const factor = 1.0F / all.sum(sum);
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] *= factor;
        }
        place.store(to, pack, values[pack]);
    }
}

/// Each row is computed by `lanes` threads of a warp.
template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* from, Element* to, Arguments const& arguments) {
    int const lanes = kPacks > 1 ? 32 : arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.outer;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the shuffles; those without a row have an extent of 0.
        bool const inside = first + own < arguments.outer;
        int64_t const offset = inside ? (first + own) * arguments.extent : 0;
        Place<kWide, int> const place{inside ? static_cast<int>(arguments.extent) : 0, lane, lanes};
        softmaxRow<kPacks>(from + offset, to + offset, place, InWarp{lanes});
    }
}

template <int kPacks, bool kWide>
__device__ inline void blockRows(Element const* from, Element* to, Arguments const& arguments) {
    __shared__ float shared[32];
    Place<kWide, int> const place{static_cast<int>(arguments.extent),
                                  static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        int64_t const offset = row * arguments.extent;
        softmaxRow<kPacks>(from + offset, to + offset, place, InBlock{shared});
    }
}

template <int kPacks>
__device__ inline void warpRows(Element const* from, Element* to, Arguments const& arguments) {
    if (rowsAreWide(arguments.extent, from, to)) {
        warpRows<kPacks, true>(from, to, arguments);
    } else {
        warpRows<kPacks, false>(from, to, arguments);
    }
}

template <int kPacks>
__device__ inline void blockRows(Element const* from, Element* to, Arguments const& arguments) {
    if (rowsAreWide(arguments.extent, from, to)) {
        blockRows<kPacks, true>(from, to, arguments);
    } else {
        blockRows<kPacks, false>(from, to, arguments);
    }
}

// Minimum number of resident blocks per multiprocessor that keeps enough loads in flight.
#define KILN_ROWS(name, rows, threads, blocks)                                                     \
    KILN_KERNEL void __launch_bounds__(threads, blocks)                                            \
        name(Element const* from, Element* to, void*, Arguments arguments) {                       \
        waitForInputs();                                                                           \
        letNextBegin();                                                                            \
        rows(from, to, arguments);                                                                 \
    }
KILN_ROWS(warp_1, warpRows<1>, 128, 12)
KILN_ROWS(warp_2, warpRows<2>, 128, 8)
KILN_ROWS(warp_4, warpRows<4>, 128, sizeof(Element) < 4 ? 6 : 8)
KILN_ROWS(warp_8, warpRows<8>, 128, sizeof(Element) < 4 ? 4 : 6)
KILN_ROWS(block_1, blockRows<1>, 256, 6)
KILN_ROWS(block_2, blockRows<2>, 256, 4)
KILN_ROWS(block_4, blockRows<4>, 512, 2)
