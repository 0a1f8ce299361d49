// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along the middle axis of [outer, extent, inner],
// computed in float. Rows (inner = 1) are held in registers and read once, by a part of a warp or
// by a block; longer rows are read twice. Otherwise neighbouring threads take neighbouring columns,
// and some threads share a column. A NaN or +infinity makes the whole row NaN, as in the formula.
// KILN_ELEMENT: the type.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int32_t lanes; ///< threads per row or column; a power of two
};

constexpr int kVector = 16 / sizeof(Element);

/// The elements of a row that each thread takes: packs of 16 bytes if rows are aligned (kWide),
/// else neighbouring threads take neighbouring elements.
template <bool kWide, typename Index>
struct Place {
    Index extent;
    int thread;
    int threads;

    /// Index of element `i` of pack `pack` of this thread.
    __device__ Index at(Index pack, int i) const {
        return kWide ? (pack * threads + thread) * kVector + i
                     : (pack * kVector + i) * threads + thread;
    }
    /// Whether any element of a pack may be inside the row.
    __device__ bool reaches(Index pack) const { return at(pack, 0) < extent; }

    /// Loads a pack, with minus infinity past the end.
    __device__ void load(Element const* row, Index pack, float* values) const {
        if constexpr (kWide) {
            Pack<Element, kVector> held{};
            bool const inside = reaches(pack);
            if (inside) {
                held = *reinterpret_cast<Pack<Element, kVector> const*>(row + at(pack, 0));
            }
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = inside ? toFloat(held.at[i]) : -infinity();
            }
        } else {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = at(pack, i) < extent ? toFloat(row[at(pack, i)]) : -infinity();
            }
        }
    }

    __device__ void store(Element* row, Index pack, float const* values) const {
        if constexpr (kWide) {
            if (reaches(pack)) {
                Pack<Element, kVector> held;
#pragma unroll
                for (int i = 0; i < kVector; ++i) {
                    held.at[i] = fromFloat<Element>(values[i]);
                }
                *reinterpret_cast<Pack<Element, kVector>*>(row + at(pack, 0)) = held;
            }
        } else {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                if (at(pack, i) < extent) {
                    row[at(pack, i)] = fromFloat<Element>(values[i]);
                }
            }
        }
    }
};

/// Whether all rows begin and end at multiples of 16 bytes.
__device__ inline bool rowsAreWide(Element const* from, Element const* to, int64_t extent) {
    return extent % kVector == 0 && isAligned16(from) && isAligned16(to);
}

/// The larger of two. NaN is ignored here, but makes the sum NaN.
__device__ inline float larger(float a, float b) {
    return b > a ? b : a;
}

/// Reductions among the threads that share a row.
struct InWarp {
    int lanes;
    __device__ float maximum(float value) const {
        for (int step = lanes / 2; step > 0; step /= 2) {
            value = larger(value, __shfl_xor_sync(kAllLanes, value, step));
        }
        return value;
    }
    __device__ float sum(float value) const {
        for (int step = lanes / 2; step > 0; step /= 2) {
            value += __shfl_xor_sync(kAllLanes, value, step);
        }
        return value;
    }
};

struct InBlock {
    float* shared; ///< one word per warp
    __device__ float maximum(float value) const {
        value = InWarp{32}.maximum(value);
        shareAmongWarps(value);
        for (int warp = 0; warp < static_cast<int>(blockDim.x) / 32; ++warp) {
            value = larger(value, shared[warp]);
        }
        return value;
    }
    __device__ float sum(float value) const {
        shareAmongWarps(InWarp{32}.sum(value));
        float total = 0.0F;
        for (int warp = 0; warp < static_cast<int>(blockDim.x) / 32; ++warp) {
            total += shared[warp];
        }
        return total;
    }
    __device__ void shareAmongWarps(float value) const {
        __syncthreads(); // the words may still be read
        if (threadIdx.x % 32 == 0) {
            shared[threadIdx.x / 32] = value;
        }
        __syncthreads();
    }
};

/// One row in kPacks packs of each thread.
template <int kPacks, bool kWide, typename Threads>
__device__ inline void softmaxRow(Element const* from, Element* to,
                                  Place<kWide, int> const& place, Threads const& all) {
    float values[kPacks][kVector];
    float largest = -infinity();
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        place.load(from, pack, values[pack]);
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
    if (rowsAreWide(from, to, arguments.extent)) {
        warpRows<kPacks, true>(from, to, arguments);
    } else {
        warpRows<kPacks, false>(from, to, arguments);
    }
}

template <int kPacks>
__device__ inline void blockRows(Element const* from, Element* to, Arguments const& arguments) {
    if (rowsAreWide(from, to, arguments.extent)) {
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
            place.load(source, pack, values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                own.add(values[i]);
            }
        }
        InBlock const all{shared};
        float const largest = all.maximum(own.largest);
        float const factor = 1.0F / all.sum(own.scaled(largest));
        for (int64_t pack = 0; place.reaches(pack); ++pack) {
            place.load(source, pack, values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = expf(values[i] - largest) * factor;
            }
            place.store(target, pack, values);
        }
    }
}

KILN_KERNEL void block_long(Element const* from, Element* to, Arguments arguments) {
    if (rowsAreWide(from, to, arguments.extent)) {
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
