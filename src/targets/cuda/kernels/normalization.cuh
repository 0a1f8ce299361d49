// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization: (x - mean) / sqrt(variance + epsilon) * scale + bias over sets of elements,
// computed in float. A contiguous set is a row: it is held in registers and read once, by a part of
// a warp or by a block (normalization_packs.cuh if it consists of packs). Longer rows are taken by
// several blocks (normalization_held.cuh; normalization_parts.cuh if the GPU does not hold a row).
// Sets with gaps are read three times (`strided`). The mean is subtracted before the squares are
// summed. KILN_ELEMENT: the type; KILN_CENTERS: false if the mean counts as 0.
#include "normalization_held.cuh"
#include "normalization_packs.cuh"

/// Each row is computed by `lanes` threads of a warp.
template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* x, Element const* scale, Element const* bias,
                                Element* to, Arguments const& arguments) {
    waitForInputs();
    letNextBegin();
    int const lanes = kPacks > 2 ? 32 : arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.sets.count;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the shuffles; those without a row have an extent of 0.
        bool const inside = first + own < arguments.sets.count;
        int const extent = inside ? static_cast<int>(arguments.members.count) : 0;
        int64_t at[3];
        arguments.sets.offsets(inside ? first + own : 0, at);
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step, 0};
        if constexpr (kWide || kPacks <= 2) {
            bool const isHeld = kPacks <= 2 || factors.areWide() ||
                                (kPacks > 4 && factors.arePacked());
            if (isHeld) { // else a row of a warp takes too many registers
                constexpr bool kHeld = kPacks > 2 && kPacks <= 4;
                Place<kWide, int> const place{extent, lane, lanes};
                normalizeRow<kPacks, kHeld>(x + at[0], factors, arguments.epsilon, to + at[0],
                                            place, InWarp{lanes});
                continue;
            }
        }
        Place<false, int> const place{extent, lane, lanes};
        InWarp const all{lanes};
        normalizeLongRow(x + at[0], factors, arguments.epsilon, to + at[0], place, all);
    }
}

template <int kPacks, bool kWide>
__device__ inline void blockRows(Element const* x, Element const* scale, Element const* bias,
                                 Element* to, Arguments const& arguments) {
    __shared__ float shared[32];
    waitForInputs();
    letNextBegin();
    int const threads = kPacks > 1 ? 256 : static_cast<int>(blockDim.x);
    Place<kWide, int> const place{static_cast<int>(arguments.members.count),
                                  static_cast<int>(threadIdx.x), threads};
    for (int64_t row = blockIdx.x; row < arguments.sets.count; row += gridDim.x) {
        int64_t at[3];
        arguments.sets.offsets(row, at);
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step, 0};
        if constexpr (kWide || kPacks <= 4) {
            if (kPacks <= 4 || factors.arePacked()) {
                normalizeRow<kPacks, false>(x + at[0], factors, arguments.epsilon, to + at[0],
                                            place, InBlock{shared});
                continue;
            }
        }
        Place<false, int> const single{place.extent, place.thread, place.threads};
        InBlock const all{shared};
        normalizeLongRow(x + at[0], factors, arguments.epsilon, to + at[0], single, all);
    }
}

template <int kPacks>
__device__ inline void warpRows(Element const* x, Element const* scale, Element const* bias,
                                Element* to, Arguments const& arguments) {
    if (rowsAreWide(arguments.members.count, x, to)) {
        warpRows<kPacks, true>(x, scale, bias, to, arguments);
    } else {
        warpRows<kPacks, false>(x, scale, bias, to, arguments);
    }
}

template <int kPacks>
__device__ inline void blockRows(Element const* x, Element const* scale, Element const* bias,
                                 Element* to, Arguments const& arguments) {
    if (rowsAreWide(arguments.members.count, x, to)) {
        blockRows<kPacks, true>(x, scale, bias, to, arguments);
    } else {
        blockRows<kPacks, false>(x, scale, bias, to, arguments);
    }
}

constexpr int kSmall = 64; ///< threads of a block whose warps have rows of their own
#define KILN_ROWS(name, rows, threads, blocks)                                                     \
    KILN_KERNEL void __launch_bounds__(threads, blocks)                                            \
        name(Element const* x, Element const* scale, Element const* bias, Element* to, void*,      \
             KILN_IN_PLACE Arguments arguments) {                                                  \
        rows(x, scale, bias, to, arguments);                                                       \
    }
KILN_ROWS(warp_1, warpRows<1>, kSmall, 16)
KILN_ROWS(warp_2, warpRows<2>, kSmall, 11)
KILN_ROWS(warp_3, warpRows<3>, kSmall, 14)
KILN_ROWS(warp_4, warpRows<4>, kSmall, 12)
KILN_ROWS(warp_8, warpRows<8>, kSmall, 12)
KILN_ROWS(block_1, blockRows<1>, 256, 4)
KILN_ROWS(block_2, blockRows<2>, 256, 2)
KILN_ROWS(block_4, blockRows<4>, 256, 2)
KILN_ROWS(block_8, blockRows<8>, 256, 3)
KILN_ROWS(block_16, blockRows<16>, 256, 2)

/// A block for each set. offsetsOf(i, at) gives the offsets of element i within the set.
template <typename OffsetsOf>
__device__ inline void normalizeSets(Element const* x, Element const* scale, Element const* bias,
                                     Element* to, Arguments const& arguments,
                                     OffsetsOf offsetsOf) {
    __shared__ float shared[32];
    waitForInputs();
    letNextBegin();
    InBlock const all{shared};
    int64_t const count = arguments.members.count;
    for (int64_t set = blockIdx.x; set < arguments.sets.count; set += gridDim.x) {
        int64_t start[3];
        int64_t at[3];
        arguments.sets.offsets(set, start);
        float sum = 0.0F;
        for (int64_t i = threadIdx.x; KILN_CENTERS && i < count; i += blockDim.x) {
            offsetsOf(i, at);
            sum += toFloat(x[start[0] + at[0]]);
        }
        float const mean = KILN_CENTERS ? all.sum(sum) / static_cast<float>(count) : 0.0F;
        float squares = 0.0F;
        for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
            offsetsOf(i, at);
            float const difference = toFloat(x[start[0] + at[0]]) - mean;
            squares += difference * difference;
        }
        float const factor = inverseDeviation(all.sum(squares), count, arguments.epsilon);
        for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
            offsetsOf(i, at);
            float const value = (toFloat(x[start[0] + at[0]]) - mean) * factor;
            to[start[0] + at[0]] = fromFloat<Element>(value * toFloat(scale[start[1] + at[1]]) +
                                                      toFloat(bias[start[2] + at[2]]));
        }
    }
}

KILN_KERNEL void strided(Element const* x, Element const* scale, Element const* bias,
                         Element* to, void*, KILN_IN_PLACE Arguments arguments) {
    normalizeSets(x, scale, bias, to, arguments,
                  [&](int64_t i, int64_t* at) { arguments.members.offsets(i, at); });
}
