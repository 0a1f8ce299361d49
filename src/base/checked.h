// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include "base/error.h"

namespace kiln {

/// Arithmetic on sizes that come from users or files: an overflow is an error that names the
/// quantity, never a wrapped number.
template <std::integral T>
T checkedMul(T a, T b, std::string_view what) {
    T result{};
    if (__builtin_mul_overflow(a, b, &result)) {
        fail(ErrorKind::kInvalidArgument, "[size] {}: {} x {} overflows. Use smaller extents.",
             what, a, b);
    }
    return result;
}

template <std::integral T>
T checkedAdd(T a, T b, std::string_view what) {
    T result{};
    if (__builtin_add_overflow(a, b, &result)) {
        fail(ErrorKind::kInvalidArgument, "[size] {}: {} + {} overflows. Use smaller extents.",
             what, a, b);
    }
    return result;
}

/// The least multiple of `unit` (a power of two) that is not below `value`.
constexpr std::size_t roundUp(std::size_t value, std::size_t unit) {
    return (value + unit - 1) & ~(unit - 1);
}

} // namespace kiln
