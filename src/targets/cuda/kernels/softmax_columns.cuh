// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// softmax of columns. Macros: softmax.cuh.
#pragma once

#include "softmax_running.cuh"

/// Combines what the threads that share columns have, by halves: kVector numbers of each.
template <typename Combine>
__device__ inline void combineLanes(float (&values)[kVector], int lanes, int across,
                                    float (*shared)[kVector], Combine combine) {
    int const thread = static_cast<int>(threadIdx.x);
    __syncthreads(); // the words may still be read
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        shared[thread][i] = values[i];
    }
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
        if (thread < half * across) {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                shared[thread][i] = combine(shared[thread][i], shared[thread + half * across][i]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
        values[i] = shared[thread % across][i];
    }
}

/// Columns of at most lanes * kPacks elements; a thread has a pack of neighbours in some rows. The
/// inner extent is a multiple of a pack.
template <int kPacks>
__device__ inline void heldColumns(Element const* from, Element* to, Arguments const& arguments) {
    __shared__ float shared[256][kVector];
    int const lanes = arguments.lanes;
    int const across = 256 / lanes; // packs
    int const lane = static_cast<int>(threadIdx.x) / across;
    bool const aligned = isAligned16(from) && isAligned16(to);
    int64_t const inner = quotient(arguments.inner, kVector);
    int64_t const count = arguments.outer * inner;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * across; first < count;
         first += static_cast<int64_t>(gridDim.x) * across) {
        int64_t const index = first + static_cast<int>(threadIdx.x) % across;
        int64_t const outer = quotient(index, inner);
        int64_t const offset = outer * arguments.extent * arguments.inner +
                               (index - outer * inner) * kVector;
        int const extent = index < count ? static_cast<int>(arguments.extent) : 0;
        Held<Element, kVector> held[kPacks];
        float largest[kVector];
        float sum[kVector];
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            int const row = pack * lanes + lane;
            Element const* const source = from + offset + row * arguments.inner;
            if (row < extent && aligned) {
                held[pack].load(source);
            } else {
#pragma unroll
                for (int i = 0; i < kVector; ++i) {
                    held[pack].put(i, row < extent ? source[i] : Element{});
                }
            }
        }
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            largest[i] = -infinity();
            sum[i] = 0.0F;
        }
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                float const x = toFloat(held[pack].at(i));
                largest[i] = pack * lanes + lane < extent ? larger(largest[i], x) : largest[i];
            }
        }
        combineLanes(largest, lanes, across, shared, [](float a, float b) { return larger(a, b); });
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            held[pack].forget();
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                float const power = expf(toFloat(held[pack].at(i)) - largest[i]);
                sum[i] += pack * lanes + lane < extent ? power : 0.0F;
            }
        }
        combineLanes(sum, lanes, across, shared, [](float a, float b) { return a + b; });
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            sum[i] = 1.0F / sum[i];
        }
        auto again = static_cast<uint32_t>(lane);
        hide(again); // else the offsets of all rows stay in registers
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            int const row = pack * lanes + static_cast<int>(again);
            Element* const target = to + offset + row * arguments.inner;
            held[pack].forget();
            Pack<Element, kVector> results;
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                float const power = expf(toFloat(held[pack].at(i)) - largest[i]);
                results.at[i] = fromFloat<Element>(power * sum[i]);
            }
            if (row < extent && aligned) {
                *reinterpret_cast<Pack<Element, kVector>*>(target) = results;
            } else if (row < extent) {
#pragma unroll
                for (int i = 0; i < kVector; ++i) {
                    target[i] = results.at[i];
                }
            }
        }
    }
}

KILN_ROWS(held_columns_4, heldColumns<4>, 256, 3)
KILN_ROWS(held_columns_16, heldColumns<16>, 256, 2)

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
