// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax of columns: neighbouring threads take neighbouring columns, or packs of them, and some
// threads share each. `columns_held` reads them once, `columns` and `columns_wide` twice.
#pragma once

#include "softmax_applied.cuh"

/// `lanes` threads share kWidth columns; neighbouring threads take neighbouring columns.
template <int kWidth>
__device__ inline void softmaxColumns(Element const* from, Element* to,
                                      Arguments const& arguments) {
    typedef Pack<Element, kWidth> Elements;
    __shared__ Running shared[256][kWidth];
    int const width = static_cast<int>(blockDim.x) / arguments.lanes;
    int const column = static_cast<int>(threadIdx.x) % width;
    int const lane = static_cast<int>(threadIdx.x) / width;
    int64_t const across = quotient(arguments.inner, kWidth);
    int64_t const count = arguments.outer * across;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * width; first < count;
         first += static_cast<int64_t>(gridDim.x) * width) {
        bool const inside = first + column < count;
        int64_t const index = inside ? first + column : 0;
        int64_t const outer = quotient(index, across);
        int64_t const offset = outer * arguments.extent * arguments.inner +
                               (index - outer * across) * kWidth;
        int64_t const extent = inside ? arguments.extent : 0;
        Running own[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            own[k] = nothing();
        }
        for (int64_t row = lane; row < extent; row += kAtOnce * arguments.lanes) {
            Elements held[kAtOnce];
#pragma unroll
            for (int i = 0; i < kAtOnce; ++i) {
                int64_t const at = row + i * arguments.lanes;
                held[i] = *reinterpret_cast<Elements const*>(
                    from + offset + (at < extent ? at : row) * arguments.inner);
            }
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                Floats<kAtOnce> several;
#pragma unroll
                for (int i = 0; i < kAtOnce; ++i) {
                    bool const exists = row + i * arguments.lanes < extent;
                    several.at[i] = exists ? toFloat(held[i].at[k]) : -infinity();
                }
                own[k].addAll(several);
            }
        }
        __syncthreads(); // the words may still be read
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            shared[threadIdx.x][k] = own[k];
        }
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < width * kWidth;
             i += static_cast<int>(blockDim.x)) {
            Running all = shared[i / kWidth][i % kWidth];
            for (int other = 1; other < arguments.lanes; ++other) {
                all.add(shared[other * width + i / kWidth][i % kWidth]);
            }
            all.sum = 1.0F / all.sum;
            shared[i / kWidth][i % kWidth] = all;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            own[k] = shared[column][k];
        }
#pragma unroll 4
        for (int64_t row = lane; row < extent; row += arguments.lanes) {
            int64_t const at = offset + row * arguments.inner;
            Elements held = *reinterpret_cast<Elements const*>(from + at);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) {
                held.at[k] = fromFloat<Element>(
                    exponential(toFloat(held.at[k]), own[k].largest) * own[k].sum);
            }
            if constexpr (kWidth == kVector) {
                storeAtOnce(to + at, held);
            } else {
                to[at] = held.at[0];
            }
        }
    }
}

KILN_KERNEL void __launch_bounds__(256)
    columns(Element const* from, Element* to, void*, Arguments arguments) {
    waitForInputs();
    letNextBegin();
    softmaxColumns<1>(from, to, arguments);
}

/// The inner extent is a multiple of kVector.
KILN_KERNEL void __launch_bounds__(256, 3)
    columns_wide(Element const* from, Element* to, void*, Arguments arguments) {
    waitForInputs();
    letNextBegin();
    if (isAligned16(from) && isAligned16(to)) {
        softmaxColumns<kVector>(from, to, arguments);
        return;
    }
    softmaxColumns<1>(from, to, arguments);
}

/// Combines the values of the threads of a block that have the same pack of columns.
template <typename Combine>
__device__ inline void overColumns(float (&values)[kVector], int width,
                                   float (*shared)[8 * kVector], Combine combine) {
    auto const thread = static_cast<int>(threadIdx.x);
    float* const own = shared[thread / 32] + thread % width * kVector;
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
        for (int step = 16; step >= width; step /= 2) {
            values[k] = combine(values[k], __shfl_xor_sync(kAllLanes, values[k], step));
        }
        if (thread % 32 < width) {
            own[k] = values[k];
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kVector; ++k) {
        values[k] = shared[0][thread % width * kVector + k];
        for (int warp = 1; warp < 8; ++warp) {
            values[k] = combine(values[k], shared[warp][thread % width * kVector + k]);
        }
    }
}

/// Shared memory holds some packs of columns, which are read once. `lanes` of 256 threads share
/// them.
KILN_KERNEL void __launch_bounds__(256, 3)
    columns_held(Element const* from, Element* to, void*, Arguments arguments) {
    typedef Pack<Element, kVector> Elements;
    KILN_DYNAMIC_SHARED(memory, kMostHeld);
    __shared__ float shared[2][8][8 * kVector];
    waitForInputs();
    letNextBegin();
    if (!isAligned16(from) || !isAligned16(to)) {
        softmaxColumns<1>(from, to, arguments);
        return;
    }
    auto* const held = reinterpret_cast<Elements*>(memory);
    auto const thread = static_cast<int>(threadIdx.x);
    int const width = 256 / arguments.lanes; // 8 packs at most
    int64_t const across = quotient(arguments.inner, kVector);
    int64_t const count = arguments.outer * across;
    auto const words = static_cast<int>(arguments.extent) * width;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * width; first < count;
         first += static_cast<int64_t>(gridDim.x) * width) {
        int64_t const number = first + thread % width;
        int64_t const index = number < count ? number : 0;
        int64_t const outer = quotient(index, across);
        int64_t const base = (outer * arguments.extent + thread / width) * arguments.inner +
                             (index - outer * across) * kVector;
        int64_t const step = arguments.lanes * arguments.inner;
        // Each thread reads what it has copied itself.
        Element const* source = from + base;
        for (int i = thread; i < words; i += 256, source += step) {
            beginCopy(held + i, source, number < count);
        }
        endGroup();
        waitForGroups<0>();
        float largest[kVector];
        float sums[kVector];
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
            largest[k] = -infinity();
            sums[k] = 0.0F;
        }
#pragma unroll 4
        for (int i = thread; i < words; i += 256) {
            Elements const own = held[i];
#pragma unroll
            for (int k = 0; k < kVector; ++k) {
                largest[k] = fmaxf(largest[k], toFloat(own.at[k])); // drops a NaN
            }
        }
        overColumns(largest, width, shared[0], [](float a, float b) { return fmaxf(a, b); });
#pragma unroll 4
        for (int i = thread; i < words; i += 256) {
            Elements const own = held[i];
#pragma unroll
            for (int k = 0; k < kVector; ++k) {
                sums[k] += exponential(toFloat(own.at[k]), largest[k]);
            }
        }
        overColumns(sums, width, shared[1], [](float a, float b) { return a + b; });
#pragma unroll
        for (int k = 0; k < kVector; ++k) {
            sums[k] = 1.0F / sums[k];
        }
        Element* target = to + base;
#pragma unroll 4
        for (int i = thread; i < words; i += 256, target += step) {
            Elements own = held[i];
#pragma unroll
            for (int k = 0; k < kVector; ++k) {
                own.at[k] = fromFloat<Element>(
                    exponential(toFloat(own.at[k]), largest[k]) * sums[k]);
            }
            if (number < count) {
                storeAtOnce(target, own);
            }
        }
        __syncthreads(); // the words of the first sums are written again
    }
}
