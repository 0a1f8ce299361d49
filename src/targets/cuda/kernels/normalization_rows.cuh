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
    int64_t parts; ///< blocks that share a set
    int64_t group; ///< sets whose parts are read again before those of others
};

/// Scale and bias of one row.
struct Factors {
    Element const* scale;
    Element const* bias;
    int64_t repeat;
    int64_t step;
    int64_t first; ///< the element of the set that is number 0 here

    /// The place of the factors of an element. Rows of one block are short, and begin their set:
    /// 32-bit division suffices, unless kFar.
    template <bool kFar>
    __device__ int64_t placeOf(int i) const {
        if (kFar) {
            return (repeat == 1 ? first + i : quotient(first + i, repeat)) * step;
        }
        return i / static_cast<int>(repeat) * step;
    }
    template <bool kFar>
    __device__ float applied(float x, int i) const {
        int64_t const at = placeOf<kFar>(i);
        return x * toFloat(scale[at]) + toFloat(bias[at]);
    }

    /// Whether a pack of elements has a pack of each: then they can be loaded together.
    __device__ bool areWide() const {
        return repeat == 1 && step == 1 && first % kVector == 0 && isAligned16(scale) &&
               isAligned16(bias);
    }

    /// Whether the elements of a pack have one scale and one bias.
    __device__ bool areShared() const {
        return step == 0 || (repeat % kVector == 0 && first % kVector == 0);
    }

    /// Whether the factors of a pack take no division for each element.
    __device__ bool arePacked() const { return areShared() || areWide(); }

    /// Applies the factors that a pack of normalized elements shares.
    template <bool kFar, typename Place>
    __device__ void applyShared(Place const& place, int pack, float* values) const {
        if (place.reaches(pack)) {
            int64_t const at = placeOf<kFar>(place.at(pack, 0));
            float const ownScale = toFloat(scale[at]);
            float const ownBias = toFloat(bias[at]);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                values[i] = values[i] * ownScale + ownBias;
            }
        }
    }

    /// Applies them to a pack of normalized elements, those past the end of the row excepted.
    template <bool kWide>
    __device__ void apply(Place<kWide, int> const& place, int pack, float* values) const {
        if (kWide && areShared()) {
            applyShared<false>(place, pack, values);
            return;
        }
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            if (place.at(pack, i) < place.extent) {
                values[i] = applied<false>(values[i], place.at(pack, i));
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

    __device__ void load(Factors const& factors, Place<true, int> const& place, int first = 0) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            if (place.reaches(first + pack)) {
                int64_t const at = factors.first + place.at(first + pack, 0);
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

/// The elements of a row in kPacks packs of each thread. Short elements stay packed until they are
/// used. Zeros are past the end.
template <int kPacks, bool kWide>
struct HeldRow {
    Held<Element, kVector> values[kPacks];

    __device__ void load(Element const* from, Place<kWide, int> const& place) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            place.hold(from, pack, values[pack]);
        }
    }
    __device__ float sum(Place<kWide, int> const&) const {
        float sum = 0.0F;
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                sum += toFloat(values[pack].at(i));
            }
        }
        return sum;
    }
    __device__ float squares(Place<kWide, int> const& place, float mean) {
        float squares = 0.0F;
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            forgetLong(pack);
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                float const difference = toFloat(values[pack].at(i)) - mean;
                bool const inside = place.at(pack, kWide ? 0 : i) < place.extent;
                squares += inside ? difference * difference : 0.0F;
            }
        }
        return squares;
    }
    /// Calls apply(pack, results) for each pack of normalized elements and stores them.
    template <typename Apply>
    __device__ void store(Element* to, Place<kWide, int> const& place, float mean, float factor,
                          Apply apply) {
#pragma unroll
        for (int pack = 0; pack < kPacks; ++pack) {
            forgetLong(pack);
            float results[kVector];
#pragma unroll
            for (int i = 0; i < kVector; ++i) {
                results[i] = (toFloat(values[pack].at(i)) - mean) * factor;
            }
            apply(pack, results);
            place.store(to, pack, results);
        }
    }
    /// The numbers and differences of a long row would take too many registers.
    __device__ void forgetLong(int pack) {
        if (kPacks > 2) {
            values[pack].forget();
        }
    }
};

/// The same without registers: the elements are loaded three times.
struct ReadRow {
    Element const* from;

    template <typename Place>
    __device__ void load(Element const* row, Place const&) {
        from = row;
    }
    template <typename Place>
    __device__ float sum(Place const& place) const {
        float sum = 0.0F;
        for (int i = place.thread; i < place.extent; i += place.threads) {
            sum += toFloat(from[i]);
        }
        return sum;
    }
    template <typename Place>
    __device__ float squares(Place const& place, float mean) const {
        float squares = 0.0F;
        for (int i = place.thread; i < place.extent; i += place.threads) {
            float const difference = toFloat(from[i]) - mean;
            squares += difference * difference;
        }
        return squares;
    }
    template <typename Place>
    __device__ void store(Element* to, Place const& place, float mean, float factor,
                          Factors const& factors) const {
        for (int i = place.thread; i < place.extent; i += place.threads) {
            float const value = (toFloat(from[i]) - mean) * factor;
            to[i] = fromFloat<Element>(factors.applied<true>(value, i));
        }
    }
};

/// Applies the factors to a pack of a long row, which are loaded now; they are packed.
template <bool kFar>
__device__ inline void applyPacked(Factors const& factors, bool areWide,
                                   Place<true, int> const& place, int pack, float* results) {
    if (areWide) {
        HeldFactors<1> own;
        own.load(factors, place, pack);
        own.apply(0, results);
    } else {
        factors.applyShared<kFar>(place, pack, results);
    }
}

/// One row. The factors of short rows are loaded with the elements; those of long ones, which must
/// be packed, would take too many registers. kHeld: the factors are known to be wide.
template <int kPacks, bool kHeld, bool kWide, typename Threads>
__device__ inline void normalizeRow(Element const* from, Factors const& factors, float epsilon,
                                    Element* to, Place<kWide, int> const& place,
                                    Threads const& all) {
    constexpr bool kEarly = kPacks <= 4;
    HeldRow<kPacks, kWide> row;
    HeldFactors<kEarly ? kPacks : 1> held;
    bool const isHeld = kHeld || (kWide && factors.areWide());
    row.load(from, place);
    if constexpr (kWide && kEarly) {
        if (isHeld) {
            held.load(factors, place);
        }
    }
    float const sum = KILN_CENTERS ? all.sum(row.sum(place)) : 0.0F;
    float const mean = KILN_CENTERS ? sum / static_cast<float>(place.extent) : 0.0F;
    float const factor =
        inverseDeviation(all.sum(row.squares(place, mean)), place.extent, epsilon);
    row.store(to, place, mean, factor, [&](int pack, float* results) {
        if constexpr (!kEarly) {
            applyPacked<false>(factors, isHeld, place, pack, results);
        } else if (isHeld) {
            held.apply(pack, results);
        } else {
            factors.apply(place, pack, results);
        }
    });
}

/// One row that is read three times, in few registers.
template <typename Threads>
__device__ inline void normalizeLongRow(Element const* from, Factors const& factors, float epsilon,
                                        Element* to, Place<false, int> const& place,
                                        Threads& all) {
    ReadRow row{from};
    float const sum = KILN_CENTERS ? all.sum(row.sum(place)) : 0.0F;
    float const mean = KILN_CENTERS ? sum / static_cast<float>(place.extent) : 0.0F;
    float const factor =
        inverseDeviation(all.sum(row.squares(place, mean)), place.extent, epsilon);
    row.store(to, place, mean, factor, factors);
}
