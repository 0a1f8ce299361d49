// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/half.h"

namespace kiln::backends::cpu {

/// Kernels compute in this type: float for float32, float16 and bfloat16, integers as they are.
template <typename T>
using ComputeType = std::conditional_t<std::is_integral_v<T>, T, float>;

template <typename T>
ComputeType<T> load(T value) noexcept {
    return static_cast<ComputeType<T>>(value);
}

template <typename T>
T store(ComputeType<T> value) noexcept {
    return static_cast<T>(value);
}

/// Floating point to integer as casts do it: the fraction is dropped, what is too large becomes the
/// nearest limit, NaN becomes 0. (A plain cast is undefined there.)
template <typename Int>
Int truncateTo(float value) noexcept {
    // The limits as floats may round up to a power of two that is one too many, hence >=.
    if (std::isnan(value)) {
        return 0;
    }
    if (value >= static_cast<float>(std::numeric_limits<Int>::max())) {
        return std::numeric_limits<Int>::max();
    }
    if (value <= static_cast<float>(std::numeric_limits<Int>::min())) {
        return std::numeric_limits<Int>::min();
    }
    return static_cast<Int>(value);
}

/// The least number of items for one thread, if an item is so many elementary steps of work. Below
/// some ten thousand steps starting a thread costs more than it saves.
inline int64_t grainFor(int64_t stepsPerItem) noexcept {
    constexpr int64_t kStepsPerThread = 32768;
    return std::max<int64_t>(1, kStepsPerThread / std::max<int64_t>(1, stepsPerItem));
}

} // namespace kiln::backends::cpu
