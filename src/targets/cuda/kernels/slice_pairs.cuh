// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Slices of every other element of a row. Macros: slice.cuh.
#pragma once

#include "slice_map.cuh"

/// Every other element of two words, from the first or the second one on.
__device__ inline uint32_t everyOther(uint32_t low, uint32_t high, int first) {
    constexpr int kBits = 8 * static_cast<int>(sizeof(T));
    if constexpr (kBits == 32) {
        return first == 0 ? low : high;
    }
    low >>= first * kBits % 32;
    high >>= first * kBits % 32;
    if constexpr (kBits == 8) {
        low = (low & 255U) | (low >> 8 & 0xff00U);
        high = (high & 255U) | (high >> 8 & 0xff00U);
    }
    return (low & 0xffffU) | high << 16;
}

/// Rows of every other element, of whole words and inside the data: each word takes its elements
/// from two words. Launch with blocks for count / kPerWord words.
KILN_KERNEL void __launch_bounds__(kThreads, kWordBlocks) slice_pairs(
    KILN_IN_PLACE Inputs inputs, T* to, int64_t*, KILN_IN_PLACE Arguments arguments) {
    constexpr int kElements = kPerWord<T>;
    typedef Pack<uint32_t, 8> Pair;
    typedef Pack<uint32_t, 4> Words;
    T const* const data = inGlobalMemory(static_cast<T const*>(inputs.at[0]));
    T const* const fill = FILL_INPUT == 0 ? nullptr : static_cast<T const*>(inputs.at[FILL_INPUT]);
    FixedSteps const steps{};
    SliceMap<int32_t, int32_t, -1, FixedSteps> const map{data, fill, arguments, steps};
    Axis const& axis = arguments.axes[arguments.outer];
    int const words = static_cast<int>(arguments.count) / kElements;
    int const tile = static_cast<int>(blockIdx.x) * kTileWords + static_cast<int>(threadIdx.x);
    bool const aligned = (reinterpret_cast<uint64_t>(to) & 15U) == 0;
    Pair held[kHeldWords];
    int shifts[kHeldWords]; // 0 or 1; 2: the elements are loaded one by one
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        int const position = (tile + i * kThreads) * kElements;
        shifts[i] = 2;
        int32_t offset = 0;
        int const row = axis.size.quotient(position);
        int const column = position - row * static_cast<int>(axis.size.divisor);
        if (tile + i * kThreads < words && aligned && map.rowOffset(row, offset)) {
            T const* const first = data + offset + map.coordinate(arguments.outer, column);
            auto const skip = static_cast<int>(reinterpret_cast<uint64_t>(first) & 15U);
            T const* const low = first - skip / static_cast<int>(sizeof(T));
            if (skip <= static_cast<int>(sizeof(T)) && low >= data &&
                low + 2 * kElements <= data + arguments.total) {
                shifts[i] = skip / static_cast<int>(sizeof(T));
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    Words const own = reinterpret_cast<Words const*>(low)[half];
#pragma unroll
                    for (int k = 0; k < 4; ++k) {
                        held[i].at[4 * half + k] = own.at[k];
                    }
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < kHeldWords; ++i) {
        int const position = (tile + i * kThreads) * kElements;
        if (tile + i * kThreads < words && shifts[i] == 2) {
#pragma unroll 1
            for (int k = 0; k < kElements; ++k) {
                to[position + k] = map.at(position + k);
            }
        } else if (tile + i * kThreads < words) {
            Words result;
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                result.at[k] = everyOther(held[i].at[2 * k], held[i].at[2 * k + 1], shifts[i]);
            }
            *reinterpret_cast<Words*>(to + position) = result;
        }
    }
}
