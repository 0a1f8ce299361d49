// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace kiln {

/// 64-bit XXH3 of the bytes. Detects damage of plans, not forgery.
uint64_t hashBytes(ByteView bytes) noexcept;

/// 128-bit XXH3, for keys: the probability of a collision is negligible.
std::array<uint8_t, 16> hashBytes128(ByteView bytes) noexcept;

} // namespace kiln
