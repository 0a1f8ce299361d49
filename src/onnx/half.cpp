// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/half.h"

#include <bit>
#include <cmath>

namespace kiln::onnx {

float halfToFloat(uint16_t bits) {
    uint32_t const sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
    uint32_t const exponent = (bits >> 10) & 0x1FU;
    uint32_t const fraction = bits & 0x3FFU;
    if (exponent == 0x1FU) { // infinity or NaN
        return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
    }
    if (exponent == 0) { // zero or subnormal: fraction * 2^-24 is exact in float
        float const magnitude = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (fraction << 13));
}

float bfloat16ToFloat(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t floatToHalf(float value) {
    auto const bits = std::bit_cast<uint32_t>(value);
    auto const sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
    float const magnitude = std::fabs(value);
    if (std::isnan(value)) {
        return sign | 0x7E00U;
    }
    if (magnitude >= 65520.0F) { // halfway to the value after the largest, 65504
        return sign | 0x7C00U;
    }
    if (magnitude < 0x1p-14F) { // subnormal: whole multiples of 2^-24
        return sign | static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
    }
    uint32_t const rebased = (bits & 0x7FFFFFFFU) - (112U << 23);
    uint32_t const rounded = rebased + 0xFFFU + ((rebased >> 13) & 1U);
    return sign | static_cast<uint16_t>(rounded >> 13);
}

uint16_t floatToBfloat16(float value) {
    auto const bits = std::bit_cast<uint32_t>(value);
    if (std::isnan(value)) {
        return static_cast<uint16_t>((bits >> 16) | 0x40U);
    }
    return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

} // namespace kiln::onnx
