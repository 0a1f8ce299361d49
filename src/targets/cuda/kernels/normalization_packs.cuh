// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Normalization of rows by blocks whose threads hold some packs of 16 bytes each, together with
// their factors. All of them stay packed until they are used, so many blocks are resident.
#pragma once

#include "dependents.cuh"
#include "normalization_rows.cuh"

/// Sums among the threads of a block. Calls alternate between two sets of words, so one barrier
/// suffices for each.
struct InTurns {
    float (*shared)[32];
    int turn = 0;

    __device__ float sum(float value) {
        value = InWarp{32}.sum(value);
        float* const words = shared[turn];
        turn = 1 - turn;
        if (threadIdx.x % 32 == 0) {
            words[threadIdx.x / 32] = value;
        }
        __syncthreads();
        float total = 0.0F;
#pragma unroll 4
        for (int warp = 0; warp < static_cast<int>(blockDim.x) / 32; ++warp) {
            total += words[warp];
        }
        return total;
    }
};

/// The factors of the elements that a thread takes.
template <int kPacks>
struct OwnFactors {
    Held<Element, kVector> scales[kPacks];
    Held<Element, kVector> biases[kPacks];

    __device__ void load(Factors const& factors, Place<true, int> const& place) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            place.hold(factors.scale, pack, scales[pack]);
            place.hold(factors.bias, pack, biases[pack]);
        }
    }
    __device__ void apply(int pack, float* values) {
        scales[pack].forget();
        biases[pack].forget();
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = values[i] * toFloat(scales[pack].at(i)) + toFloat(biases[pack].at(i));
        }
    }
};

/// The same in fewer registers: those of a pack are loaded while the pack in front is stored.
template <int kPacks>
struct LateFactors {
    Element const* scale;
    Element const* bias;
    Place<true, int> place;
    OwnFactors<1> next;

    __device__ void load(Factors const& factors, Place<true, int> const& all) {
        scale = factors.scale;
        bias = factors.bias;
        place = all;
        loadNext(0);
    }
    __device__ void loadNext(int pack) {
        place.hold(scale, pack, next.scales[0]);
        place.hold(bias, pack, next.biases[0]);
    }
    __device__ void apply(int pack, float* values) {
        next.apply(0, values);
        if (pack + 1 < kPacks) {
            loadNext(pack + 1);
        }
    }
};

/// One scale and one bias for each pack.
template <int kPacks>
struct SharedFactors {
    Element scales[kPacks];
    Element biases[kPacks];

    __device__ void load(Factors const& factors, Place<true, int> const& place) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            int const i = place.reaches(pack) ? place.at(pack, 0) : 0;
            int64_t const at = factors.step == 0 ? 0 : factors.placeOf<false>(i);
            scales[pack] = factors.scale[at];
            biases[pack] = factors.bias[at];
        }
    }
    __device__ void apply(int pack, float* values) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = values[i] * toFloat(scales[pack]) + toFloat(biases[pack]);
        }
    }
};

template <int kPacks, typename Own, typename Threads>
__device__ inline void normalizePacks(Element const* from, Factors const& factors, float epsilon,
                                      Element* to, Place<true, int> const& place, Threads& all) {
    HeldRow<kPacks, true> row;
    Own own;
    row.load(from, place);
    own.load(factors, place);
    float const sum = KILN_CENTERS ? all.sum(row.sum(place)) : 0.0F;
    float const mean = KILN_CENTERS ? sum / static_cast<float>(place.extent) : 0.0F;
    float const factor =
        inverseDeviation(all.sum(row.squares(place, mean)), place.extent, epsilon);
    row.store(to, place, mean, factor,
              [&](int pack, float* results) { own.apply(pack, results); });
}

template <int kPacks, bool kLate>
struct WideFactors {
    typedef OwnFactors<kPacks> Type;
};
template <int kPacks>
struct WideFactors<kPacks, true> {
    typedef LateFactors<kPacks> Type;
};

/// A block for each row, of as many threads as hold it in kPacks packs each.
template <int kPacks>
__device__ inline void packRows(Element const* x, Element const* scale, Element const* bias,
                                Element* to, Arguments const& arguments) {
    __shared__ float shared[2][32];
    waitForInputs();
    letNextBegin();
    InTurns all{shared};
    auto const extent = static_cast<int>(arguments.members.count);
    auto const thread = static_cast<int>(threadIdx.x);
    auto const threads = static_cast<int>(blockDim.x);
    bool const isWide = rowsAreWide(extent, x, to);
    for (int64_t row = blockIdx.x; row < arguments.sets.count; row += gridDim.x) {
        int64_t at[3];
        arguments.sets.offsets(row, at);
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step, 0};
        Place<true, int> const place{extent, thread, threads};
        if (isWide && factors.areWide()) {
            typedef typename WideFactors<kPacks, (kPacks > 4)>::Type Own;
            normalizePacks<kPacks, Own>(x + at[0], factors, arguments.epsilon, to + at[0], place,
                                        all);
            continue;
        }
        if (isWide && factors.areShared()) {
            normalizePacks<kPacks, SharedFactors<kPacks>>(x + at[0], factors, arguments.epsilon,
                                                          to + at[0], place, all);
            continue;
        }
        Place<false, int> const single{extent, thread, threads};
        normalizeLongRow(x + at[0], factors, arguments.epsilon, to + at[0], single, all);
    }
}

#define KILN_PACKS(name, packs, threads, blocks)                                                   \
    KILN_KERNEL void __launch_bounds__(threads, blocks)                                            \
        name(Element const* x, Element const* scale, Element const* bias, Element* to, void*,      \
             KILN_IN_PLACE Arguments arguments) {                                                  \
        packRows<packs>(x, scale, bias, to, arguments);                                            \
    }
KILN_PACKS(packs_2, 2, 256, 4)
KILN_PACKS(packs_4, 4, 256, 3)
KILN_PACKS(packs_8, 8, 256, 3)
