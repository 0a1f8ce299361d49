// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/host_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::runtime {
namespace {

using test::errorOf;
using testing::ElementsAre;

target::OperandType of(DataType type) {
    return {type, TensorFormat::kLINEAR};
}

TEST(HostStep, CopiesIntegersOfOneTypeToAnother) {
    auto const step = makeHostStep(of(DataType::kINT64), of(DataType::kINT32));
    Dims const dims = makeDims({3});
    step->reshape({&dims, 1}, {&dims, 1});
    int64_t const from[]{7, -1, 40};
    int32_t to[3]{};
    void const* const inputs[]{from};
    void* const outputs[]{to};
    target::Launch const launch = step->launch();
    EXPECT_EQ(launch.run(launch.state, {inputs, outputs, nullptr}, nullptr), 0);
    EXPECT_THAT(to, ElementsAre(7, -1, 40));
}

TEST(HostStep, RefusesOtherTypesAndShapes) {
    EXPECT_EQ(errorOf(ErrorKind::kUnsupported,
                      [] { makeHostStep(of(DataType::kINT64), of(DataType::kFLOAT)); }),
              "a shape output: expected int32, int64 or bool, got float32 made of int64. Build the "
              "plan again.");
    auto const step = makeHostStep(of(DataType::kBOOL), of(DataType::kBOOL));
    Dims const two = makeDims({2});
    Dims const three = makeDims({3});
    EXPECT_EQ(errorOf(ErrorKind::kCorruptData, [&] { step->reshape({&two, 1}, {&three, 1}); }),
              "expected as many values as the output has, [3], got [2]. Build the plan again.");
}

} // namespace
} // namespace kiln::runtime
