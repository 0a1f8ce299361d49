// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/layer_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace kiln::trtexec {
namespace {

/// Three runs of two layers.
void report(LayerTimes& times) {
    for (float const ms : {1.0F, 2.0F, 6.0F}) {
        times.reportLayerTime("first", ms);
        times.reportLayerTime("second", 1.0F);
    }
}

TEST(LayerTimes, KeepTheOrderOfTheFirstRun) {
    LayerTimes times;
    report(times);
    ASSERT_EQ(times.layers().size(), 2U);
    EXPECT_EQ(times.layers()[0].name, "first");
    EXPECT_THAT(times.layers()[0].ms, testing::ElementsAre(1.0F, 2.0F, 6.0F));
    times.clear();
    EXPECT_TRUE(times.layers().empty());
    times.reportLayerTime("second", 1.0F);
    EXPECT_EQ(times.layers().size(), 1U);
}

TEST(LayerTimesAsJson, HasTheCountAndARowForEachLayer) {
    LayerTimes times;
    report(times);
    auto const json = nlohmann::json::parse(layerTimesAsJson(times));
    ASSERT_EQ(json.size(), 3U);
    EXPECT_EQ(json[0], nlohmann::json({{"count", 3}}));
    EXPECT_EQ(json[1]["name"], "first");
    EXPECT_DOUBLE_EQ(json[1]["timeMs"], 9);
    EXPECT_DOUBLE_EQ(json[1]["averageMs"], 3);
    EXPECT_DOUBLE_EQ(json[1]["medianMs"], 2);
    EXPECT_DOUBLE_EQ(json[1]["percentage"], 75);
    EXPECT_DOUBLE_EQ(json[2]["percentage"], 25);
}

TEST(LayerTimesAsJson, WorksWithoutLayers) {
    EXPECT_EQ(nlohmann::json::parse(layerTimesAsJson(LayerTimes())).at(0).at("count"), 0);
}

TEST(DumpLayerTimes, PrintsATable) {
    LayerTimes times;
    report(times);
    Logger logger;
    testing::internal::CaptureStdout();
    dumpLayerTimes(times, logger);
    std::string const text = testing::internal::GetCapturedStdout();
    EXPECT_THAT(text, testing::HasSubstr("=== Profile (3 iterations) ==="));
    EXPECT_THAT(text, testing::HasSubstr("     9.000    3.00000    2.00000    75.0   first\n"));
    EXPECT_THAT(text, testing::HasSubstr("    12.000    4.00000              100.0   Total\n"));
}

} // namespace
} // namespace kiln::trtexec
