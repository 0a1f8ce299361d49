// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// ragged_softmax: softmax over the first elements of each row, zeros behind them, computed in
// float. A row is held in registers and read once, as far as it counts, by a part of a warp or by
// a block. A longer row is read three times by a block; caches serve the last two. KILN_ELEMENT:
// the type; KILN_BOUNDS: that of the numbers of elements.
#include "held.cuh"
#include "softmax_running.cuh"

struct Arguments {
    int64_t rows;
    int64_t length;
    int64_t lanes; ///< threads per row; a power of two
};

/// A number of elements within [0, length].
__device__ inline int64_t countOf(int64_t bound, int64_t length) {
    return bound < 0 ? 0 : bound > length ? length : bound;
}

/// One row in kPacks packs of each thread.
template <int kPacks, bool kWide, typename Threads>
__device__ inline void raggedRow(Element const* from, Element* to, int count,
                                 Place<kWide, int> const& place, Threads const& all) {
    float values[kPacks][kVector];
    // In terms of thread 0, so that places are constants.
    uint32_t end = static_cast<uint32_t>(count - (kWide ? kVector : 1) * place.thread);
    auto const counts = [&](int pack, int i) {
        return Place<kWide, int>{0, 0, place.threads}.at(pack, i) < static_cast<int>(end);
    };
    float largest = -infinity();
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) { // a pack that counts in part is inside the row
        Place<kWide, int>{count, place.thread, place.threads}.load(from, pack, -infinity(),
                                                                   values[pack]);
    }
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            float& value = values[pack][i];
            value = !kWide || counts(pack, i) ? value : -infinity();
            largest = larger(largest, value);
        }
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] = exponential(values[pack][i], largest);
            sum += values[pack][i];
        }
    }
    float const factor = 1.0F / all.sum(sum);
    hide(end); // else the compiler keeps the results of the first comparisons
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] = counts(pack, i) ? values[pack][i] * factor : 0.0F;
        }
        place.store(to, pack, values[pack]);
    }
}

/// A row that is read three times.
template <typename Threads>
__device__ inline void longRow(Element const* from, Element* to, int64_t count, int64_t length,
                               Threads const& all) {
    float largest = -infinity();
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        largest = larger(largest, toFloat(from[i]));
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        sum += exponential(toFloat(from[i]), largest);
    }
    float const factor = 1.0F / all.sum(sum);
    for (int64_t i = threadIdx.x; i < length; i += blockDim.x) {
        to[i] = fromFloat<Element>(
            i < count ? exponential(toFloat(from[i]), largest) * factor : 0.0F);
    }
}

template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                                Arguments const& arguments) {
    int const lanes = kPacks > 1 ? 32 : static_cast<int>(arguments.lanes);
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.rows;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the shuffles; those without a row have an extent of 0.
        bool const inside = first + own < arguments.rows;
        int64_t const row = inside ? first + own : 0;
        int64_t const length = inside ? arguments.length : 0;
        auto const count = static_cast<int>(countOf(bounds[row], length));
        Place<kWide, int> const place{static_cast<int>(length), lane, lanes};
        raggedRow<kPacks>(from + row * arguments.length, to + row * arguments.length, count, place,
                          InWarp{lanes});
    }
}

template <int kPacks, bool kWide>
__device__ inline void blockRows(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                                 Arguments const& arguments) {
    __shared__ float shared[32];
    Place<kWide, int> const place{static_cast<int>(arguments.length),
                                  static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
    for (int64_t row = blockIdx.x; row < arguments.rows; row += gridDim.x) {
        auto const count = static_cast<int>(countOf(bounds[row], arguments.length));
        raggedRow<kPacks>(from + row * arguments.length, to + row * arguments.length, count, place,
                          InBlock{shared});
    }
}

template <int kPacks>
__device__ inline void warpRows(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                                Arguments const& arguments) {
    if (rowsAreWide(arguments.length, from, to)) {
        warpRows<kPacks, true>(from, bounds, to, arguments);
    } else {
        warpRows<kPacks, false>(from, bounds, to, arguments);
    }
}

template <int kPacks>
__device__ inline void blockRows(Element const* from, KILN_BOUNDS const* bounds, Element* to,
                                 Arguments const& arguments) {
    if (rowsAreWide(arguments.length, from, to)) {
        blockRows<kPacks, true>(from, bounds, to, arguments);
    } else {
        blockRows<kPacks, false>(from, bounds, to, arguments);
    }
}

#define KILN_ROWS(name, rows, threads, blocks)                                                     \
    KILN_KERNEL void __launch_bounds__(threads, blocks)                                            \
        name(Element const* from, KILN_BOUNDS const* bounds, Element* to, Arguments arguments) {   \
        rows(from, bounds, to, arguments);                                                         \
    }
KILN_ROWS(warp_1, warpRows<1>, 128, 10)
KILN_ROWS(warp_2, warpRows<2>, 128, 8)
KILN_ROWS(warp_4, warpRows<4>, 128, sizeof(Element) < 4 ? 5 : 8)
KILN_ROWS(warp_8, warpRows<8>, 128, sizeof(Element) < 4 ? 3 : 5)
KILN_ROWS(block_4, blockRows<4>, 512, sizeof(Element) < 4 ? 1 : 2)

KILN_KERNEL void __launch_bounds__(512)
    block_long(Element const* from, KILN_BOUNDS const* bounds, Element* to, Arguments arguments) {
    __shared__ float shared[32];
    for (int64_t row = blockIdx.x; row < arguments.rows; row += gridDim.x) {
        int64_t const offset = row * arguments.length;
        longRow(from + offset, to + offset, countOf(bounds[row], arguments.length),
                arguments.length, InBlock{shared});
    }
}
