// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// normalization: (x - mean) / sqrt(variance + epsilon) * scale + bias over sets of elements,
// computed in float. A contiguous set is a row: it is held in registers and read once, by a part of
// a warp or by a block; longer rows are read three times, as are sets with gaps (`strided`). The
// mean is subtracted before the squares are summed. KILN_ELEMENT: the type.
// KILN_CENTERS: false if the mean counts as 0.
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
        for (int loop = rank - 1; loop >= 0; --loop) {
            int64_t const rest = quotient(index, extent[loop]);
            int64_t const position = index - rest * extent[loop];
            for (int operand = 0; operand < 3; ++operand) {
                result[operand] += position * stride[operand][loop];
            }
            index = rest;
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

/// One row in kPacks packs of each thread.
template <int kPacks, bool kWide, typename Threads>
__device__ inline void normalizeRow(Element const* from, Factors const& factors, float epsilon,
                                    Element* to, Place<kWide, int> const& place,
                                    Threads const& all) {
    float values[kPacks][kVector];
    HeldFactors<kPacks> held;
    bool const isHeld = kWide && factors.areWide();
    float sum = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
        place.load(from, pack, 0.0F, values[pack]);
    }
    if constexpr (kWide) {
        if (isHeld) {
            held.load(factors, place);
        }
    }
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            sum += values[pack][i];
        }
    }
    float const mean = KILN_CENTERS ? all.sum(sum) / static_cast<float>(place.extent) : 0.0F;
    float squares = 0.0F;
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] -= mean;
            squares += place.at(pack, i) < place.extent ? values[pack][i] * values[pack][i] : 0.0F;
        }
    }
    float const factor = inverseDeviation(all.sum(squares), place.extent, epsilon);
#pragma unroll
    for (int pack = 0; pack < kPacks; ++pack) {
#pragma unroll
        for (int i = 0; i < kVector; ++i) {
            values[pack][i] *= factor;
        }
        if (isHeld) {
            held.apply(pack, values[pack]);
        } else {
            factors.apply(place, pack, values[pack]);
        }
        place.store(to, pack, values[pack]);
    }
}

/// Each row is computed by `lanes` threads of a warp.
template <int kPacks, bool kWide>
__device__ inline void warpRows(Element const* x, Element const* scale, Element const* bias,
                                Element* to, Arguments const& arguments) {
    int const lanes = arguments.lanes;
    int const rows = static_cast<int>(blockDim.x) / lanes; // of a block
    int const own = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * rows; first < arguments.sets.count;
         first += static_cast<int64_t>(gridDim.x) * rows) {
        // All threads take part in the shuffles; those without a row have an extent of 0.
        bool const inside = first + own < arguments.sets.count;
        int64_t at[3];
        arguments.sets.offsets(inside ? first + own : 0, at);
        Place<kWide, int> const place{inside ? static_cast<int>(arguments.members.count) : 0, lane,
                                      lanes};
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step};
        normalizeRow<kPacks>(x + at[0], factors, arguments.epsilon, to + at[0], place,
                             InWarp{lanes});
    }
}

template <int kPacks, bool kWide>
__device__ inline void blockRows(Element const* x, Element const* scale, Element const* bias,
                                 Element* to, Arguments const& arguments) {
    __shared__ float shared[32];
    Place<kWide, int> const place{static_cast<int>(arguments.members.count),
                                  static_cast<int>(threadIdx.x), static_cast<int>(blockDim.x)};
    for (int64_t row = blockIdx.x; row < arguments.sets.count; row += gridDim.x) {
        int64_t at[3];
        arguments.sets.offsets(row, at);
        Factors const factors{scale + at[1], bias + at[2], arguments.repeat, arguments.step};
        normalizeRow<kPacks>(x + at[0], factors, arguments.epsilon, to + at[0], place,
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

KILN_KERNEL void warp_1(Element const* x, Element const* scale, Element const* bias, Element* to,
                        Arguments arguments) {
    warpRows<1>(x, scale, bias, to, arguments);
}
KILN_KERNEL void warp_2(Element const* x, Element const* scale, Element const* bias, Element* to,
                        Arguments arguments) {
    warpRows<2>(x, scale, bias, to, arguments);
}
KILN_KERNEL void block_1(Element const* x, Element const* scale, Element const* bias, Element* to,
                         Arguments arguments) {
    blockRows<1>(x, scale, bias, to, arguments);
}
KILN_KERNEL void block_2(Element const* x, Element const* scale, Element const* bias, Element* to,
                         Arguments arguments) {
    blockRows<2>(x, scale, bias, to, arguments);
}
KILN_KERNEL void block_4(Element const* x, Element const* scale, Element const* bias, Element* to,
                         Arguments arguments) {
    blockRows<4>(x, scale, bias, to, arguments);
}

/// A block for each set. offsetsOf(i, at) gives the offsets of element i within the set.
template <typename OffsetsOf>
__device__ inline void normalizeSets(Element const* x, Element const* scale, Element const* bias,
                                     Element* to, Arguments const& arguments,
                                     OffsetsOf offsetsOf) {
    __shared__ float shared[32];
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

KILN_KERNEL void block_long(Element const* x, Element const* scale, Element const* bias,
                            Element* to, Arguments arguments) {
    normalizeSets(x, scale, bias, to, arguments, [&](int64_t i, int64_t* at) {
        at[0] = i;
        at[1] = (arguments.repeat == 1 ? i : quotient(i, arguments.repeat)) * arguments.step;
        at[2] = at[1];
    });
}

KILN_KERNEL void strided(Element const* x, Element const* scale, Element const* bias, Element* to,
                         Arguments arguments) {
    normalizeSets(x, scale, bias, to, arguments,
                  [&](int64_t i, int64_t* at) { arguments.members.offsets(i, at); });
}
