// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization: (x - mean) / sqrt(variance + epsilon) * scale + bias over sets of elements,
// computed in float. A contiguous set is a row: it is held in registers and read once, by a part of
// a warp or by a block. Parts of longer rows are held by several blocks, in two launches:
// `parts_sums` writes the mean and the squares of each part to the workspace. Sets with gaps are
// read three times (`strided`). The mean is subtracted before the squares are summed. KILN_ELEMENT:
// the type; KILN_CENTERS: false if the mean counts as 0.
#include "dependents.cuh"
#include "normalization_rows.cuh"

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
        normalizeLongRow(x + at[0], factors, arguments.epsilon, to + at[0], place, InWarp{lanes});
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
        normalizeLongRow(x + at[0], factors, arguments.epsilon, to + at[0], single,
                         InBlock{shared});
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
KILN_ROWS(warp_16, warpRows<16>, kSmall, 8)
KILN_ROWS(block_1, blockRows<1>, 256, 4)
KILN_ROWS(block_2, blockRows<2>, 256, 2)
KILN_ROWS(block_4, blockRows<4>, 256, 2)
KILN_ROWS(block_8, blockRows<8>, 256, 3)
KILN_ROWS(block_16, blockRows<16>, 256, 2)

/// A part of a set: its number of elements, their mean, and the sum of squares around it.
struct Moments {
    float count;
    float mean;
    float squares;

    __device__ void add(Moments const& other) {
        float const both = count + other.count;
        float const share = both == 0.0F ? 0.0F : other.count / both;
        float const apart = KILN_CENTERS ? other.mean - mean : 0.0F;
        squares += other.squares + apart * apart * count * share;
        mean += apart * share;
        count = both;
    }
};

/// The moments of a set from those of its parts, by all threads of a block.
__device__ inline Moments momentsOf(Moments const* parts, int64_t count) {
    __shared__ Moments shared[256];
    Moments own{0.0F, 0.0F, 0.0F};
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        own.add(parts[i]);
    }
    __syncthreads(); // the words may still be read
    shared[threadIdx.x] = own;
    __syncthreads();
    for (int half = static_cast<int>(blockDim.x) / 2; half > 0; half /= 2) {
        if (static_cast<int>(threadIdx.x) < half) {
            shared[threadIdx.x].add(shared[threadIdx.x + half]);
        }
        __syncthreads();
    }
    return shared[0];
}

constexpr int kPartPacks = 16; ///< of each of 256 threads

template <bool kWide>
struct RowOf {
    typedef HeldRow<kPartPacks, true> Type;
};
template <>
struct RowOf<false> {
    typedef ReadRow Type;
};

/// A block for each part of a row: sums it if kSums, else normalizes it.
template <bool kSums, bool kWide>
__device__ inline void rowParts(Element const* x, Element const* scale, Element const* bias,
                                Element* to, Moments* moments, Arguments const& arguments) {
    __shared__ float shared[32];
    InBlock const all{shared};
    constexpr int64_t kPart = 256 * kPartPacks * kVector;
    int64_t const count = arguments.members.count;
    for (int64_t item = blockIdx.x; item < arguments.sets.count * arguments.parts;
         item += gridDim.x) {
        int64_t const set = quotient(item, arguments.parts);
        int64_t const first = (item - set * arguments.parts) * kPart;
        int64_t const rest = count - first;
        int const extent = static_cast<int>(rest < kPart ? rest : kPart);
        Place<kWide, int> const place{extent, static_cast<int>(threadIdx.x), 256};
        int64_t at[3];
        arguments.sets.offsets(set, at);
        if constexpr (kSums) {
            typename RowOf<kWide>::Type row;
            row.load(x + at[0] + first, place);
            auto const own = static_cast<float>(extent);
            float const mean = KILN_CENTERS ? all.sum(row.sum(place)) / own : 0.0F;
            float const squares = all.sum(row.squares(place, mean));
            if (threadIdx.x == 0) {
                moments[item] = {own, mean, squares};
            }
            continue;
        }
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step, first};
        if constexpr (kWide) {
            if (factors.arePacked()) {
                bool const areWide = factors.areWide();
                HeldRow<kPartPacks, true> row;
                row.load(x + at[0] + first, place);
                Moments const whole = momentsOf(moments + set * arguments.parts, arguments.parts);
                row.store(to + at[0] + first, place, whole.mean,
                          inverseDeviation(whole.squares, count, arguments.epsilon),
                          [&](int pack, float* results) {
                              applyPacked<true>(factors, areWide, place, pack, results);
                          });
                continue;
            }
        }
        Moments const whole = momentsOf(moments + set * arguments.parts, arguments.parts);
        Place<false, int> const single{place.extent, place.thread, place.threads};
        ReadRow const row{x + at[0] + first};
        row.store(to + at[0] + first, single, whole.mean,
                  inverseDeviation(whole.squares, count, arguments.epsilon), factors);
    }
}

template <bool kSums>
__device__ inline void rowParts(Element const* x, Element const* scale, Element const* bias,
                                Element* to, void* workspace, Arguments const& arguments) {
    auto* const moments = static_cast<Moments*>(workspace);
    waitForInputs();
    if (rowsAreWide(arguments.members.count, x, to)) {
        rowParts<kSums, true>(x, scale, bias, to, moments, arguments);
    } else {
        rowParts<kSums, false>(x, scale, bias, to, moments, arguments);
    }
}

#define KILN_PARTS(name, sums)                                                                     \
    KILN_KERNEL void __launch_bounds__(256, 2)                                                     \
        name(Element const* x, Element const* scale, Element const* bias, Element* to,             \
             void* workspace, KILN_IN_PLACE Arguments arguments) {                                 \
        rowParts<sums>(x, scale, bias, to, workspace, arguments);                                  \
    }
KILN_PARTS(parts_sums, true)
KILN_PARTS(parts_apply, false)

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
