// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/checked.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::test {
namespace {

TEST(Checked, OverflowNamesTheQuantity) {
    int64_t const most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(checkedMul<int64_t>(6, 7, "x"), 42);
    EXPECT_EQ(checkedAdd<int64_t>(most, 0, "x"), most);
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [=] { checkedMul<int64_t>(most, 2, "bytes of 'w'"); }),
        testing::HasSubstr("bytes of 'w': 9223372036854775807 x 2 overflows"));
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [=] { checkedAdd<int64_t>(most, 1, "bytes of 'w'"); }),
        testing::HasSubstr("9223372036854775807 + 1 overflows"));
}

TEST(Checked, RoundUpToPowersOfTwo) {
    EXPECT_EQ(roundUp(0, 64), 0U);
    EXPECT_EQ(roundUp(1, 64), 64U);
    EXPECT_EQ(roundUp(64, 64), 64U);
    EXPECT_EQ(roundUp(65, 64), 128U);
}

} // namespace
} // namespace kiln::test
