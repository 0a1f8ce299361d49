// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace kiln::targets::cuda {

/// A divisor in the layout of kernels/fast_divide.cuh.
struct FastDivide {
    int64_t divisor = 1;
    uint32_t multiplier = 1U << 31;
    uint32_t shift = 0;
};

/// For dividends from 0 to 2^31 - 1: n / d = high word of (2n * multiplier), shifted right. Exact,
/// because multiplier * d exceeds 2^(31 + shift) by less than d <= 2^shift. For divisors from 2^31
/// on, kernels use only the divisor. A divisor of 0 belongs to an empty tensor and is never used.
constexpr FastDivide fastDivide(int64_t divisor) noexcept {
    if (divisor < 1 || divisor > INT32_MAX) {
        return {divisor, 0, 0};
    }
    auto const d = static_cast<uint64_t>(divisor);
    auto const shift = static_cast<uint32_t>(std::bit_width(d - 1));
    uint64_t const multiplier = ((uint64_t{1} << (31 + shift)) + d - 1) / d;
    return {divisor, static_cast<uint32_t>(multiplier), shift};
}

} // namespace kiln::targets::cuda
