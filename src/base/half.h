// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace kiln {

/// Converts IEEE binary16 to binary32 exactly, including subnormals.
constexpr float halfToFloat(uint16_t bits) noexcept {
    uint32_t const sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
    uint32_t const rest = bits & 0x7FFFU;
    if (rest >= 0x7C00U) { // infinity, NaN
        return std::bit_cast<float>(sign | 0x7F800000U | ((rest & 0x3FFU) << 13));
    }
    // The shifted bits are the value times 2^-112. One exact product corrects the exponent of
    // normal and subnormal numbers.
    float const scaled = std::bit_cast<float>(rest << 13) * 0x1p112F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

/// Converts IEEE binary32 to binary16, rounding to nearest even. Overflow gives infinity; NaN stays
/// NaN.
constexpr uint16_t floatToHalf(float value) noexcept {
    uint32_t const bits = std::bit_cast<uint32_t>(value);
    auto const sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
    uint32_t const rest = bits & 0x7FFFFFFFU;
    if (rest > 0x7F800000U) {
        return static_cast<uint16_t>(sign | 0x7E00U);
    }
    if (rest >= 0x477FF000U) { // values from 65520 round to infinity
        return static_cast<uint16_t>(sign | 0x7C00U);
    }
    if (rest < 0x38800000U) { // below 2^-14: a subnormal half, rounded by the addition
        float const shifted = std::bit_cast<float>(rest) + 0.5F;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3F000000U));
    }
    uint32_t const odd = (rest >> 13) & 1U;
    return static_cast<uint16_t>(sign | ((rest + 0xC8000FFFU + odd) >> 13));
}

/// Storage of one binary16 value; arithmetic is done in float.
struct Half {
    uint16_t bits = 0;

    constexpr Half() = default;
    constexpr explicit Half(float value) noexcept : bits(floatToHalf(value)) {}
    constexpr explicit operator float() const noexcept { return halfToFloat(bits); }
};
static_assert(sizeof(Half) == 2);

} // namespace kiln
