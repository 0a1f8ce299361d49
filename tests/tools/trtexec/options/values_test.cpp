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

TEST(ParseWeightBudget, ReadsBytesAndPercentages) {
    using Kind = WeightBudget::Kind;
    auto const amount = [](char const* text) {
        return parseWeightBudget("--weightStreamingBudget", text).amount;
    };
    EXPECT_EQ(parseWeightBudget("", "-2").kind, Kind::kAll);
    EXPECT_EQ(parseWeightBudget("", "-1").kind, Kind::kAutomatic);
    EXPECT_EQ(parseWeightBudget("", "25%").kind, Kind::kPercent);
    EXPECT_EQ(amount("25%"), 25);
    EXPECT_EQ(parseWeightBudget("", "7").kind, Kind::kBytes);
    EXPECT_EQ(amount("7"), 7);
    EXPECT_EQ(amount("7B"), 7);
    EXPECT_EQ(amount("1.5K"), 1536);
    EXPECT_EQ(amount("2M"), 2 << 20);
    EXPECT_EQ(amount("1G"), 1 << 30);
    for (char const* text : {"", "-3", "101%", "x", "K", "%", "1T"}) {
        EXPECT_NE(failureText([&] { amount(text); }), "") << text;
    }
}

size_t workspaceOf(char const* text) {
    std::map<nvinfer1::MemoryPoolType, size_t> pools;
    parseMemoryPools("--memPoolSize", text, pools);
    return pools.at(nvinfer1::MemoryPoolType::kWORKSPACE);
}

TEST(ParseMemoryPools, ReadsUnits) {
    EXPECT_EQ(workspaceOf("workspace:2"), size_t{2} << 20);
    EXPECT_EQ(workspaceOf("workspace:2M"), size_t{2} << 20);
    EXPECT_EQ(workspaceOf("workspace:1.5K"), 1536U);
    EXPECT_EQ(workspaceOf("workspace:7B"), 7U);
    EXPECT_EQ(workspaceOf("workspace:1G"), size_t{1} << 30);
}

TEST(ParseMemoryPools, ReadsSeveral) {
    std::map<nvinfer1::MemoryPoolType, size_t> pools;
    parseMemoryPools("--memPoolSize", "workspace:1,dlaSRAM:2K,tacticSharedMem:3B", pools);
    EXPECT_EQ(pools.size(), 3U);
    EXPECT_EQ(pools.at(nvinfer1::MemoryPoolType::kDLA_MANAGED_SRAM), 2048U);
    EXPECT_EQ(pools.at(nvinfer1::MemoryPoolType::kTACTIC_SHARED_MEMORY), 3U);
}

TEST(ParseMemoryPools, RefusesTheRest) {
    for (char const* text : {"", "64", "sram:1", "workspace:", "workspace:1T", "workspace:M",
                             "workspace:-1", "workspace:1e300", "workspace:1,"}) {
        EXPECT_NE(failureText([&] { workspaceOf(text); }), "") << text;
    }
    EXPECT_EQ(failureText([] { workspaceOf("sram:1"); }),
              "[options] --memPoolSize: expected one of workspace, tacticSharedMem, dlaSRAM, "
              "dlaLocalDRAM, dlaGlobalDRAM, got 'sram'");
}

TEST(ParseCountUpTo, KeepsTheBounds) {
    EXPECT_EQ(parseCountUpTo("--n", "5", 0, 5), 5);
    EXPECT_EQ(failureText([] { parseCountUpTo("--n", "6", 0, 5); }),
              "[options] --n: expected an integer from 0 to 5, got '6'");
}

} // namespace
} // namespace kiln::trtexec
