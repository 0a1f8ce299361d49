// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.h"

#include <numeric>

#include <gmock/gmock.h>

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;

TEST(Percentile, IsTheNearestRank) {
    std::vector<double> sorted(100);
    std::iota(sorted.begin(), sorted.end(), 1);
    EXPECT_EQ(percentile(sorted, 0), 1);
    EXPECT_EQ(percentile(sorted, 1), 1);
    EXPECT_EQ(percentile(sorted, 90), 90);
    EXPECT_EQ(percentile(sorted, 99.5), 100);
    EXPECT_EQ(percentile(sorted, 100), 100);
    EXPECT_EQ(percentile({7}, 50), 7);
}

TEST(Summarize, SortsFirst) {
    Statistics const s = summarize({3, 1, 2, 10}, {50, 75, 99});
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.max, 10);
    EXPECT_EQ(s.mean, 4);
    EXPECT_EQ(s.median, 2.5);
    EXPECT_THAT(s.percentiles, ElementsAre(2, 3, 10));
}

TEST(Summarize, TakesTheMiddleOfAnOddCount) {
    EXPECT_EQ(summarize({5, 1, 3}, {}).median, 3);
}

} // namespace
} // namespace kiln::trtexec
