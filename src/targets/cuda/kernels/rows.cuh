// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows that threads share: which elements a thread takes, and reductions among the threads.
// KILN_ELEMENT: the type.
#pragma once

#include "prelude.cuh"
#include "threads.cuh"
#include "wide_stores.cuh"

typedef KILN_ELEMENT Element;

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

    /// Loads a pack, with `outside` past the end.
    __device__ void load(Element const* row, Index pack, float outside, float* values) const {
        if constexpr (kWide) {
            Pack<Element, kVector> held{};
            bool const inside = reaches(pack);
            if (inside) {
                held = *reinterpret_cast<Pack<Element, kVector> const*>(row + at(pack, 0));
            }
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = inside ? toFloat(held.at[i]) : outside;
            }
        } else {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = at(pack, i) < extent ? toFloat(row[at(pack, i)]) : outside;
            }
        }
    }

    /// Loads a pack without converting it, with zeros past the end.
    template <typename Pack>
    __device__ void hold(Element const* row, Index pack, Pack& held) const {
        if constexpr (kWide) {
            if (reaches(pack)) {
                held.load(row + at(pack, 0));
            } else {
                held.fill(Element{});
            }
        } else {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                held.put(i, at(pack, i) < extent ? row[at(pack, i)] : Element{});
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
                storeAtOnce(row + at(pack, 0), held);
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

/// Whether all rows of these operands begin and end at multiples of 16 bytes.
template <typename... Operands>
__device__ inline bool rowsAreWide(int64_t extent, Operands... operands) {
    return extent % kVector == 0 && (isAligned16(operands) && ...);
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
