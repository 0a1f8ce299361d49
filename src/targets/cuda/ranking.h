// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host side of kernels/ranking.cuh.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "targets/cuda/kernel_source.h"

namespace kiln::targets::cuda {

constexpr int32_t kRankThreads = 512;

using Defines = std::vector<std::pair<std::string, std::string>>;

/// The macros for elements of a type; `isLong` if places do not fit 32 bits.
inline Defines rankingDefines(DataType type, bool isLong) {
    char const* const infinity = type == DataType::kFLOAT  ? "0x7f800000"
                                 : type == DataType::kHALF ? "0x7c00"
                                 : type == DataType::kBF16 ? "0x7f80"
                                                           : "0";
    return {{"T", moverTypeName(type)},
            {"KILN_INFINITY", infinity},
            {"KILN_UNSIGNED", type == DataType::kUINT8 ? "1" : "0"},
            {"KILN_LONG", isLong || bitsOf(type) == 64 ? "1" : "0"}};
}

/// Bytes of an entry.
inline int64_t entryBytes(DataType type, bool isLong) {
    return isLong || bitsOf(type) == 64 ? 16 : 8;
}

/// The smallest power of two that is at least `value`.
inline int64_t paddedCount(int64_t value) {
    return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(value < 1 ? 1 : value)));
}

} // namespace kiln::targets::cuda
