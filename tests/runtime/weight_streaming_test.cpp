// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which constants can be streamed, and budgets. tests/python/test_weight_streaming.py runs engines.
#include "runtime/weight_streaming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "target/backend_registry.h"

namespace kiln::runtime {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

class WeightStreamingTest : public testing::Test {
protected:
    plan::TensorId constant(std::size_t begin, std::size_t bytes) {
        plan::TensorRecord tensor;
        tensor.role = plan::TensorRole::kConstant;
        tensor.data = ByteView(bytes_).subspan(begin, bytes);
        return document_.tensors.add(tensor);
    }
    void step(std::vector<plan::TensorId> inputs) {
        plan::StepRecord step;
        step.inputs = std::move(inputs);
        document_.steps.push_back(step);
    }
    WeightStreaming make() { return {document_, device_, nullptr}; }

    Bytes bytes_{4096};
    plan::Document document_;
    target::Device& device_ = *target::BackendRegistry::instance().open("cpu").device();
};

TEST_F(WeightStreamingTest, CountsEqualConstantsOnce) {
    step({constant(0, 100), constant(0, 100), plan::kAbsent});
    step({constant(128, 64)});
    EXPECT_EQ(make().streamableBytes(), 128U + 64U);
    document_.refittable = true; // they may become different
    EXPECT_EQ(make().streamableBytes(), 64U);
}

TEST_F(WeightStreamingTest, LeavesOutConstantsThatShareBytes) {
    for (std::size_t i = 0; i < 8; ++i) {
        step({constant(64 * i, 1024)});
    }
    step({constant(2048, 64)});
    EXPECT_EQ(make().streamableBytes(), 64U);
}

TEST_F(WeightStreamingTest, LeavesOutWhatControlStepsRead) {
    plan::TensorId const initial = constant(0, 64);
    plan::TensorId const result = constant(64, 64);
    step({constant(128, 64), initial, result});
    step({initial});
    document_.steps.back().control.emplace().bodies.emplace_back().outputs = {result};
    constant(192, 64); // nobody reads it
    EXPECT_EQ(make().streamableBytes(), 64U);
}

TEST_F(WeightStreamingTest, KeepsBudgets) {
    step({constant(0, 100), constant(128, 64)});
    WeightStreaming streaming = make();
    EXPECT_EQ(streaming.budget(), 192U);
    streaming.setBudget(70);
    EXPECT_EQ(streaming.budget(), 70U);
    {
        WeightStreaming::Use const use(streaming);
        EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { streaming.setBudget(0); }),
                    HasSubstr("expected no execution context, got 1"));
    }
    streaming.setBudget(1000);
    EXPECT_EQ(streaming.budget(), 192U);
    EXPECT_EQ(streaming.scratchBytes(), 0U) << "kernels of the CPU read the plan";
}

} // namespace
} // namespace kiln::runtime
