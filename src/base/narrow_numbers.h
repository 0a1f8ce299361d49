// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of 8 and 4 bits. Conversions from float round to nearest, ties to even, and saturate,
// unless stated otherwise. Formats: OCP 8-bit Floating Point Specification 1.0 (E4M3) and OCP
// Microscaling Formats Specification 1.0 (E2M1, E8M0).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace kiln {

/// E4M3 without infinities: up to 448; 0x7F and 0xFF are NaN.
constexpr float fp8ToFloat(uint8_t bits) noexcept {
    uint32_t const sign = (bits & 0x80U) << 24;
    uint32_t const rest = bits & 0x7FU;
    if (rest == 0x7FU) {
        return std::bit_cast<float>(sign | 0x7FC00000U);
    }
    // The shifted bits are the value times 2^-120; the product is exact, subnormals included.
    float const scaled = std::bit_cast<float>(rest << 20) * 0x1p120F;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}

constexpr uint8_t floatToFp8(float value) noexcept {
    uint32_t const bits = std::bit_cast<uint32_t>(value);
    uint32_t const sign = bits >> 24 & 0x80U;
    uint32_t const rest = bits & 0x7FFFFFFFU;
    if (rest > 0x7F800000U) {
        return static_cast<uint8_t>(sign | 0x7FU);
    }
    if (rest >= 0x43E00000U) { // 448
        return static_cast<uint8_t>(sign | 0x7EU);
    }
    if (rest < 0x3C800000U) { // below 2^-6: a subnormal, rounded by the addition of 2^14
        float const shifted = std::bit_cast<float>(rest) + 16384.0F;
        return static_cast<uint8_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x46800000U));
    }
    uint32_t const odd = rest >> 20 & 1U;
    return static_cast<uint8_t>(sign | (((rest + 0x7FFFFU + odd) >> 20) - (120U << 3)));
}

/// A power of two, 2^-127 to 2^127; 0xFF is NaN.
constexpr float e8m0ToFloat(uint8_t bits) noexcept {
    return bits == 0xFFU ? std::bit_cast<float>(0x7FC00000U)
           : bits == 0   ? 0x1p-127F
                         : std::bit_cast<float>(static_cast<uint32_t>(bits) << 23);
}

/// The next power of two that is not smaller than the magnitude.
constexpr uint8_t floatToE8m0(float value) noexcept {
    uint32_t const rest = std::bit_cast<uint32_t>(value) & 0x7FFFFFFFU;
    if (rest > 0x7F800000U) {
        return 0xFFU;
    }
    if (rest < 0x00800000U) { // below 2^-126
        return rest > 0x00400000U ? 1 : 0;
    }
    return static_cast<uint8_t>(std::min((rest + 0x7FFFFFU) >> 23, 254U));
}

/// E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, in the low 4 bits.
constexpr float fp4ToFloat(uint8_t bits) noexcept {
    constexpr std::array<float, 8> kValues{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
    float const magnitude = kValues[bits & 7U];
    return (bits & 8U) != 0 ? -magnitude : magnitude;
}

/// NaN gives 6.
constexpr uint8_t floatToFp4(float value) noexcept {
    uint32_t const bits = std::bit_cast<uint32_t>(value);
    float const x = std::bit_cast<float>(bits & 0x7FFFFFFFU);
    if (x != x) {
        return 7;
    }
    unsigned const code = x <= 0.25F   ? 0U
                          : x < 0.75F  ? 1U
                          : x <= 1.25F ? 2U
                          : x < 1.75F  ? 3U
                          : x <= 2.5F  ? 4U
                          : x < 3.5F   ? 5U
                          : x <= 5.0F  ? 6U
                                       : 7U;
    return static_cast<uint8_t>(code | (bits >> 28 & 8U));
}

/// Two's complement, -8 to 7, in the low 4 bits.
constexpr int32_t int4ToInt(uint8_t bits) noexcept {
    return static_cast<int32_t>((bits & 15U) ^ 8U) - 8;
}

/// Storage of one E4M3 number; arithmetic is done in float.
struct Float8 {
    uint8_t bits = 0;

    constexpr Float8() = default;
    constexpr explicit Float8(float value) noexcept : bits(floatToFp8(value)) {}
    constexpr explicit operator float() const noexcept { return fp8ToFloat(bits); }
};

/// Storage of one E8M0 number.
struct PowerOfTwo8 {
    uint8_t bits = 0;

    constexpr PowerOfTwo8() = default;
    constexpr explicit PowerOfTwo8(float value) noexcept : bits(floatToE8m0(value)) {}
    constexpr explicit operator float() const noexcept { return e8m0ToFloat(bits); }
};

/// Element `index` of packed elements of 4 bits: the first of a byte has its low bits.
inline uint8_t nibbleAt(void const* data, int64_t index) noexcept {
    uint8_t const byte = static_cast<uint8_t const*>(data)[index / 2];
    return static_cast<uint8_t>(byte >> (index % 2 * 4) & 15U);
}

} // namespace kiln
