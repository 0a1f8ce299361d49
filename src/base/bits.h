// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln {

/// Whether the bit of an enum member is set in a mask. False for numbers outside 0 to 31, which
/// callers may pass and by which a shift is undefined.
template <typename Enum>
constexpr bool hasBit(uint32_t mask, Enum member) noexcept {
    auto const number = static_cast<uint32_t>(member);
    return number < 32 && (mask >> number & 1U) != 0;
}

} // namespace kiln
