// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/dims.h"

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

TEST(Dims, TextNeverReadsPastTheArray) {
    EXPECT_EQ(toText(makeDims({2, 3, -1})), "[2,3,-1]");
    EXPECT_EQ(toText(makeDims({})), "[]");
    EXPECT_EQ(toText(Dims{-1, {}}), "[rank -1]");
    EXPECT_EQ(toText(Dims{1000, {}}), "[rank 1000]");
}

TEST(Dims, EqualityLooksAtTheRankOnly) {
    EXPECT_TRUE(sameDims(Dims{1, {3, 9}}, Dims{1, {3, 7}}));
    EXPECT_FALSE(sameDims(makeDims({3}), makeDims({3, 1})));
    EXPECT_TRUE(sameDims(Dims{-1, {}}, Dims{-1, {}}));
}

TEST(Dims, VolumeIsChecked) {
    EXPECT_EQ(volume(makeDims({}), "x"), 1);
    EXPECT_EQ(volume(makeDims({3, 0, 5}), "x"), 0);
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument,
                [] { volume(makeDims({int64_t{1} << 40, int64_t{1} << 40}), "input 'x'"); }),
        HasSubstr("input 'x'"));
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [] { volume(makeDims({2, -1}), "input 'x'"); }),
        HasSubstr("input 'x': expected every extent to be 0 or more, got [2,-1]"));
}

TEST(Dims, RankIsChecked) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { checkDims(Dims{9, {}}, 0, "x"); }),
                HasSubstr("expected 0 to 8 dimensions, got 9"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { makeDims({1, 1, 1, 1, 1, 1, 1, 1, 1}); }),
                HasSubstr("expected at most 8 dimensions, got 9"));
}

} // namespace
} // namespace kiln::test
