// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combines all elements along some axes. Sums and products of float32 use double, those of
// half and bfloat16 use float; integers wrap around. NaN in the input gives NaN.
//
// If the innermost axis is combined, some threads of a warp, or a block, compute each result and
// read runs of memory, in packs of 16 bytes if alignment allows. If it is kept, neighbouring
// threads take neighbouring columns. If there are few results of many elements, gridDim.y blocks
// share each result and write partial results [block, result] to the workspace for `finish`.
//
// KILN_ELEMENT: the type; KILN_NUMBER: the type to compute in, KILN_LOWEST and KILN_HIGHEST: its
// limits; KILN_OPERATION: a ReduceOperation.
#include "dependents.cuh"
#include "reduce_numbers.cuh"

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

/// The same for results of one run, whose packs need no arithmetic to find.
template <int kWidth>
__device__ inline Number combineRun(Element const* from, int64_t packs, int64_t begin,
                                    int64_t step) {
    constexpr int kAtOnce = kWidth > 1 ? 4 : 8;
    Number results[kWidth]; // one chain for each element of a pack
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
        results[k] = neutral();
    }
    Element const* own = from + begin * kWidth;
    int64_t const stride = step * kWidth;
    int64_t first = begin;
    for (; first + (kAtOnce - 1) * step < packs; first += kAtOnce * step) {
        Loaded<kWidth, (kWidth > 1)> loaded[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            loaded[i] = loaded[i].of(own + i * stride);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                results[k] = combine(results[k], loaded[i].at(k));
            }
        }
        own += kAtOnce * stride;
    }
#pragma unroll 1
    for (; first < packs; first += step) {
        auto const loaded = Loaded<kWidth, (kWidth > 1)>::of(own);
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            results[k] = combine(results[k], loaded.at(k));
        }
        own += stride;
    }
#pragma unroll
    for (int k = 1; k < kWidth; ++k) {
        results[0] = combine(results[0], results[k]);
    }
    return results[0];
}

/// Uses packs if all runs begin and end at multiples of 16 bytes.
__device__ inline Number combineRuns(Element const* from, bool wide, int64_t offset,
                                     Arguments const& arguments, int64_t begin, int64_t step) {
    if (arguments.combinedCount == 1) {
        return wide ? combineRun<kVector>(from + offset, arguments.inner / kVector, begin, step)
                    : combineRun<1>(from + offset, arguments.inner, begin, step);
    }
    return wide ? combineRuns<kVector>(from + offset, arguments, begin, step)
                : combineRuns<1>(from + offset, arguments, begin, step);
}

__device__ inline bool runsAreWide(Element const* from, Arguments const& arguments) {
    return arguments.inner % kVector == 0 && isAligned16(from);
}

KILN_KERNEL void __launch_bounds__(256, 4)
    rows_lanes(Element const* from, Element* to, Number*, KILN_IN_PLACE Arguments arguments) {
    waitForInputs();
    letNextBegin();
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
                               Arguments const& arguments) {
    if (gridDim.y == 1) {
        to[result] = finished(value, arguments.count);
    } else {
        partial[blockIdx.y * arguments.results + result] = value;
    }
}

KILN_KERNEL void __launch_bounds__(256, 4)
    rows_block(Element const* from, Element* to, Number* partial,
               KILN_IN_PLACE Arguments arguments) {
    waitForInputs();
    letNextBegin();
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
            deliver(to, partial, result, value, arguments);
        }
    }
}

/// Combines the rows begin, begin + step, ... of a pack of columns. kPlain: there is one loop over
/// rows.
template <int kWidth, bool kWide, bool kPlain>
__device__ inline void combineColumns(Element const* from, Arguments const& arguments,
                                      int64_t begin, int64_t step, Number* results) {
    int64_t const stride = arguments.combined.stride[0];
    for (int64_t first = begin; first < arguments.combinedCount; first += step * kUnroll) {
        Loaded<kWidth, kWide> loaded[kUnroll];
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
            int64_t const row = first + i * step;
            int64_t const own = row < arguments.combinedCount ? row : first;
            loaded[i] = loaded[i].of(
                from + (kPlain ? own * stride : offsetOf(arguments.combined, own)));
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
            Element const* const own = from + offsetOf(arguments.kept, image) + column;
            int64_t const begin = static_cast<int64_t>(blockIdx.y) * arguments.lanes + lane;
            int64_t const step = static_cast<int64_t>(gridDim.y) * arguments.lanes;
            if (arguments.combined.rank == 1) {
                combineColumns<kWidth, kWide, true>(own, arguments, begin, step, results);
            } else {
                combineColumns<kWidth, kWide, false>(own, arguments, begin, step, results);
            }
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
                deliver(to, partial, image * arguments.inner + own, value, arguments);
            }
        }
    }
}

KILN_KERNEL void __launch_bounds__(256, 3)
    columns_wide(Element const* from, Element* to, Number* partial,
                 KILN_IN_PLACE Arguments arguments) {
    waitForInputs();
    letNextBegin();
    if (isAligned16(from)) {
        columnBlocks<kVector, true>(from, to, partial, arguments);
    } else {
        columnBlocks<kVector, false>(from, to, partial, arguments);
    }
}

KILN_KERNEL void __launch_bounds__(256)
    columns(Element const* from, Element* to, Number* partial, KILN_IN_PLACE Arguments arguments) {
    waitForInputs();
    letNextBegin();
    columnBlocks<1, false>(from, to, partial, arguments);
}

/// Combines the partial results: neighbouring threads take neighbouring results, up to 32 of them,
/// and the threads of a block share them.
KILN_KERNEL void __launch_bounds__(256)
    finish(Element const*, Element* to, Number const* partial, KILN_IN_PLACE Arguments arguments) {
    __shared__ Number shared[256];
    waitForInputs();
    letNextBegin();
    int width = 32;
    while (width / 2 >= arguments.results) {
        width /= 2;
    }
    int const thread = static_cast<int>(threadIdx.x);
    int64_t const result = static_cast<int64_t>(blockIdx.x) * width + thread % width;
    bool const inside = result < arguments.results;
    Number value = neutral();
#pragma unroll 4
    for (int i = thread / width; inside && i < arguments.partials; i += 256 / width) {
        value = combine(value, partial[i * arguments.results + result]);
    }
    shared[thread] = value;
    for (int half = 128; half >= width; half /= 2) {
        __syncthreads();
        if (thread < half) {
            shared[thread] = combine(shared[thread], shared[thread + half]);
        }
    }
    if (inside && thread < width) {
        to[result] = finished(shared[thread], arguments.count);
    }
}
