// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>

#include "base/error.h"

namespace kiln {

/// Arithmetic on sizes that come from users or files. An overflow throws an error that names the
/// quantity.
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

/// Rounds `value` up to a multiple of `unit`, a power of two.
constexpr std::size_t roundUp(std::size_t value, std::size_t unit) {
    return (value + unit - 1) & ~(unit - 1);
}

} // namespace kiln
