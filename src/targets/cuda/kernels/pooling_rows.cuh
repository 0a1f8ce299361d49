// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Pooling of rows of whole vectors: maxima or means over small windows, without shared memory. A
// lane reads the vectors of one place in all input rows that kBandRows output rows need, combines
// them downwards in registers, and gets the columns in front and behind from the lanes beside it. A
// group of lanes has a row, or a piece of it: then the lanes at its ends only serve their
// neighbours. Macros as in pooling.cuh; KILN_BEFORE_X: the padding in front of a row; KILN_PACKED:
// 1 for maxima of elements of two bytes, which pooling_pairs.cuh takes two at once.
#pragma once

#include "held.cuh"
#include "pairs.cuh"
#include "pooling_windows.cuh"

#if KILN_ROWS
constexpr int kBandRows = 2; ///< output rows of a thread
constexpr int kBandLines = (kBandRows - 1) * KILN_STRIDE_Y + KILN_WINDOW_Y;
/// Of a multiprocessor, without spills.
constexpr int kRowBlocks = kBandLines > 6 ? 2 : KILN_PACKED != 0 ? 5 : 3;
constexpr int kRowColumns = widthFor(sizeof(Element)); ///< input columns of a thread
constexpr int kRowResults = kRowColumns / KILN_STRIDE_X;
constexpr int kFront = KILN_BEFORE_X; ///< columns of the lane in front
constexpr int kBehind = KILN_WINDOW_X - KILN_STRIDE_X > kFront
                            ? KILN_WINDOW_X - KILN_STRIDE_X - kFront
                            : 0;
static_assert(kFront <= kRowColumns && kBehind <= kRowColumns, "columns of one neighbour");

/// What padding counts as.
__device__ inline float neutralNumber() {
    return KILN_LARGEST != 0 ? -infinity() : 0.0F;
}

__device__ inline float joinedNumber(float a, float b) {
    return KILN_LARGEST != 0 ? largerOrNan(a, b) : a + b;
}

/// What a lane takes.
struct RowItem {
    bool inside; ///< of the input
    bool writes;
    int vector; ///< of the row
    int row;    ///< the first output row
    int64_t slice;

    __device__ explicit RowItem(Arguments const& arguments) {
        int const lane = static_cast<int>(threadIdx.x) % 32;
        auto const warp = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
        int const span = arguments.lanes;
        int const group = lane / span;
        int64_t const item = static_cast<int64_t>(warp) * arguments.groupsOfWarp + group;
        bool const exists = group < arguments.groupsOfWarp && item < arguments.items;
        int const own = exists ? static_cast<int>(item) : 0;
        int const line = arguments.byPieces.quotient(own);
        slice = arguments.byRowStrips.quotient(line);
        row = (line - static_cast<int>(slice) *
                          static_cast<int>(arguments.byRowStrips.divisor)) *
              kBandRows;
        int const pieces = static_cast<int>(arguments.byPieces.divisor);
        int const lead = pieces > 1 && kFront > 0 ? 1 : 0;
        int const tail = pieces > 1 && kBehind > 0 ? 1 : 0;
        int const place = lane - group * span - lead;
        int const useful = span - lead - tail;
        vector = (own - line * pieces) * useful + place;
        inside = exists && vector >= 0 && vector < arguments.vectors;
        writes = inside && place >= 0 && place < useful;
    }
};

/// The input planes that a slice needs, counted from plane `base`.
__device__ inline Range planesOf(Arguments const& arguments, int64_t slice, int64_t& base) {
    Axis const& depth = arguments.depth;
    if (depth.input == 1 && depth.output == 1 && depth.size == 1 && depth.before == 0) {
        base = slice;
        return {0, 1, 1};
    }
    int const stack = arguments.byDepth.quotient(static_cast<int>(slice));
    base = stack * depth.input;
    return rangeOf(depth, slice - stack * depth.output);
}

#if !KILN_PACKED
/// Adds the lines of one input plane to the results, column by column.
__device__ inline void addPlane(Arguments const& arguments, Element const* plane,
                                RowItem const& item, bool aligned,
                                float (&sums)[kBandRows][kRowColumns]) {
    int const width = static_cast<int>(arguments.width.input);
    int const first = item.row * KILN_STRIDE_Y - static_cast<int>(arguments.height.before);
    Held<Element, kRowColumns> held[kBandLines];
#pragma unroll
    for (int line = 0; line < kBandLines; ++line) {
        int const y = first + line;
        if (!item.inside || y < 0 || y >= arguments.height.input) {
            held[line].fill(fromFloat<Element>(neutralNumber()));
            continue;
        }
        Element const* const from = plane + y * width + item.vector * kRowColumns;
        if (aligned) {
            held[line].load(from);
        } else {
#pragma unroll
            for (int i = 0; i < kRowColumns; ++i) {
                held[line].put(i, from[i]);
            }
        }
    }
#pragma unroll
    for (int line = 0; line < kBandLines; ++line) {
#pragma unroll
        for (int i = 0; i < kRowColumns; ++i) {
            float const value = toFloat(held[line].at(i));
#pragma unroll
            for (int row = 0; row < kBandRows; ++row) {
                if (line >= row * KILN_STRIDE_Y && line < row * KILN_STRIDE_Y + KILN_WINDOW_Y) {
                    sums[row][i] = joinedNumber(sums[row][i], value);
                }
            }
        }
    }
}

/// The results of a row from the columns of this lane and of those beside it; called by all lanes.
__device__ inline void combineColumns(Arguments const& arguments, RowItem const& item,
                                      float const (&own)[kRowColumns],
                                      float (&results)[kRowResults]) {
    float columns[kFront + kRowColumns + kBehind];
#pragma unroll
    for (int i = 0; i < kFront; ++i) {
        float const other = __shfl_up_sync(kAllLanes, own[kRowColumns - kFront + i], 1);
        columns[i] = item.vector > 0 ? other : neutralNumber();
    }
#pragma unroll
    for (int i = 0; i < kRowColumns; ++i) {
        columns[kFront + i] = own[i];
    }
#pragma unroll
    for (int i = 0; i < kBehind; ++i) {
        float const other = __shfl_down_sync(kAllLanes, own[i], 1);
        columns[kFront + kRowColumns + i] =
            item.vector + 1 < arguments.vectors ? other : neutralNumber();
    }
#pragma unroll
    for (int k = 0; k < kRowResults; ++k) {
        results[k] = columns[k * KILN_STRIDE_X];
#pragma unroll
        for (int i = 1; i < KILN_WINDOW_X; ++i) {
            results[k] = joinedNumber(results[k], columns[k * KILN_STRIDE_X + i]);
        }
    }
}

#endif

/// Stores the results that are there, `kWidth` at once.
template <int kWidth>
__device__ inline void storeParts(Element* to, Pack<Element, kRowResults> const& pack, int many) {
#pragma unroll
    for (int k = 0; k < kRowResults; k += kWidth) {
        if (k < many) {
            Pack<Element, kWidth> part;
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                part.at[i] = pack.at[k + i];
            }
            *reinterpret_cast<Pack<Element, kWidth>*>(to + k) = part;
        }
    }
}

__device__ inline void storeRow(Arguments const& arguments, RowItem const& item, int row,
                                Element* slice, Pack<Element, kRowResults> const& pack) {
    int const columns = static_cast<int>(arguments.width.output);
    int const x = item.vector * kRowResults;
    Element* const to = slice + row * columns + x;
    int const many = columns - x;
    if (columns % kRowResults == 0 && beginsVector<kRowResults>(slice)) {
        storeParts<kRowResults>(to, pack, many);
    } else if (columns % 2 == 0 && beginsVector<2>(slice)) {
        storeParts<2>(to, pack, many);
    } else {
        storeParts<1>(to, pack, many);
    }
}

#if !KILN_PACKED
__device__ inline void writeRow(Arguments const& arguments, RowItem const& item, Range const& z,
                                int row, Element* slice, float (&results)[kRowResults]) {
    int const x = item.vector * kRowResults;
    if (KILN_MEAN != 0 && arguments.inverse == 0.0F) {
        Range const y = rangeOf(arguments.height, row);
#pragma unroll
        for (int k = 0; k < kRowResults; ++k) {
            results[k] = resultOf(arguments, z, y, rangeOf(arguments.width, x + k), 0.0F,
                                  results[k]);
        }
    }
    Pack<Element, kRowResults> pack;
#pragma unroll
    for (int k = 0; k < kRowResults; k += 2) {
        float const factor = KILN_MEAN != 0 && arguments.inverse != 0.0F ? arguments.inverse : 1.0F;
        storePair(pack.at + k, results[k] * factor, results[k + 1] * factor);
    }
    storeRow(arguments, item, row, slice, pack);
}
#endif

#if KILN_PACKED
#include "pooling_pairs.cuh"
#else
KILN_KERNEL void __launch_bounds__(256, kRowBlocks)
    pooling_rows(Element const* from, Element* to, KILN_IN_PLACE Arguments arguments) {
    RowItem const item(arguments);
    bool const aligned = beginsVector<kRowColumns>(from);
    int64_t base;
    Range const z = planesOf(arguments, item.slice, base);
    int64_t const area = arguments.height.input * arguments.width.input;
    float sums[kBandRows][kRowColumns];
#pragma unroll
    for (int row = 0; row < kBandRows; ++row) {
#pragma unroll
        for (int i = 0; i < kRowColumns; ++i) {
            sums[row][i] = neutralNumber();
        }
    }
#pragma unroll 1
    for (int64_t plane = z.begin; plane < z.end; ++plane) {
        addPlane(arguments,
                 inGlobalMemory(from) + (base + plane) * area, item,
                 aligned, sums);
    }
    Element* const slice = to + item.slice * arguments.height.output * arguments.width.output;
#pragma unroll
    for (int row = 0; row < kBandRows; ++row) {
        float results[kRowResults];
        combineColumns(arguments, item, sums[row], results);
        if (item.writes && item.row + row < arguments.height.output) {
            writeRow(arguments, item, z, item.row + row, slice, results);
        }
    }
}
#endif
#endif
