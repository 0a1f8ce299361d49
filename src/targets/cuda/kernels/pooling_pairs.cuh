// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The part of pooling_rows.cuh for maxima of elements of two bytes: two neighbours share a word,
// and an instruction compares both. Nothing is converted.
#pragma once

constexpr int kRowWords = kRowColumns / 2;
constexpr int kFrontWords = (kFront + 1) / 2;
constexpr int kBehindWords = (kBehind + 1) / 2;

__device__ inline uint32_t pairOf(Element first, Element second) {
    return first.bits | static_cast<uint32_t>(second.bits) << 16;
}

/// The larger of the first elements, and of the second; NaN if one is.
__device__ inline uint32_t largerPair(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t result;
    asm("max.NaN." KILN_PAIR " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
#else
    auto const larger = [&](int shift) {
        Element const x{static_cast<uint16_t>(a >> shift)};
        Element const y{static_cast<uint16_t>(b >> shift)};
        return fromFloat<Element>(largerOrNan(toFloat(x), toFloat(y)));
    };
    return pairOf(larger(0), larger(16));
#endif
}

__device__ inline uint32_t neutralPair() {
    Element const neutral = fromFloat<Element>(-infinity());
    return pairOf(neutral, neutral);
}

/// Takes the lines of one input plane, column by column.
__device__ inline void addPairs(Arguments const& arguments, Element const* plane,
                                RowItem const& item, bool aligned,
                                uint32_t (&most)[kBandRows][kRowWords]) {
    int const width = static_cast<int>(arguments.width.input);
    int const first = item.row * KILN_STRIDE_Y - static_cast<int>(arguments.height.before);
    Pack<uint32_t, kRowWords> held[kBandLines];
#pragma unroll
    for (int line = 0; line < kBandLines; ++line) {
        int const y = first + line;
#pragma unroll
        for (int i = 0; i < kRowWords; ++i) {
            held[line].at[i] = neutralPair();
        }
        if (item.inside && y >= 0 && y < arguments.height.input) {
            Element const* const from = plane + y * width + item.vector * kRowColumns;
            if (aligned) {
                held[line] = *reinterpret_cast<Pack<uint32_t, kRowWords> const*>(from);
            } else {
#pragma unroll
                for (int i = 0; i < kRowWords; ++i) {
                    held[line].at[i] = pairOf(from[2 * i], from[2 * i + 1]);
                }
            }
        }
    }
#pragma unroll
    for (int row = 0; row < kBandRows; ++row) {
#pragma unroll
        for (int i = 0; i < kRowWords; ++i) {
#pragma unroll
            for (int line = 0; line < KILN_WINDOW_Y; ++line) {
                most[row][i] = largerPair(most[row][i], held[row * KILN_STRIDE_Y + line].at[i]);
            }
        }
    }
}

/// The elements `first` and `second` of some words.
template <int kWords>
__device__ inline uint32_t picked(uint32_t const (&words)[kWords], int first, int second) {
    if (first % 2 == 0 && second == first + 1) {
        return words[first / 2];
    }
    uint32_t const low = first % 2 == 0 ? words[first / 2] & 0xffffU : words[first / 2] >> 16;
    uint32_t const high = second % 2 == 0 ? words[second / 2] << 16
                                          : words[second / 2] & 0xffff0000U;
    return low | high;
}

/// The results of a row from the columns of this lane and of those beside it; called by all lanes.
__device__ inline Pack<Element, kRowResults> combinePairs(Arguments const& arguments,
                                                          RowItem const& item,
                                                          uint32_t const (&own)[kRowWords]) {
    uint32_t all[kFrontWords + kRowWords + kBehindWords];
#pragma unroll
    for (int i = 0; i < kFrontWords; ++i) {
        uint32_t const other = __shfl_up_sync(kAllLanes, own[kRowWords - kFrontWords + i], 1);
        all[i] = item.vector > 0 ? other : neutralPair();
    }
#pragma unroll
    for (int i = 0; i < kRowWords; ++i) {
        all[kFrontWords + i] = own[i];
    }
#pragma unroll
    for (int i = 0; i < kBehindWords; ++i) {
        uint32_t const other = __shfl_down_sync(kAllLanes, own[i], 1);
        all[kFrontWords + kRowWords + i] =
            item.vector + 1 < arguments.vectors ? other : neutralPair();
    }
    Pack<uint32_t, kRowResults / 2> results;
#pragma unroll
    for (int k = 0; k < kRowResults; k += 2) {
        int const first = 2 * kFrontWords - kFront + k * KILN_STRIDE_X;
        uint32_t most = picked(all, first, first + KILN_STRIDE_X);
#pragma unroll
        for (int i = 1; i < KILN_WINDOW_X; ++i) {
            most = largerPair(most, picked(all, first + i, first + i + KILN_STRIDE_X));
        }
        results.at[k / 2] = most;
    }
    return *reinterpret_cast<Pack<Element, kRowResults> const*>(&results);
}

KILN_KERNEL void __launch_bounds__(256, kRowBlocks)
    pooling_rows(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    RowItem const item(arguments);
    bool const aligned = beginsVector<kRowColumns>(from);
    int64_t base;
    Range const z = planesOf(arguments, item.slice, base);
    int64_t const area = arguments.height.input * arguments.width.input;
    uint32_t most[kBandRows][kRowWords];
#pragma unroll
    for (int row = 0; row < kBandRows; ++row) {
#pragma unroll
        for (int i = 0; i < kRowWords; ++i) {
            most[row][i] = neutralPair();
        }
    }
#pragma unroll 1
    for (int64_t plane = z.begin; plane < z.end; ++plane) {
        addPairs(arguments,
                 inGlobalMemory(from) + (base + plane) * area, item,
                 aligned, most);
    }
    Element* const slice = to + item.slice * arguments.height.output * arguments.width.output;
#pragma unroll
    for (int row = 0; row < kBandRows; ++row) {
        Pack<Element, kRowResults> const pack = combinePairs(arguments, item, most[row]);
        if (item.writes && item.row + row < arguments.height.output) {
            storeRow(arguments, item, item.row + row, slice, pack);
        }
    }
}
