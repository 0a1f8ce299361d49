// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace kiln::targets::cpu {

/// Columns of a piece of a matrix that a product reads once.
constexpr int64_t kStreamColumns = 32;

/// int4, int8 and uint8.
enum class NarrowKind : uint8_t { kNibbles, kSigned, kUnsigned };
constexpr int32_t kNarrowKinds = 3;

/// Bytes of a row of a piece. The first half of the columns are the low bits of nibbles.
constexpr int64_t narrowRowBytes(NarrowKind kind) noexcept {
    return kind == NarrowKind::kNibbles ? kStreamColumns / 2 : kStreamColumns;
}

/// kStreamColumns columns of a matrix of whole numbers with scales for blocks of the inner axis.
struct NarrowPiece {
    uint8_t const* numbers = nullptr; ///< [inner][kStreamColumns]
    float const* scales = nullptr;    ///< [inner / block, rounded up][kStreamColumns]
    int64_t inner = 0;
    int64_t block = 1; ///< at least 1
};

} // namespace kiln::targets::cpu
