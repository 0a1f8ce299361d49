// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/debug_tensors.h"

#include <array>

#include <gtest/gtest.h>

namespace kiln::trtexec {
namespace {

constexpr std::array kValues{1.5F, -2.0F, 4.0F, 0.5F};

TEST(DebugText, ListsValues) {
    EXPECT_EQ(debugText("string", nvinfer1::DataType::kFLOAT, {2, {2, 2}}, kValues.data()),
              "1.5\n-2\n4\n0.5\n");
}

TEST(DebugText, SumsUp) {
    EXPECT_EQ(debugText("summary", nvinfer1::DataType::kFLOAT, {2, {2, 2}}, kValues.data()),
              "shape 2x2, type FLOAT, count 4, min -2, max 4, mean 1\n");
    EXPECT_EQ(debugText("summary", nvinfer1::DataType::kFLOAT, {1, {0}}, nullptr),
              "shape 0, type FLOAT, count 0, min 0, max 0, mean 0\n");
}

} // namespace
} // namespace kiln::trtexec
