// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/magnitude_histogram.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace kiln::api {
namespace {

std::vector<float> normal(std::size_t count) {
    std::mt19937 random(7);
    std::normal_distribution<float> numbers;
    std::vector<float> result(count);
    for (float& number : result) {
        number = numbers(random);
    }
    return result;
}

TEST(MagnitudeHistogram, GrowsWithTheLargest) {
    MagnitudeHistogram histogram;
    EXPECT_EQ(histogram.largest(), 0.0F);
    EXPECT_EQ(histogram.leastLoss(true), 0.0F);
    histogram.add(std::vector<float>{0.0F, NAN, INFINITY});
    histogram.add(std::vector<float>{1.0F, -0.5F});
    histogram.add(std::vector<float>{-7.0F, 3.0F});
    EXPECT_EQ(histogram.largest(), 7.0F);
    EXPECT_NEAR(histogram.covering(0.6, 0.0), 1.0F, 0.02F); // 0, 0.5 and 1 of five
    EXPECT_NEAR(histogram.covering(0.6, 0.5), 3.5F, 0.02F);
    EXPECT_EQ(histogram.covering(1.0, 0.0), 7.0F);
}

TEST(MagnitudeHistogram, CutsOutliers) {
    std::vector<float> numbers = normal(200'000);
    MagnitudeHistogram plain;
    plain.add(numbers);
    numbers.push_back(100.0F);
    MagnitudeHistogram histogram;
    histogram.add(numbers);
    for (bool const zeros : {false, true}) {
        EXPECT_GT(plain.leastLoss(zeros), 2.5F);
        EXPECT_LE(plain.leastLoss(zeros), plain.largest());
        EXPECT_GT(histogram.leastLoss(zeros), 2.5F);
        EXPECT_LT(histogram.leastLoss(zeros), 30.0F);
    }
}

TEST(MagnitudeHistogram, IsSaved) {
    MagnitudeHistogram histogram;
    histogram.add(normal(1000));
    ByteWriter writer;
    histogram.save(writer);
    Bytes const bytes = writer.take();
    ByteReader reader(bytes, "histogram");
    MagnitudeHistogram const loaded = MagnitudeHistogram::load(reader);
    EXPECT_EQ(loaded.largest(), histogram.largest());
    EXPECT_EQ(loaded.leastLoss(true), histogram.leastLoss(true));
    EXPECT_EQ(loaded.covering(0.5, 0.0), histogram.covering(0.5, 0.0));
}

} // namespace
} // namespace kiln::api
