// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// quantize and dequantize, with one scale, with scales of runs of neighbours that vectors do not
// leave, with a scale for each element of the innermost axis, and with any. Macros: KILN_WIDE,
// KILN_NARROW and KILN_SCALE, the types; KILN_DEQUANTIZES: 0 or 1; KILN_ZERO: 1 if there is a zero
// point, which then is the third operand.
#include "quantized_columns.cuh"

typedef KILN_WIDE Wide;
typedef KILN_NARROW Narrow;
typedef KILN_SCALE Scale;

#if KILN_DEQUANTIZES
typedef Narrow From;
typedef Wide To;
#else
typedef Wide From;
typedef Narrow To;
#endif

#if KILN_ZERO
#define KILN_ZEROS , Narrow const* zeros
#define KILN_ZERO_AT(index) Elements<Narrow>::at(zeros, index)
#else
#define KILN_ZEROS
#define KILN_ZERO_AT(index) 0.0F
#endif

#if KILN_DEQUANTIZES
struct Factors {
    static constexpr bool isNormal = true;
    float scale;
    float zero;

    Factors() = default;
    __device__ Factors(float ownScale, float ownZero) : scale(ownScale), zero(ownZero) {}
    __device__ float number(float x) const { return (x - zero) * scale; }
};

template <int kWidth, typename All>
__device__ inline Vector<To, kWidth> converted(All const& all, float (&x)[kWidth]) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        x[i] = all.at(i).number(x[i]);
    }
    return Coded<To>::encode(x);
}
#else
typedef Quantizer<Narrow> Factors;

template <int kWidth, typename All>
__device__ inline Vector<To, kWidth> converted(All const& all, float (&x)[kWidth]) {
    return quantizedVector<Narrow>(all, x);
}
#endif

struct Converted {
    template <int kWidth, typename All>
    __device__ Vector<To, kWidth> operator()(All const& all, float (&x)[kWidth]) const {
        return converted(all, x);
    }
};

/// The same factors for all elements of a vector.
struct Alike {
    Factors one;
    __device__ Factors const& at(int) const { return one; }
    __device__ bool isNormal() const { return one.isNormal; }
    __device__ float number(float x) const { return one.number(x); }
    template <int kWidth>
    __device__ Vector<To, kWidth> vector(float (&x)[kWidth]) const {
        return converted(*this, x);
    }
};

#define KILN_OPERANDS                                                                              \
    From const *from, Scale const *scales KILN_ZEROS, To *to, KILN_IN_PLACE QuantizedBlocks blocks

#define KILN_FACTORS_AT(index) Factors(toFloat(scales[index]), KILN_ZERO_AT(index))

KILN_KERNEL void convert_one(KILN_OPERANDS) {
    if (blocks.count == 0) {
        return; // there may be no scale
    }
    convertElements<true>(blocks.count, from, to, SameSource<Alike>{{KILN_FACTORS_AT(0)}});
}

/// Scales by the places of elements.
struct ScaleSource {
    typedef RawScale Raw;
    QuantizedBlocks const& blocks;
    Scale const* scales;
#if KILN_ZERO
    Narrow const* zeros;
#endif

    __device__ bool hasLongRuns() const { return blocks.longRuns != 0; }
    __device__ Raw raw(int64_t element) const {
        int64_t const index = scaleIndex(blocks, element);
        return {toFloat(scales[index]), KILN_ZERO_AT(index)};
    }
    __device__ Alike made(Raw const& raw) const { return {Factors(raw.scale, raw.zero)}; }
};
#if KILN_ZERO
#define KILN_SOURCE ScaleSource{blocks, scales, zeros}
#else
#define KILN_SOURCE ScaleSource{blocks, scales}
#endif

KILN_KERNEL void convert_runs(KILN_OPERANDS) {
    convertElements<true>(blocks.count, from, to, KILN_SOURCE);
}

KILN_KERNEL void convert_any(KILN_OPERANDS) {
    convertElements<false>(blocks.count, from, to, KILN_SOURCE);
}

KILN_KERNEL void convert_columns(KILN_OPERANDS) {
    convertColumns<Factors>(
        blocks, from, to, [&](int64_t index) { return KILN_FACTORS_AT(index); },
        Converted{});
}
