// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers that elements represent: float for float, half, bfloat16, fp8 and e8m0; 0 or 1 for
// bool; integers unchanged.
#pragma once

#include "narrow_numbers.cuh"
#include "prelude.cuh"

__device__ inline float numberOf(float value) {
    return value;
}
__device__ inline float numberOf(half_t value) {
    return toFloat(value);
}
__device__ inline float numberOf(bfloat16_t value) {
    return toFloat(value);
}
__device__ inline float numberOf(fp8_t value) {
    return toFloat(value);
}
__device__ inline float numberOf(e8m0_t value) {
    return toFloat(value);
}
__device__ inline int8_t numberOf(int8_t value) {
    return value;
}
__device__ inline uint8_t numberOf(uint8_t value) {
    return value;
}
__device__ inline int32_t numberOf(int32_t value) {
    return value;
}
__device__ inline int64_t numberOf(int64_t value) {
    return value;
}
__device__ inline uint8_t numberOf(bool_t value) {
    return value.bits != 0 ? 1 : 0;
}

/// Integer properties of T: its limits, and the unsigned type of its size, whose arithmetic wraps.
template <typename T>
struct Integers {
    static constexpr bool kAre = false;
};

template <typename T, typename U, T kLowest, T kHighest>
struct IntegersOf {
    static constexpr bool kAre = true;
    typedef U Unsigned;
    static constexpr T kMin = kLowest;
    static constexpr T kMax = kHighest;
};

template <>
struct Integers<int8_t> : IntegersOf<int8_t, uint8_t, -128, 127> {};
template <>
struct Integers<uint8_t> : IntegersOf<uint8_t, uint8_t, 0, 255> {};
template <>
struct Integers<int32_t> : IntegersOf<int32_t, uint32_t, -2147483647 - 1, 2147483647> {};
template <>
struct Integers<int64_t>
    : IntegersOf<int64_t, uint64_t, -9223372036854775807LL - 1, 9223372036854775807LL> {};

/// Truncates, saturates at the limits, and maps NaN to 0.
template <typename T>
__device__ inline T truncateTo(float value) {
    // The maximum as a float may round up to a power of two that is out of range, so use >=.
    if (value >= static_cast<float>(Integers<T>::kMax)) {
        return Integers<T>::kMax;
    }
    if (value <= static_cast<float>(Integers<T>::kMin)) {
        return Integers<T>::kMin;
    }
    return value != value ? T{0} : static_cast<T>(value);
}

/// elementOf<T>(number): rounded once for half and bfloat16, the low bits of a wider integer, 0 or
/// 1 for bool.
template <typename T>
struct ElementOf {
    template <typename Number>
    static __device__ T convert(Number number) {
        if constexpr (!Integers<T>::kAre) {
            return fromFloat<T>(static_cast<float>(number));
        } else {
            return static_cast<T>(number);
        }
    }
    static __device__ T convert(float number) {
        if constexpr (Integers<T>::kAre) {
            return truncateTo<T>(number);
        } else {
            return fromFloat<T>(number);
        }
    }
};

template <>
struct ElementOf<bool_t> {
    template <typename Number>
    static __device__ bool_t convert(Number number) {
        return {static_cast<uint8_t>(number != Number{0})};
    }
};

template <typename T, typename Number>
__device__ inline T elementOf(Number number) {
    return ElementOf<T>::convert(number);
}
