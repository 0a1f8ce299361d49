// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/half.h"

namespace kiln::targets::cpu {

/// The type that kernels compute in: float for float32, float16 and bfloat16; integers unchanged.
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

/// Converts float to integer: truncates, saturates at the limits, and maps NaN to 0. (A plain cast
/// is undefined there.)
template <typename Int>
Int truncateTo(float value) noexcept {
    // The maximum as a float may round up to a power of two that is out of range, so use >=.
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

/// The minimum number of items for one thread if each item takes `stepsPerItem` elementary steps.
/// Below some ten thousand steps, starting a thread costs more than it saves.
inline int64_t grainFor(int64_t stepsPerItem) noexcept {
    constexpr int64_t kStepsPerThread = 32768;
    return std::max<int64_t>(1, kStepsPerThread / std::max<int64_t>(1, stepsPerItem));
}

} // namespace kiln::targets::cpu
