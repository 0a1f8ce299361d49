// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized numbers, one at a time. quantized_vectors.cuh has those of many neighbours.
#pragma once

#include "numbers.cuh"
#include "threads.cuh"

/// The limits of a quantized type; whole numbers are rounded before the zero point is added.
template <typename T>
struct Quantized {
    static constexpr bool kWhole = false;
    static constexpr float kLeast = 0.0F;
    static constexpr float kMost = 0.0F;
};
template <>
struct Quantized<int8_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = -128.0F;
    static constexpr float kMost = 127.0F;
};
template <>
struct Quantized<uint8_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = 0.0F;
    static constexpr float kMost = 255.0F;
};
template <>
struct Quantized<int4_t> {
    static constexpr bool kWhole = true;
    static constexpr float kLeast = -8.0F;
    static constexpr float kMost = 7.0F;
};

/// The number that an element of T gets.
template <typename T>
__device__ inline float quantizedNumber(float x, float scale, float zero) {
    float const quotient = x / scale;
    if constexpr (Quantized<T>::kWhole) {
        float const rounded = rintf(quotient) + zero;
        float const low = rounded < Quantized<T>::kLeast ? Quantized<T>::kLeast : rounded;
        float const both = low > Quantized<T>::kMost ? Quantized<T>::kMost : low;
        return both == both ? both : 0.0F;
    } else {
        return quotient + zero;
    }
}

/// For chains: numbers of kernels/numbers.cuh.
template <typename T>
__device__ inline auto quantized(float x, float scale, float zero = 0.0F) {
    return numberOf(elementOf<T>(quantizedNumber<T>(x, scale, zero)));
}
template <typename T>
__device__ inline float dequantized(float x, float scale, float zero = 0.0F) {
    return numberOf(elementOf<T>((x - zero) * scale));
}
