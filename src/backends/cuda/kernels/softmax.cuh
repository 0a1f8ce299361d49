// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax: exp(x - max) / sum(exp(x - max)) along the middle axis of [outer, extent, inner],
// computed in float. Rows (inner = 1) are held in registers and read once: by a part of a warp, or
// by a block; longer ones are read twice. Otherwise neighbouring threads take neighbouring columns,
// and some threads share a column. NaN anywhere, or infinity, makes a row NaN, as exp says.
// KILN_ELEMENT: the type.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;

struct Arguments {
    int64_t outer;
    int64_t extent;
    int64_t inner;
    int32_t lanes; ///< threads of one row, or of one column; a power of two
};

constexpr int kVector = 16 / sizeof(Element);

/// kVector elements from `first` on as floats; minus infinity beyond the end.
__device__ inline void loadPack(Element const* row, int64_t first, int64_t extent, float* values) {
    if (first + kVector <= extent && isAligned16(row + first)) {
        Pack<Element, kVector> const pack =
            *reinterpret_cast<Pack<Element, kVector> const*>(row + first);
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = toFloat(pack.at[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = first + i < extent ? toFloat(row[first + i]) : -infinity();
        }
    }
}

__device__ inline void storePack(Element* row, int64_t first, int64_t extent, float const* values) {
    if (first + kVector <= extent && isAligned16(row + first)) {
        Pack<Element, kVector> pack;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            pack.at[i] = fromFloat<Element>(values[i]);
        }
        *reinterpret_cast<Pack<Element, kVector>*>(row + first) = pack;
    } else {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            if (first + i < extent) {
                row[first + i] = fromFloat<Element>(values[i]);
            }
        }
    }
}

/// The largest of two; NaN loses, and comes back with the sum.
__device__ inline float larger(float a, float b) {
    return b > a ? b : a;
}

/// How threads that share a row agree on a number.
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
    float* shared; ///< one word for each warp
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

/// One row in kPacks packs of each of `threads` threads.
template <int kPacks, typename Threads>
__device__ inline void softmaxRow(Element const* from, Element* to, int64_t extent, int thread,
                                  int threads, Threads const& all) {
    float values[kPacks][kVector];
    float largest = -infinity();
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        loadPack(from, static_cast<int64_t>(pack * threads + thread) * kVector, extent,
                 values[pack]);
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            largest = larger(largest, values[pack][i]);
        }
    }
    largest = all.maximum(largest);
    float sum = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        int64_t const first = static_cast<int64_t>(pack * threads + thread) * kVector;
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] = expf(values[pack][i] - largest);
            sum += first + i < extent ? values[pack][i] : 0.0F; // beyond it may stand NaN
        }
    }
    float const factor = 1.0F / all.sum(sum);
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] *= factor;
        }
        storePack(to, static_cast<int64_t>(pack * threads + thread) * kVector, extent,
                  values[pack]);
    }
}

/// `lanes` threads of a warp for each row.
template <int kPacks>
__device__ inline void warpRows(Element const* from, Element* to, Arguments const& arguments) {
    int const lanes = arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.outer;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the exchange, those without a row with none of its elements.
        bool const inside = first + own < arguments.outer;
        int64_t const offset = inside ? (first + own) * arguments.extent : 0;
        softmaxRow<kPacks>(from + offset, to + offset, inside ? arguments.extent : 0, lane, lanes,
                           InWarp{lanes});
    }
}

template <int kPacks>
__device__ inline void blockRows(Element const* from, Element* to, Arguments const& arguments) {
    __shared__ float shared[32];
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        int64_t const offset = row * arguments.extent;
        softmaxRow<kPacks>(from + offset, to + offset, arguments.extent, threadIdx.x, blockDim.x,
                           InBlock{shared});
    }
}

KILN_KERNEL void warp_1(Element const* from, Element* to, Arguments arguments) {
    warpRows<1>(from, to, arguments);
}
KILN_KERNEL void warp_2(Element const* from, Element* to, Arguments arguments) {
    warpRows<2>(from, to, arguments);
}
KILN_KERNEL void warp_4(Element const* from, Element* to, Arguments arguments) {
    warpRows<4>(from, to, arguments);
}
KILN_KERNEL void block_1(Element const* from, Element* to, Arguments arguments) {
    blockRows<1>(from, to, arguments);
}
KILN_KERNEL void block_2(Element const* from, Element* to, Arguments arguments) {
    blockRows<2>(from, to, arguments);
}
KILN_KERNEL void block_4(Element const* from, Element* to, Arguments arguments) {
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

KILN_KERNEL void block_long(Element const* from, Element* to, Arguments arguments) {
    __shared__ float shared[32];
    int64_t const step = static_cast<int64_t>(blockDim.x) * kVector;
    int64_t const begin = static_cast<int64_t>(threadIdx.x) * kVector;
    for (int64_t row = blockIdx.x; row < arguments.outer; row += gridDim.x) {
        Element const* source = from + row * arguments.extent;
        Element* target = to + row * arguments.extent;
        Running own = nothing();
        float values[kVector];
        for (int64_t first = begin; first < arguments.extent; first += step) {
            loadPack(source, first, arguments.extent, values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                own.add(values[i]);
            }
        }
        InBlock const all{shared};
        float const largest = all.maximum(own.largest);
        float const factor = 1.0F / all.sum(own.scaled(largest));
        for (int64_t first = begin; first < arguments.extent; first += step) {
            loadPack(source, first, arguments.extent, values);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = expf(values[i] - largest) * factor;
            }
            storePack(target, first, arguments.extent, values);
        }
    }
}

/// `lanes` threads share a column; neighbours in a block take neighbouring columns.
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
