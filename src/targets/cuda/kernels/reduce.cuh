// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combines all elements along some axes. Sums and products of float32 use double, those of
// half and bfloat16 use float; integers wrap around. NaN in the input gives NaN.
//
// If the innermost axis is combined, some threads of a warp, or a block, compute each result and
// read runs of memory, in packs of 16 bytes if alignment allows. If it is kept, neighbouring
// threads take neighbouring columns. If there are few results of many elements, gridDim.y blocks
// share each result and write partial results [result, block] to the workspace for `finish`.
//
// KILN_ELEMENT: the type; KILN_NUMBER: the type to compute in, KILN_LOWEST and KILN_HIGHEST: its
// limits; KILN_OPERATION: a ReduceOperation.
#include "prelude.cuh"
#include "threads.cuh"

typedef KILN_ELEMENT Element;
typedef KILN_NUMBER Number;

/// Nested loops, outermost first.
struct Loops {
    int32_t rank;
    int64_t extent[4];
    int64_t stride[4];
};

struct Arguments {
    int64_t results;
    int64_t inner; ///< columns: extent of the innermost axis; rows: elements of one run
    int64_t count; ///< elements combined per result
    int32_t lanes; ///< columns: threads per column; rows: threads per result; a power of two
    int32_t partials; ///< blocks that share a result
    Loops kept;    ///< without the innermost axis, if that is kept
    Loops combined;
    int64_t combinedCount; ///< iterations of `combined`
};

enum Operation { kSum, kProduct, kMaximum, kMinimum, kMean };
constexpr int kOperation = KILN_OPERATION;
constexpr int kVector = 16 / sizeof(Element);
constexpr int kUnroll = 4; ///< packs in flight

__device__ inline int64_t offsetOf(Loops const& loops, int64_t index) {
    int64_t offset = 0;
    for (int axis = loops.rank - 1; axis > 0; --axis) {
        int64_t const next = quotient(index, loops.extent[axis]);
        offset += (index - next * loops.extent[axis]) * loops.stride[axis];
        index = next;
    }
    return loops.rank == 0 ? 0 : offset + index * loops.stride[0];
}

template <typename T>
struct NumberOf { // half_t, bfloat16_t
    static __device__ Number load(T value) { return static_cast<Number>(toFloat(value)); }
    static __device__ T store(Number value) { return fromFloat<T>(static_cast<float>(value)); }
};
template <typename T>
struct PlainNumber {
    static __device__ Number load(T value) { return static_cast<Number>(value); }
    static __device__ T store(Number value) { return static_cast<T>(value); }
};
template <>
struct NumberOf<float> : PlainNumber<float> {};
template <>
struct NumberOf<int32_t> : PlainNumber<int32_t> {};
template <>
struct NumberOf<int64_t> : PlainNumber<int64_t> {};

__device__ inline double wrappingSum(double a, double b) { return a + b; }
__device__ inline float wrappingSum(float a, float b) { return a + b; }
__device__ inline int32_t wrappingSum(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
__device__ inline int64_t wrappingSum(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
__device__ inline double wrappingProduct(double a, double b) { return a * b; }
__device__ inline float wrappingProduct(float a, float b) { return a * b; }
__device__ inline int32_t wrappingProduct(int32_t a, int32_t b) {
    return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
__device__ inline int64_t wrappingProduct(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

__device__ inline Number combine(Number a, Number b) {
    if constexpr (kOperation == kProduct) {
        return wrappingProduct(a, b);
    } else if constexpr (kOperation == kMaximum) {
        return a != a || a > b ? a : b;
    } else if constexpr (kOperation == kMinimum) {
        return a != a || a < b ? a : b;
    } else {
        return wrappingSum(a, b);
    }
}

/// The neutral element of the operation.
__device__ inline Number neutral() {
    if constexpr (kOperation == kProduct) {
        return Number(1);
    } else if constexpr (kOperation == kMaximum) {
        return KILN_LOWEST;
    } else if constexpr (kOperation == kMinimum) {
        return KILN_HIGHEST;
    } else {
        return Number(0);
    }
}

/// The last step. The mean of no elements is 0 for integers and NaN for floats.
__device__ inline Element finished(Number value, int64_t count) {
    if constexpr (kOperation == kMean) {
        constexpr bool kInteger = Number(1) / Number(2) == Number(0);
        if constexpr (kInteger) {
            value = static_cast<Number>(count == 0 ? Number(0) : value / count);
        } else {
            value /= static_cast<Number>(count);
        }
    }
    return NumberOf<Element>::store(value);
}

/// The elements of one load: a pack of 16 bytes, or kWidth single elements.
template <int kWidth, bool kWide>
struct Loaded {
    Pack<Element, kWidth> pack;

    __device__ static Loaded of(Element const* from) {
        Loaded result;
        if constexpr (kWide) {
            result.pack = *reinterpret_cast<Pack<Element, kWidth> const*>(from);
        } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                result.pack.at[i] = from[i];
            }
        }
        return result;
    }
    __device__ Number at(int i) const { return NumberOf<Element>::load(pack.at[i]); }
};

__device__ inline Number combineLanes(Number value, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) {
        value = combine(value, __shfl_xor_sync(kAllLanes, value, step));
    }
    return value;
}

/// Combines the packs begin, begin + step, ... of the runs of one result.
template <int kWidth>
__device__ inline Number combineRuns(Element const* from, Arguments const& arguments,
                                     int64_t begin, int64_t step) {
    int64_t const perRun = quotient(arguments.inner, kWidth);
    int64_t const packs = perRun * arguments.combinedCount;
    Number result = neutral();
    for (int64_t first = begin; first < packs; first += step * kUnroll) {
        Loaded<kWidth, (kWidth > 1)> loaded[kUnroll];
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            // Past the end, load the first again: loads without a branch can be in flight together.
            int64_t const pack = first + i * step < packs ? first + i * step : first;
            int64_t const run = arguments.combinedCount == 1 ? 0 : quotient(pack, perRun);
            loaded[i] = loaded[i].of(from + offsetOf(arguments.combined, run) +
                                     (pack - run * perRun) * kWidth);
        }
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            bool const inside = first + i * step < packs;
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                result = combine(result, inside ? loaded[i].at(k) : neutral());
            }
        }
    }
    return result;
}

/// Uses packs if all runs begin and end at multiples of 16 bytes.
__device__ inline Number combineRuns(Element const* from, bool wide, int64_t offset,
                                     Arguments const& arguments, int64_t begin, int64_t step) {
    return wide ? combineRuns<kVector>(from + offset, arguments, begin, step)
                : combineRuns<1>(from + offset, arguments, begin, step);
}

__device__ inline bool runsAreWide(Element const* from, Arguments const& arguments) {
    return arguments.inner % kVector == 0 && isAligned16(from);
}

KILN_KERNEL void rows_lanes(Element const* from, Element* to, Number*, Arguments arguments) {
    bool const wide = runsAreWide(from, arguments);
    int const lanes = arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.results;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        int64_t const result = first + static_cast<int>(threadIdx.x) / lanes;
        bool const inside = result < arguments.results; // all threads take part in the shuffle
        Number value = neutral();
        if (inside) {
            int64_t const offset = offsetOf(arguments.kept, result);
            value = combineRuns(from, wide, offset, arguments, lane, lanes);
        }
        value = combineLanes(value, lanes);
        if (inside && lane == 0) {
            to[result] = finished(value, arguments.count);
        }
    }
}

/// Writes a result or a partial result.
__device__ inline void deliver(Element* to, Number* partial, int64_t result, Number value,
                               int64_t count) {
    if (gridDim.y == 1) {
        to[result] = finished(value, count);
    } else {
        partial[result * gridDim.y + blockIdx.y] = value;
    }
}

KILN_KERNEL void rows_block(Element const* from, Element* to, Number* partial,
                            Arguments arguments) {
    __shared__ Number shared[32];
    bool const wide = runsAreWide(from, arguments);
    for (int64_t result = blockIdx.x; result < arguments.results; result += gridDim.x) {
        Number value = combineRuns(from, wide, offsetOf(arguments.kept, result), arguments,
                                   static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x,
                                   static_cast<int64_t>(gridDim.y) * blockDim.x);
        value = combineLanes(value, 32);
        __syncthreads(); // the words may still be read
        if (threadIdx.x % 32 == 0) {
            shared[threadIdx.x / 32] = value;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
                value = combine(value, shared[warp]);
            }
            deliver(to, partial, result, value, arguments.count);
        }
    }
}

/// Combines the rows begin, begin + step, ... of a pack of columns.
template <int kWidth, bool kWide>
__device__ inline void combineColumns(Element const* from, Arguments const& arguments,
                                      int64_t begin, int64_t step, Number* results) {
    for (int64_t first = begin; first < arguments.combinedCount; first += step * kUnroll) {
        Loaded<kWidth, kWide> loaded[kUnroll];
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            int64_t const row = first + i * step;
            loaded[i] = loaded[i].of(
                from + offsetOf(arguments.combined, row < arguments.combinedCount ? row : first));
        }
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            bool const inside = first + i * step < arguments.combinedCount;
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                results[k] = combine(results[k], inside ? loaded[i].at(k) : neutral());
            }
        }
    }
}

/// Blocks of columns, kWidth per thread; the inner extent is a multiple of kWidth.
template <int kWidth, bool kWide>
__device__ inline void columnBlocks(Element const* from, Element* to, Number* partial,
                                    Arguments const& arguments) {
    __shared__ Number shared[256][kWidth];
    int const width = static_cast<int>(blockDim.x) / arguments.lanes; // packs across
    int const lane = static_cast<int>(threadIdx.x) / width;
    int64_t const across = quotient(arguments.inner + kWidth * width - 1, kWidth * width);
    int64_t const outer = quotient(arguments.results, arguments.inner);
    for (int64_t task = blockIdx.x; task < outer * across; task += gridDim.x) {
        int64_t const image = quotient(task, across);
        int64_t const column = ((task - image * across) * width + threadIdx.x % width) * kWidth;
        Number results[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            results[k] = neutral();
        }
        if (column < arguments.inner) {
            combineColumns<kWidth, kWide>(from + offsetOf(arguments.kept, image) + column,
                                          arguments,
                                          static_cast<int64_t>(blockIdx.y) * arguments.lanes + lane,
                                          static_cast<int64_t>(gridDim.y) * arguments.lanes,
                                          results);
        }
        __syncthreads(); // the words may still be read
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            shared[threadIdx.x][k] = results[k];
        }
        __syncthreads();
        // Each thread combines one column of the block, if there is one left.
        for (int k = threadIdx.x; k < width * kWidth; k += blockDim.x) {
            int64_t const own = (task - image * across) * width * kWidth + k;
            if (own < arguments.inner) {
                Number value = shared[k / kWidth][k % kWidth];
                for (int other = 1; other < arguments.lanes; ++other) {
                    value = combine(value, shared[other * width + k / kWidth][k % kWidth]);
                }
                deliver(to, partial, image * arguments.inner + own, value, arguments.count);
            }
        }
    }
}

KILN_KERNEL void columns_wide(Element const* from, Element* to, Number* partial,
                              Arguments arguments) {
    if (isAligned16(from)) {
        columnBlocks<kVector, true>(from, to, partial, arguments);
    } else {
        columnBlocks<kVector, false>(from, to, partial, arguments);
    }
}

KILN_KERNEL void columns(Element const* from, Element* to, Number* partial, Arguments arguments) {
    columnBlocks<1, false>(from, to, partial, arguments);
}

/// Combines the partial results; one warp per result.
KILN_KERNEL void finish(Element const*, Element* to, Number const* partial, Arguments arguments) {
    int const warps = static_cast<int>(blockDim.x) / 32;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int64_t const result =
        static_cast<int64_t>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
    bool const inside = result < arguments.results;
    Number value = neutral();
    for (int i = lane; inside && i < arguments.partials; i += 32) {
        value = combine(value, partial[result * arguments.partials + i]);
    }
    value = combineLanes(value, 32);
    if (inside && lane == 0) {
        to[result] = finished(value, arguments.count);
    }
}
