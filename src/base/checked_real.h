// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace kiln {

/// Throws unless the number is finite: neither infinite nor NaN.
inline double checkedFinite(double number, std::string_view what) {
    if (!std::isfinite(number)) {
        fail(ErrorKind::kInvalidArgument,
             "[size] {}: expected a finite number, got {}. Use smaller factors, and divide by "
             "numbers other than 0.",
             what, number);
    }
    return number;
}

/// Throws unless the number is an integer of 64 bits.
inline int64_t checkedInteger(double number, std::string_view what) {
    constexpr double kBeyond = 9223372036854775808.0; // 2 to the power of 63
    if (!(number >= -kBeyond && number < kBeyond) || std::trunc(number) != number) {
        fail(ErrorKind::kInvalidArgument,
             "[size] {}: expected an integer of 64 bits, got {}. Use smaller factors.", what,
             number);
    }
    return static_cast<int64_t>(number);
}

} // namespace kiln
