// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/calibration_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::api {
namespace {

constexpr auto kMinMax = static_cast<nvinfer1::CalibrationAlgoType>(3);

TEST(CalibrationCache, IsReadAsItWasWritten) {
    Magnitudes const magnitudes{{"x", 1.0F}, {"a: b", 2.5F}};
    std::string const text = writeCalibrationCache(kMinMax, magnitudes);
    EXPECT_THAT(text, testing::StartsWith("TRT-"));
    EXPECT_THAT(text, testing::HasSubstr("-MinMaxCalibration\na: b: "));
    auto const read = readCalibrationCache(kMinMax, text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->size(), 2U);
    EXPECT_NEAR(read->at("a: b"), 2.5F, 1e-6F);
    EXPECT_EQ(readCalibrationCache(static_cast<nvinfer1::CalibrationAlgoType>(1), text),
              std::nullopt);
    EXPECT_EQ(readCalibrationCache(kMinMax, "something else"), std::nullopt);
}

TEST(CalibrationCache, OfOthers) {
    auto const read =
        readCalibrationCache(kMinMax, "TRT-8601-MinMaxCalibration\r\nx: 3c010a14\r\n\r\n");
    ASSERT_TRUE(read.has_value());
    EXPECT_NEAR(read->at("x"), 127 * 0.00787594F, 1e-5F);
    EXPECT_THROW(readCalibrationCache(kMinMax, "TRT-1-MinMaxCalibration\nx: 3g\n"), Error);
}

} // namespace
} // namespace kiln::api
