// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of 8 and 4 bits that are not integers of C++: E4M3, E8M0, E2M1 and int4. Conversions
// from float round to nearest, ties to even, and saturate; those to E8M0 round up to a power of
// two. Formats: OCP 8-bit Floating Point Specification 1.0, OCP Microscaling Formats 1.0.
#pragma once

#include "prelude.cuh"

struct fp8_t {
    uint8_t bits;
};
struct e8m0_t {
    uint8_t bits;
};
/// Two of these are in a byte, the first in the low bits. They name a type; nothing stores one.
struct int4_t {};
struct fp4_t {};

__device__ inline float toFloat(fp8_t value) {
    uint32_t const sign = static_cast<uint32_t>(value.bits & 0x80U) << 24;
    uint32_t const rest = value.bits & 0x7fU;
    if (rest == 0x7fU) {
        return __uint_as_float(sign | 0x7fc00000U);
    }
    // The shifted bits are the value times 2^-120.
    float const scale = __uint_as_float(247U << 23);
    return __uint_as_float(sign | __float_as_uint(__uint_as_float(rest << 20) * scale));
}

__device__ inline float toFloat(e8m0_t value) {
    return __uint_as_float(value.bits == 0xffU ? 0x7fc00000U
                           : value.bits == 0   ? 0x00400000U
                                               : static_cast<uint32_t>(value.bits) << 23);
}

template <>
struct FromFloat<fp8_t> {
    static __device__ fp8_t convert(float value) {
        uint32_t const bits = __float_as_uint(value);
        uint32_t const sign = bits >> 24 & 0x80U;
        uint32_t const rest = bits & 0x7fffffffU;
        uint32_t code = 0;
        if (rest > 0x7f800000U) {
            code = 0x7fU;
        } else if (rest >= 0x43e00000U) { // 448
            code = 0x7eU;
        } else if (rest < 0x3c800000U) { // a subnormal, rounded by the addition of 2^14
            code = __float_as_uint(__uint_as_float(rest) + 16384.0F) - 0x46800000U;
        } else {
            code = ((rest + 0x7ffffU + (rest >> 20 & 1U)) >> 20) - (120U << 3);
        }
        return {static_cast<uint8_t>(sign | code)};
    }
};

template <>
struct FromFloat<e8m0_t> {
    static __device__ e8m0_t convert(float value) {
        uint32_t const rest = __float_as_uint(value) & 0x7fffffffU;
        if (rest > 0x7f800000U) {
            return {0xff};
        }
        if (rest < 0x00800000U) {
            return {static_cast<uint8_t>(rest > 0x00400000U ? 1 : 0)};
        }
        uint32_t const above = (rest + 0x7fffffU) >> 23;
        return {static_cast<uint8_t>(above < 254U ? above : 254U)};
    }
};

/// Codes of 4 bits, and the numbers that they mean.
template <typename T>
struct Nibble;

template <>
struct Nibble<int4_t> {
    static __device__ float decode(uint32_t bits) {
        return static_cast<float>(static_cast<int32_t>(bits ^ 8U) - 8);
    }
    static __device__ uint32_t encode(float value) {
        float const low = value < -8.0F ? -8.0F : value;
        float const both = low > 7.0F ? 7.0F : low;
        return static_cast<uint32_t>(static_cast<int32_t>(value != value ? 0.0F : both)) & 15U;
    }
};

template <>
struct Nibble<fp4_t> {
    static __device__ float decode(uint32_t bits) {
        uint32_t const exponent = bits >> 1 & 3U;
        uint32_t const mantissa = bits & 1U;
        float const magnitude = exponent == 0 ? 0.5F * static_cast<float>(mantissa)
                                              : __uint_as_float((126U + exponent) << 23 |
                                                                mantissa << 22);
        return (bits & 8U) != 0 ? -magnitude : magnitude;
    }
    static __device__ uint32_t encode(float value) {
        float const x = fabsf(value);
        uint32_t code = 7U; // NaN as well
        code = x <= 5.0F ? 6U : code;
        code = x < 3.5F ? 5U : code;
        code = x <= 2.5F ? 4U : code;
        code = x < 1.75F ? 3U : code;
        code = x <= 1.25F ? 2U : code;
        code = x < 0.75F ? 1U : code;
        code = x <= 0.25F ? 0U : code;
        return value != value ? 7U : code | (__float_as_uint(value) >> 28 & 8U);
    }
};

/// Elements of T by index, as numbers; also those of 4 bits.
template <typename T>
struct Elements {
    static constexpr bool kPacked = false;
    static __device__ float at(T const* data, int64_t index) { return toFloat(data[index]); }
};
template <typename T>
struct PackedElements {
    static constexpr bool kPacked = true;
    static __device__ float at(T const* data, int64_t index) {
        uint32_t const byte = reinterpret_cast<uint8_t const*>(data)[index >> 1];
        return Nibble<T>::decode(byte >> (index & 1) * 4 & 15U);
    }
};
template <>
struct Elements<int4_t> : PackedElements<int4_t> {};
template <>
struct Elements<fp4_t> : PackedElements<fp4_t> {};
