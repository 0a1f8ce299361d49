// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels with broadcasting read besides their operands. Host and kernels share this file.
#pragma once

#ifdef __CUDACC_RTC__
#include "prelude.cuh"
#else
#include <cstdint>
#endif

namespace kiln::backends::cuda {

/// A number that others, below 2^31, are divided by: the quotient of n is
/// (n * multiplier / 2^32 + n) >> shift. Source: Granlund and Montgomery, Division by Invariant
/// Integers using Multiplication, 1994.
struct Divisor {
    uint32_t value;
    uint32_t multiplier;
    uint32_t shift;
};

/// Nested loops over a dense result, outermost first, and the strides of the operands along them,
/// in elements. Along the innermost loop strides are 0 or 1.
template <int kOperands>
struct BroadcastArguments {
    static constexpr int kMaxLoops = 8;

    int64_t count; ///< elements of the result
    int32_t loops;
    /// Of the extents; of the innermost loop in vectors of the function that is launched.
    Divisor divisors[kMaxLoops];
    int64_t extents[kMaxLoops];
    int64_t strides[kOperands][kMaxLoops];
};

} // namespace kiln::backends::cuda
