// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along the middle axis of [outer, extent, inner],
// computed in float. Rows (inner = 1) are held in registers and read once, by a part of a warp or
// by a block; longer rows are read twice. Otherwise neighbouring threads take neighbouring columns,
// and some threads share a column. A NaN or +infinity makes the whole row NaN, as in the formula.
// KILN_ELEMENT: the type.
#include "rows.cuh"

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int32_t lanes; ///< threads per row or column; a power of two
};

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

/// Each row is computed by `lanes` threads of a warp.
template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* from, Element* to, Arguments const& arguments) {
    int const lanes = arguments.lanes;
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
KILN_KERNEL void __launch_bounds__(256, 4)
    warp_1(Element const* from, Element* to, Arguments arguments) {
    warpRows<1>(from, to, arguments);
}
KILN_KERNEL void __launch_bounds__(256, 3)
    warp_2(Element const* from, Element* to, Arguments arguments) {
    warpRows<2>(from, to, arguments);
}
KILN_KERNEL void __launch_bounds__(256, 2)
    warp_4(Element const* from, Element* to, Arguments arguments) {
    warpRows<4>(from, to, arguments);
}
KILN_KERNEL void __launch_bounds__(256, 4)
    block_1(Element const* from, Element* to, Arguments arguments) {
    blockRows<1>(from, to, arguments);
}
KILN_KERNEL void __launch_bounds__(256, 3)
    block_2(Element const* from, Element* to, Arguments arguments) {
    blockRows<2>(from, to, arguments);
}
KILN_KERNEL void __launch_bounds__(256, 2)
    block_4(Element const* from, Element* to, Arguments arguments) {
    blockRows<4>(from, to, arguments);
}
KILN_KERNEL void block_8(Element const* from, Element* to, Arguments arguments) {
    blockRows<8>(from, to, arguments);
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

template <bool kWide>
__device__ inline void longRows(Element const* from, Element* to, Arguments const& arguments) {
    __shared__ float shared[32];
    Place<kWide, int64_t> const place{arguments.extent, static_cast<int>(threadIdx.x),
                                      static_cast<int>(blockDim.x)};
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        Element const* source = from + row * arguments.extent;
        Element* target = to + row * arguments.extent;
        Running own = nothing();
        float values[kVector];
        for (int64_t pack = 0; place.reaches(pack); ++pack) {
            place.load(source, pack, -infinity(), values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                own.add(values[i]);
            }
        }
        InBlock const all{shared};
        float const largest = all.maximum(own.largest);
        float const factor = 1.0F / all.sum(own.scaled(largest));
        for (int64_t pack = 0; place.reaches(pack); ++pack) {
            place.load(source, pack, -infinity(), values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = expf(values[i] - largest) * factor;
            }
            place.store(target, pack, values);
        }
    }
}

KILN_KERNEL void block_long(Element const* from, Element* to, Arguments arguments) {
    if (rowsAreWide(arguments.extent, from, to)) {
        longRows<true>(from, to, arguments);
    } else {
        longRows<false>(from, to, arguments);
    }
}

/// `lanes` threads share a column; neighbouring threads take neighbouring columns.
KILN_KERNEL void columns(Element const* from, Element* to, Arguments arguments) {
    __shared__ Running shared[256];
    int const width = static_cast<int>(blockDim.x) / arguments.lanes;
    int const column = static_cast<int>(threadIdx.x) % width;
    int const lane = static_cast<int>(threadIdx.x) / width;
    int64_t const count = arguments.outer * arguments.inner;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * width; first < count;
         first += static_cast<int64_t>(gridDim.x) * width) {
        bool const inside = first + column < count;
        int64_t const index = inside ? first + column : 0;
        int64_t const outer = quotient(index, arguments.inner);
        int64_t const offset = outer * arguments.extent * arguments.inner +
                               (index - outer * arguments.inner);
        int64_t const extent = inside ? arguments.extent : 0;
        Running all = nothing();
        for (int64_t i = lane; i < extent; i += arguments.lanes) {
            all.add(toFloat(from[offset + i * arguments.inner]));
        }
        __syncthreads(); // the words may still be read
        shared[threadIdx.x] = all;
        __syncthreads();
        all = nothing();
        for (int i = 0; i < arguments.lanes; ++i) {
            all.add(shared[i * width + column]);
        }
        float const factor = 1.0F / all.sum;
        for (int64_t i = lane; i < extent; i += arguments.lanes) {
            int64_t const at = offset + i * arguments.inner;
            to[at] = fromFloat<Element>(expf(toFloat(from[at]) - all.largest) * factor);
        }
    }
}
