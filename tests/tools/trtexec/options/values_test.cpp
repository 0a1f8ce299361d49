// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/values.h"

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;

TEST(ParseCount, ReadsWholeNumbers) {
    EXPECT_EQ(parseCount("--iterations", "12", 1), 12);
    for (char const* text : {"", "0", "1.5", "x", "1 ", "99999999999999999999"}) {
        EXPECT_EQ(failureText([&] { parseCount("--iterations", text, 1); }),
                  std::string("[options] --iterations: expected an integer of at least 1, got '") +
                      text + "'");
    }
}

TEST(ParseAmount, ReadsFiniteNumbers) {
    EXPECT_EQ(parseAmount("--warmUp", "0.25"), 0.25);
    EXPECT_EQ(parseAmount("--warmUp", "0"), 0);
    for (char const* text : {"", "-1", "nan", "inf", "1e999", "1s"}) {
        EXPECT_EQ(failureText([&] { parseAmount("--warmUp", text); }),
                  std::string("[options] --warmUp: expected a number that is not negative, got '") +
                      text + "'");
    }
}

TEST(ParsePercentiles, ReadsAList) {
    EXPECT_THAT(parsePercentiles("--percentile", "0,50.5,100"), ElementsAre(0, 50.5, 100));
    EXPECT_EQ(failureText([] { parsePercentiles("--percentile", "101"); }),
              "[options] --percentile: expected percentiles from 0 to 100, got 101");
    EXPECT_NE(failureText([] { parsePercentiles("--percentile", "90,"); }), "");
}

TEST(ParseWorkspace, ReadsUnits) {
    EXPECT_EQ(parseWorkspace("--memPoolSize", "workspace:2"), size_t{2} << 20);
    EXPECT_EQ(parseWorkspace("--memPoolSize", "workspace:2M"), size_t{2} << 20);
    EXPECT_EQ(parseWorkspace("--memPoolSize", "workspace:1.5K"), 1536U);
    EXPECT_EQ(parseWorkspace("--memPoolSize", "workspace:7B"), 7U);
    EXPECT_EQ(parseWorkspace("--memPoolSize", "workspace:1G"), size_t{1} << 30);
}

TEST(ParseWorkspace, RefusesTheRest) {
    for (char const* text : {"", "64", "dlaSRAM:1", "workspace:", "workspace:1T", "workspace:M",
                             "workspace:-1", "workspace:1e300"}) {
        EXPECT_NE(failureText([&] { parseWorkspace("--memPoolSize", text); }), "") << text;
    }
}

} // namespace
} // namespace kiln::trtexec
