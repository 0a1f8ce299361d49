// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a thread does for the normalization of a row: normalization.cuh has the macros.
#pragma once

#include "held.cuh"
#include "rows.cuh"

/// Loops, outermost first, and the strides of x, scale and bias along them, in elements.
struct Loops {
    int64_t count;
    int32_t rank;
    int64_t extent[8];
    int64_t stride[3][8];

    /// Offsets of the operands at a step of the loops.
    __device__ void offsets(int64_t index, int64_t* result) const {
        result[0] = result[1] = result[2] = 0;
        for (int loop = rank - 1; loop > 0; --loop) {
            int64_t const rest = quotient(index, extent[loop]);
            int64_t const position = index - rest * extent[loop];
            for (int operand = 0; operand < 3; ++operand) {
                result[operand] += position * stride[operand][loop];
            }
            index = rest;
        }
        if (rank > 0) {
            for (int operand = 0; operand < 3; ++operand) {
                result[operand] += index * stride[operand][0];
            }
        }
    }
};

struct Arguments {
    Loops sets;
    Loops members;
    int64_t repeat; ///< element i of a row has element i / repeat * step of scale and bias
    int64_t step;
    float epsilon;
    int32_t lanes; ///< threads per row; a power of two
};

/// Scale and bias of one row.
struct Factors {
    Element const* scale;
    Element const* bias;
    int64_t repeat;
    int64_t step;

    /// Rows of these kernels are short: 32-bit division suffices.
    __device__ float applied(float x, int i) const {
        int64_t const at = i / static_cast<int>(repeat) * step;
        return x * toFloat(scale[at]) + toFloat(bias[at]);
    }

    /// Whether a pack of elements has a pack of each: then they can be loaded together.
    __device__ bool areWide() const {
        return repeat == 1 && step == 1 && isAligned16(scale) && isAligned16(bias);
    }

    /// Applies them to a pack of normalized elements, those past the end of the row excepted.
    template <bool kWide, typename Index>
    __device__ void apply(Place<kWide, Index> const& place, Index pack, float* values) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            if (place.at(pack, i) < place.extent) {
                values[i] = applied(values[i], place.at(pack, i));
            }
        }
    }
};

/// The factors of the elements that a thread takes. They are loaded together with the elements,
/// not after the sums, which would wait for memory a second time.
template <int kPacks>
struct HeldFactors {
    Pack<Element, kVector> scales[kPacks];
    Pack<Element, kVector> biases[kPacks];

    __device__ void load(Factors const& factors, Place<true, int> const& place) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            if (place.reaches(pack)) {
                int const at = place.at(pack, 0);
                scales[pack] = *reinterpret_cast<Pack<Element, kVector> const*>(factors.scale + at);
                biases[pack] = *reinterpret_cast<Pack<Element, kVector> const*>(factors.bias + at);
            }
        }
    }
    __device__ void apply(int pack, float* values) const {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[i] = values[i] * toFloat(scales[pack].at[i]) + toFloat(biases[pack].at[i]);
        }
    }
};

__device__ inline float inverseDeviation(float squares, int64_t count, float epsilon) {
    return 1.0F / sqrtf(squares / static_cast<float>(count) + epsilon);
}

/// One row in kPacks packs of each thread. Short elements stay packed until they are used. kHeld:
/// the factors are known to be wide.
template <int kPacks, bool kHeld, bool kWide, typename Threads>
__device__ inline void normalizeRow(Element const* from, Factors const& factors, float epsilon,
                                    Element* to, Place<kWide, int> const& place,
                                    Threads const& all) {
    Held<Element, kVector> values[kPacks]; // zeros past the end
    HeldFactors<kPacks> held;
    bool const isHeld = kHeld || (kWide && factors.areWide());
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        place.hold(from, pack, values[pack]);
    }
    if constexpr (kWide) {
        if (isHeld) {
            held.load(factors, place);
        }
    }
    float sum = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            sum += toFloat(values[pack].at(i));
        }
    }
    float const mean = KILN_CENTERS ? all.sum(sum) / static_cast<float>(place.extent) : 0.0F;
    float squares = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            float const difference = toFloat(values[pack].at(i)) - mean;
            squares += place.at(pack, i) < place.extent ? difference * difference : 0.0F;
        }
    }
    float const factor = inverseDeviation(all.sum(squares), place.extent, epsilon);
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        float results[kVector];
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            results[i] = (toFloat(values[pack].at(i)) - mean) * factor;
        }
        if (isHeld) {
            held.apply(pack, results);
        } else {
            factors.apply(place, pack, results);
        }
        place.store(to, pack, results);
    }
}

/// One row that is read three times, in few registers.
template <typename Threads>
__device__ inline void normalizeLongRow(Element const* from, Factors const& factors, float epsilon,
                                        Element* to, int extent, int thread, int threads,
                                        Threads const& all) {
    float sum = 0.0F;
    for (int i = thread; KILN_CENTERS && i < extent; i += threads) {
        sum += toFloat(from[i]);
    }
    float const mean = KILN_CENTERS ? all.sum(sum) / static_cast<float>(extent) : 0.0F;
    float squares = 0.0F;
    for (int i = thread; i < extent; i += threads) {
        float const difference = toFloat(from[i]) - mean;
        squares += difference * difference;
    }
    float const factor = inverseDeviation(all.sum(squares), extent, epsilon);
    for (int i = thread; i < extent; i += threads) {
        to[i] = fromFloat<Element>(factors.applied((toFloat(from[i]) - mean) * factor, i));
    }
}
