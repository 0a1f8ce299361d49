// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/fast_divide.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

/// Divides as kernels/fast_divide.cuh does.
int32_t quotient(int32_t dividend, FastDivide const& by) {
    uint64_t const doubled = static_cast<uint32_t>(dividend) << 1;
    return static_cast<int32_t>(static_cast<uint32_t>(doubled * by.multiplier >> 32) >> by.shift);
}

TEST(FastDivide, IsExact) {
    for (int64_t bit = 0; bit < 31; ++bit) {
        for (int64_t divisor : {(int64_t{1} << bit) - 1, int64_t{1} << bit, (int64_t{1} << bit) + 1,
                                (int64_t{1} << bit) * 5 / 3}) {
            if (divisor < 1 || divisor > INT32_MAX) {
                continue;
            }
            FastDivide const by = fastDivide(divisor);
            EXPECT_EQ(by.divisor, divisor);
            for (int64_t const multiple : {int64_t{0}, int64_t{1}, int64_t{7}, INT32_MAX / divisor,
                                           INT32_MAX / divisor / 2}) {
                for (int64_t const near : {-1, 0, 1}) {
                    int64_t const dividend = multiple * divisor + near;
                    if (dividend >= 0 && dividend <= INT32_MAX) {
                        ASSERT_EQ(quotient(static_cast<int32_t>(dividend), by), dividend / divisor)
                            << dividend << " / " << divisor;
                    }
                }
            }
        }
    }
}

TEST(FastDivide, WideAndEmptyDivisors) {
    EXPECT_EQ(fastDivide(int64_t{1} << 40).divisor, int64_t{1} << 40);
    EXPECT_EQ(fastDivide(0).divisor, 0);
}

} // namespace
} // namespace kiln::targets::cuda
