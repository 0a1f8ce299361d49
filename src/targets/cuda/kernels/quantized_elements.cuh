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

/// Whether no step of a division by the scale, by way of its inverse, leaves the range of float.
__device__ inline bool isNormalScale(float scale) {
    float const size = fabsf(scale);
    return size > 1e-18F && size < 1e18F;
}

/// The number that an element of T gets. A product with 1 / scale whose error is removed is the
/// rounded quotient (Markstein, IBM Journal of Research and Development 34, 1990), and costs a
/// third of a division if several numbers have one scale.
template <typename T>
__device__ inline float quantizedNumber(float x, float scale, float zero) {
    if constexpr (Quantized<T>::kWhole) {
        constexpr float kWholeFrom = 12582912.0F; // sums with it are whole, ties to even
        if (isNormalScale(scale)) {
            float const inverse = 1.0F / scale;
            float const least = (Quantized<T>::kLeast - zero) * scale;
            float const most = (Quantized<T>::kMost - zero) * scale;
            float const held = fminf(fmaxf(x, fminf(least, most)), fmaxf(least, most));
            float const near = held * inverse;
            float const quotient = fmaf(fmaf(-near, scale, held), inverse, near);
            return x == x ? (quotient + kWholeFrom) - kWholeFrom + zero : 0.0F;
        }
        float const rounded = rintf(x / scale) + zero;
        float const low = rounded < Quantized<T>::kLeast ? Quantized<T>::kLeast : rounded;
        float const both = low > Quantized<T>::kMost ? Quantized<T>::kMost : low;
        return both == both ? both : 0.0F;
    } else {
        return x / scale + zero;
    }
}

/// For chains: numbers of kernels/numbers.cuh.
template <typename T>
__device__ inline auto quantized(float x, float scale, float zero = 0.0F) {
    float const number = quantizedNumber<T>(x, scale, zero);
    if constexpr (Quantized<T>::kWhole && sizeof(T) == 1) {
        // The low bits of the sum are those of the number, which is within the limits.
        return static_cast<T>(__float_as_uint(number + 12582912.0F) & 255U);
    } else {
        return numberOf(elementOf<T>(number));
    }
}
template <typename T>
__device__ inline float dequantized(float x, float scale, float zero = 0.0F) {
    return numberOf(elementOf<T>((x - zero) * scale));
}
