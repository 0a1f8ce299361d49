// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/performance.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace kiln::trtexec {
namespace {

using testing::HasSubstr;

TEST(StatisticsText, IsTheLineThatScriptsRead) {
    EXPECT_EQ(statisticsText({1, 2, 3}, {90, 99.5}),
              "min = 1 ms, max = 3 ms, mean = 2 ms, median = 2 ms, percentile(90%) = 3 ms, "
              "percentile(99.5%) = 3 ms");
}

std::string reportOf(std::vector<Query> const& runs) {
    Logger logger;
    ReportingOptions options;
    options.percentiles = {90};
    options.avgRuns = 2;
    testing::internal::CaptureStdout();
    reportPerformance(runs, options, logger);
    return testing::internal::GetCapturedStdout();
}

TEST(ReportPerformance, PrintsTheSummary) {
    std::string const text = reportOf({{0, 1, 1, 0, 1}, {2, 5, 5, 0, 3}});
    EXPECT_THAT(text, HasSubstr("=== Performance summary ==="));
    EXPECT_THAT(text, HasSubstr("Throughput: 400 qps"));
    EXPECT_THAT(text, HasSubstr("Latency: min = 1 ms, max = 3 ms, mean = 2 ms, median = 2 ms, "
                                "percentile(90%) = 3 ms"));
    EXPECT_THAT(text, HasSubstr("H2D Latency: min = 0 ms, max = 0 ms"));
    EXPECT_THAT(text, HasSubstr("GPU Compute Time: min = 1 ms"));
    EXPECT_THAT(text, HasSubstr("Total Host Walltime: 0.005 s"));
    EXPECT_THAT(text, HasSubstr("Total GPU Compute Time: 0.004 s"));
    EXPECT_THAT(text, HasSubstr("Average on 2 runs - GPU latency: 2 ms"));
}

TEST(ReportPerformance, KeepsTheTraceShort) {
    std::vector<Query> runs;
    for (int i = 0; i < 1000; ++i) {
        runs.push_back({i * 1.0, i + 0.5, i + 0.5});
    }
    std::string const text = reportOf(runs);
    size_t lines = 0;
    for (size_t at = 0; (at = text.find("Average on 100 runs", at)) != std::string::npos; ++at) {
        ++lines;
    }
    EXPECT_EQ(lines, 10U);
}

TEST(ReportPerformance, CountsCopiesAsLatency) {
    std::string const text = reportOf({{0, 0.5, 9, 2, 4, 1}, {10, 10.5, 19, 2, 4, 1}});
    EXPECT_THAT(text, HasSubstr("Latency: min = 7 ms, max = 7 ms"));
    EXPECT_THAT(text, HasSubstr("H2D Latency: min = 2 ms"));
    EXPECT_THAT(text, HasSubstr("GPU Compute Time: min = 4 ms"));
    EXPECT_THAT(text, HasSubstr("D2H Latency: min = 1 ms"));
    EXPECT_THAT(text, HasSubstr("GPU latency: 4 ms - Host latency: 7 ms (enqueue 0.5 ms)"));
}

TEST(TimesAsJson, HasOneObjectPerRun) {
    auto const list = nlohmann::json::parse(timesAsJson({{0, 1, 1, 0, 1}, {2, 5, 5, 0, 3}}));
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[1]["startEnqMs"], 2.0);
    EXPECT_EQ(list[1]["computeMs"], 3.0);
    EXPECT_EQ(list[1]["h2dMs"], 0);
}

} // namespace
} // namespace kiln::trtexec
