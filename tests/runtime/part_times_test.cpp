// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/part_times.h"

#include <gtest/gtest.h>

#include <thread>

namespace kiln::runtime {
namespace {

TEST(PartTimes, TellsTheLargestFirst) {
    PartTimes times;
    times.add("checks");
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    times.add("load", "convolution");
    times.add("checks");
    std::string const text = times.text();
    std::size_t const load = text.find("load convolution ");
    std::size_t const checks = text.find("checks ");
    ASSERT_NE(load, std::string::npos) << text;
    ASSERT_NE(checks, std::string::npos) << text;
    EXPECT_LT(load, checks) << text;
    EXPECT_EQ(text.find("checks ", checks + 1), std::string::npos) << "one sum for each part";
    EXPECT_GE(std::stod(text), 3.0) << text;
}

} // namespace
} // namespace kiln::runtime
