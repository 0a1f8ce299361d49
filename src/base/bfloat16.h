// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace kiln {

/// Storage of one bfloat16 value: the upper half of a binary32. Arithmetic is done in float.
struct BFloat16 {
    uint16_t bits = 0;

    constexpr BFloat16() = default;
    /// Rounds to nearest even; NaN stays NaN.
    constexpr explicit BFloat16(float value) noexcept : bits(round(value)) {}
    constexpr explicit operator float() const noexcept {
        return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    }

private:
    static constexpr uint16_t round(float value) noexcept {
        uint32_t const all = std::bit_cast<uint32_t>(value);
        if ((all & 0x7FFFFFFFU) > 0x7F800000U) {
            return static_cast<uint16_t>((all >> 16) | 0x40U);
        }
        return static_cast<uint16_t>((all + 0x7FFFU + ((all >> 16) & 1U)) >> 16);
    }
};
static_assert(sizeof(BFloat16) == 2);

} // namespace kiln
