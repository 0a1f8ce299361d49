// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along the middle axis of [outer, extent, inner],
// computed in float. Rows (inner = 1) are held in registers and read once, by a part of a warp or
// by a block; longer rows are read twice. Otherwise neighbouring threads take neighbouring columns,
// and some threads share a column; `held_columns` reads short ones once, 16 bytes of each row at a
// time. A NaN or +infinity makes the whole row NaN, as in the formula.
// KILN_ELEMENT: the type.
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
            values[pack][i] = expf(values[pack][i] - largest);
            sum += place.at(pack, i) < place.extent ? values[pack][i] : 0.0F; // NaN past the end
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

/// One row that is read three times, in few registers.
template <typename Threads>
__device__ inline void readRow(Element const* from, Element* to, Place<false, int> const& place,
                               Threads const& all) {
    float largest = -infinity();
    for (int i = place.thread; i < place.extent; i += place.threads) {
        largest = larger(largest, toFloat(from[i]));
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
    for (int i = place.thread; i < place.extent; i += place.threads) {
        sum += expf(toFloat(from[i]) - largest);
    }
    float const factor = 1.0F / all.sum(sum);
    for (int i = place.thread; i < place.extent; i += place.threads) {
        to[i] = fromFloat<Element>(expf(toFloat(from[i]) - largest) * factor);
    }
}

/// Each row is computed by `lanes` threads of a warp.
template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* from, Element* to, Arguments const& arguments) {
    int const lanes = kPacks > 2 ? 32 : arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.outer;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the shuffles; those without a row have an extent of 0.
        bool const inside = first + own < arguments.outer;
        int64_t const offset = inside ? (first + own) * arguments.extent : 0;
        Place<kWide, int> const place{inside ? static_cast<int>(arguments.extent) : 0, lane, lanes};
        if constexpr (kWide || kPacks <= 4) {
            softmaxRow<kPacks>(from + offset, to + offset, place, InWarp{lanes});
        } else {
            readRow(from + offset, to + offset, place, InWarp{lanes});
        }
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

constexpr int kSmall = 64; ///< threads of a block whose warps have rows of their own

// Minimum number of resident blocks per multiprocessor that keeps enough loads in flight.
KILN_ROWS(warp_1, warpRows<1>, kSmall, 16)
KILN_ROWS(warp_2, warpRows<2>, kSmall, 12)
KILN_ROWS(warp_4, warpRows<4>, kSmall, (kVector > 4 ? 10 : 14))
KILN_ROWS(warp_8, warpRows<8>, kSmall, (kVector > 4 ? 8 : 12))
KILN_ROWS(block_1, blockRows<1>, 256, 4)
KILN_ROWS(block_2, blockRows<2>, 256, 3)
KILN_ROWS(block_4, blockRows<4>, 256, 2)
KILN_ROWS(block_8, blockRows<8>, 256, 1)
