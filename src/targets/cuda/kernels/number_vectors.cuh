// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring elements of any type, those of 4 bits included, to and from numbers. Conversions of
// bytes to float by I2F run at an eighth of the rate of additions: here, bytes become the low bits
// of a number of 2^23, and the reverse. FP8 is converted by the instructions that compute
// capability 8.9 has.
#pragma once

#include "numbers.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define KILN_FP8_UNITS 1
#endif

/// The bits of a number n are those of kRounder + n, below bit 22, if |n| < 2^22; such a sum is
/// rounded to a whole number, ties to even.
constexpr float kRounder = 12582912.0F;

/// kWidth neighbours of T in memory.
template <typename T, int kWidth>
struct VectorOf {
    typedef Pack<T, kWidth> Type;
};
template <int kWidth>
struct VectorOf<int4_t, kWidth> {
    typedef Pack<uint8_t, kWidth / 2> Type;
};
template <int kWidth>
struct VectorOf<fp4_t, kWidth> {
    typedef Pack<uint8_t, kWidth / 2> Type;
};
template <typename T, int kWidth>
using Vector = typename VectorOf<T, kWidth>::Type;

/// The four low bytes.
__device__ inline uint32_t lowBytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

__device__ inline uint32_t lowPair(float low, float high, half_t) {
#ifdef __CUDA_ARCH__
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
#else
    return fromFloat<half_t>(low).bits | static_cast<uint32_t>(fromFloat<half_t>(high).bits) << 16;
#endif
}
__device__ inline uint32_t lowPair(float low, float high, bfloat16_t) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
#else
    return fromFloat<bfloat16_t>(low).bits |
           static_cast<uint32_t>(fromFloat<bfloat16_t>(high).bits) << 16;
#endif
}

template <typename T, int kWidth>
__device__ inline Pack<T, kWidth> elementsOf(float const (&from)[kWidth]) {
    Pack<T, kWidth> to;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        to.at[i] = elementOf<T>(from[i]);
    }
    return to;
}
template <typename T, int kWidth>
__device__ inline void numbersOf(Pack<T, kWidth> const& from, float (&to)[kWidth]) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
        to[i] = toFloat(from.at[i]);
    }
}

/// decode() and encode() of vectors.
template <typename T>
struct Coded {
    template <int kWidth>
    __device__ static void decode(Pack<T, kWidth> const& from, float (&to)[kWidth]) {
        numbersOf(from, to);
    }
    template <int kWidth>
    __device__ static Pack<T, kWidth> encode(float const (&from)[kWidth]) {
        return elementsOf<T>(from);
    }
};

template <typename T>
struct CodedPairs {
    template <int kWidth>
    __device__ static void decode(Pack<T, kWidth> const& from, float (&to)[kWidth]) {
        numbersOf(from, to);
    }
    template <int kWidth>
    __device__ static Pack<T, kWidth> encode(float const (&from)[kWidth]) {
        Pack<uint32_t, kWidth / 2> to;
#pragma unroll
        for (int i = 0; i < kWidth / 2; ++i) {
            to.at[i] = lowPair(from[2 * i], from[2 * i + 1], T{});
        }
        return reinterpret_cast<Pack<T, kWidth> const&>(to);
    }
};
template <>
struct Coded<half_t> : CodedPairs<half_t> {};
template <>
struct Coded<bfloat16_t> : CodedPairs<bfloat16_t> {};

/// Integers of 8 bits; kFlip makes them unsigned.
template <typename T, uint32_t kFlip>
struct CodedBytes {
    template <int kWidth>
    __device__ static void decode(Pack<T, kWidth> const& from, float (&to)[kWidth]) {
        static_assert(kWidth % 4 == 0, "whole words");
        auto const& words = reinterpret_cast<Pack<uint32_t, kWidth / 4> const&>(from);
        constexpr float kOffset = 8388608.0F + static_cast<float>(kFlip & 255U);
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            uint32_t const word = words.at[i / 4] ^ kFlip;
            to[i] = __uint_as_float(__byte_perm(word, 0x4b000000U, 0x7650U + i % 4)) - kOffset;
        }
    }
    template <int kWidth>
    __device__ static Pack<T, kWidth> encode(float const (&from)[kWidth]) {
        return elementsOf<T>(from);
    }
    /// Of the low bits of words.
    template <int kWidth>
    __device__ static Pack<T, kWidth> ofBits(uint32_t const (&bits)[kWidth]) {
        Pack<uint32_t, kWidth / 4> to;
#pragma unroll
        for (int i = 0; i < kWidth; i += 4) {
            to.at[i / 4] = lowBytes(bits[i], bits[i + 1], bits[i + 2], bits[i + 3]);
        }
        return reinterpret_cast<Pack<T, kWidth> const&>(to);
    }
};
template <>
struct Coded<int8_t> : CodedBytes<int8_t, 0x80808080U> {};
template <>
struct Coded<uint8_t> : CodedBytes<uint8_t, 0U> {};

template <>
struct Coded<fp8_t> {
    template <int kWidth>
    __device__ static void decode(Pack<fp8_t, kWidth> const& from, float (&to)[kWidth]) {
#ifdef KILN_FP8_UNITS
#pragma unroll
        for (int i = 0; i < kWidth; i += 2) {
            uint16_t const two = static_cast<uint16_t>(from.at[i].bits | from.at[i + 1].bits << 8);
            uint32_t halves;
            asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(two));
            to[i] = toFloat(half_t{static_cast<uint16_t>(halves)});
            to[i + 1] = toFloat(half_t{static_cast<uint16_t>(halves >> 16)});
        }
#else
        numbersOf(from, to);
#endif
    }
    template <int kWidth>
    __device__ static Pack<fp8_t, kWidth> encode(float const (&from)[kWidth]) {
#ifdef KILN_FP8_UNITS
        Pack<uint16_t, kWidth / 2> to;
#pragma unroll
        for (int i = 0; i < kWidth / 2; ++i) {
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
                : "=h"(to.at[i])
                : "f"(from[2 * i + 1]), "f"(from[2 * i]));
        }
        return reinterpret_cast<Pack<fp8_t, kWidth> const&>(to);
#else
        return elementsOf<fp8_t>(from);
#endif
    }
};

/// Elements of 4 bits.
template <typename T>
struct CodedNibbles {
    template <int kWidth>
    __device__ static void decode(Pack<uint8_t, kWidth / 2> const& from, float (&to)[kWidth]) {
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            to[i] = Nibble<T>::decode(from.at[i / 2] >> i % 2 * 4 & 15U);
        }
    }
    template <int kWidth>
    __device__ static Pack<uint8_t, kWidth / 2> encode(float const (&from)[kWidth]) {
        Pack<uint8_t, kWidth / 2> to;
#pragma unroll
        for (int i = 0; i < kWidth; i += 2) {
            to.at[i / 2] = static_cast<uint8_t>(Nibble<T>::encode(from[i]) |
                                                Nibble<T>::encode(from[i + 1]) << 4);
        }
        return to;
    }
    template <int kWidth>
    __device__ static Pack<uint8_t, kWidth / 2> ofBits(uint32_t const (&bits)[kWidth]) {
        Pack<uint8_t, kWidth / 2> to;
#pragma unroll
        for (int i = 0; i < kWidth; i += 2) {
            to.at[i / 2] = static_cast<uint8_t>((bits[i] & 15U) | bits[i + 1] << 4);
        }
        return to;
    }
};
template <>
struct Coded<int4_t> : CodedNibbles<int4_t> {};
template <>
struct Coded<fp4_t> : CodedNibbles<fp4_t> {};
