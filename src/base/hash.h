// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace kiln {

/// 64-bit XXH3 of the bytes; guards plans against damage, not against forgery.
uint64_t hashBytes(ByteView bytes) noexcept;

} // namespace kiln
