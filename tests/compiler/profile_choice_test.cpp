// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that differ by profile. The estimates are the test's own, so the choice is certain.
#include "compiler/profile_choice.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "compiler/estimated_cpu.h"
#include "compiler/rebind_story.h"
#include "compiler/timing_cache.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/softmax.h"
#include "plan/reader.h"

namespace kiln::compiler {
namespace {

using test::Floats;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kInner = 64;
constexpr int64_t kColumns = 48;

/// Two profiles: 1 or 2 rows, and 32 to 64.
Options twoProfiles(std::string target) {
    Options options;
    options.target = std::move(target);
    options.profiles.emplace_back().shapes["x"] = {makeDims({1, kInner}), makeDims({1, kInner}),
                                                   makeDims({2, kInner})};
    options.profiles.emplace_back().shapes["x"] = {makeDims({32, kInner}), makeDims({40, kInner}),
                                                   makeDims({64, kInner})};
    return options;
}

class ProfileKernels : public ::testing::Test {
protected:
    static void SetUpTestSuite() { addEstimatedCpu(); }
    void TearDown() override { offered().clear(); }

    graph::Tensor& input() {
        return network_.addInput("x", DataType::kFLOAT, makeDims({-1, kInner}));
    }
    graph::Tensor& product() {
        graph::Tensor& w = test::constantOf(network_, weights, makeDims({kInner, kColumns}));
        return *network_.addNode(std::make_unique<graph::MatrixMultiply>(), {&input(), &w})
                    .outputs[0];
    }
    graph::Tensor& softmax() {
        auto op = std::make_unique<graph::SoftMax>();
        op->axes = 2;
        return *network_.addNode(std::move(op), {&input()}).outputs[0];
    }
    plan::StepRecord const& build(graph::Tensor& y, Options const& options) {
        network_.markOutput(y);
        plan_ = compile(network_, options);
        engine_ = std::make_unique<runtime::Engine>(runtime::copyOfPlan(plan_), Log());
        context_ = std::make_unique<runtime::Context>(*engine_, plugin::ContextServices{},
                                                      runtime::MemoryStrategy::kOnce);
        return engine_->document().steps.at(0);
    }

    Floats run(int32_t profile, Floats const& x, int64_t columns) {
        auto const rows = static_cast<int64_t>(x.size()) / kInner;
        Floats y(static_cast<std::size_t>(rows * columns), -1.0F);
        context_->setProfile(profile);
        context_->setInputShape(0, makeDims({rows, kInner}));
        context_->setAddress(0, const_cast<float*>(x.data()));
        context_->setAddress(1, y.data());
        context_->run(nullptr);
        return y;
    }
    void expectProduct(int32_t profile, std::size_t rows) {
        Floats const x = test::waves(rows * kInner, 0.7F + static_cast<float>(profile));
        Floats sums(rows * kColumns, 0.0F);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            for (std::size_t k = 0; k < kInner; ++k) {
                sums[i] += x[i / kColumns * kInner + k] * weights[k * kColumns + i % kColumns];
            }
        }
        test::expectNear(run(profile, x, kColumns), sums);
    }
    void expectProductsBackAndForth() {
        for (int32_t round = 0; round < 2; ++round) {
            expectProduct(0, 1);
            expectProduct(1, 64);
            expectProduct(1, 33);
            expectProduct(0, 2);
        }
    }

    Floats weights = test::waves(kInner * kColumns, 0.3F);
    graph::Network network_{true};
    Bytes plan_;
    std::unique_ptr<runtime::Engine> engine_;
    std::unique_ptr<runtime::Context> context_;
};

TEST_F(ProfileKernels, EachProfileHasTheFastest) {
    offered() = {{"softmax_rows", {1e-3, 1e-6}}, {"softmax_reference", {1e-6, 1e-3}}};
    plan::StepRecord const& step = build(softmax(), twoProfiles("estimated"));
    EXPECT_EQ(step.kernelAt(step.kernelFor(0)).kernel, "softmax_reference");
    EXPECT_EQ(step.kernelAt(step.kernelFor(1)).kernel, "softmax_rows");
    EXPECT_EQ(step.inputsAt(0), step.inputsAt(1));
    for (int32_t const profile : {0, 1, 0, 1}) {
        Floats const x = test::waves((profile == 0 ? 2 : 33) * kInner, 0.7F);
        Floats expected(x.size());
        for (std::size_t row = 0; row < x.size(); row += kInner) {
            double sum = 0;
            for (std::size_t i = row; i < row + kInner; ++i) {
                sum += std::exp(static_cast<double>(x[i]));
            }
            for (std::size_t i = row; i < row + kInner; ++i) {
                expected[i] = static_cast<float>(std::exp(static_cast<double>(x[i])) / sum);
            }
        }
        test::expectNear(run(profile, x, kInner), expected);
    }
}

TEST_F(ProfileKernels, AreOneWhereTheyAgree) {
    offered() = {{"softmax_rows", {1e-6, 1e-6}}, {"softmax_reference", {1e-3, 1e-3}}};
    plan::StepRecord const& step = build(softmax(), twoProfiles("estimated"));
    EXPECT_THAT(step.otherKernels, IsEmpty());
    EXPECT_THAT(step.profileKernels, IsEmpty());
}

/// Tensors of weights in the plan.
std::size_t countConstants(plan::Document const& document) {
    return static_cast<std::size_t>(
        std::count_if(document.tensors.begin(), document.tensors.end(), [](auto const& tensor) {
            return tensor.role == plan::TensorRole::kConstant;
        }));
}

TEST_F(ProfileKernels, HaveConstantsInTheirOwnOrders) {
    offered() = {{"matrix_multiply_few_rows", {1e-6, 1e-3}},
                 {"matrix_multiply_blocked", {1e-3, 1e-6}}};
    plan::StepRecord const& step = build(product(), twoProfiles("estimated"));
    ASSERT_EQ(step.kernelCount(), 2U);
    EXPECT_THAT(step.profileKernels, ElementsAre(0, 1));
    EXPECT_EQ(step.kernelAt(0).kernel, "matrix_multiply_few_rows");
    EXPECT_EQ(step.kernelAt(1).kernel, "matrix_multiply_blocked");
    EXPECT_NE(step.inputsAt(0)[1], step.inputsAt(1)[1]);
    EXPECT_EQ(countConstants(engine_->document()), 2U);
    expectProductsBackAndForth();
}

TEST_F(ProfileKernels, TakeNewConstantsInAllOrders) {
    offered() = {{"matrix_multiply_few_rows", {1e-6, 1e-3}},
                 {"matrix_multiply_blocked", {1e-3, 1e-6}}};
    plan::TensorId const w = build(product(), twoProfiles("estimated")).inputsAt(1)[1];
    expectProductsBackAndForth(); // both kernels have instances
    weights = test::waves(kInner * kColumns, 0.4F);
    runtime::Context* const contexts[] = {context_.get()};
    engine_->rebind(w, test::bytesOf(weights), contexts);
    expectProductsBackAndForth();
}

TEST_F(ProfileKernels, ShareConstantsWhereLittleWouldBeGained) {
    offered() = {{"matrix_multiply_few_rows", {0.97e-3, 1e-3}},
                 {"matrix_multiply_blocked", {1e-3, 1e-3}}};
    plan::StepRecord const& step = build(product(), twoProfiles("estimated"));
    EXPECT_THAT(step.otherKernels, IsEmpty());
    EXPECT_EQ(step.kernel.kernel, "matrix_multiply_blocked");
    EXPECT_EQ(countConstants(engine_->document()), 1U);
    expectProductsBackAndForth();
}

/// Names of the kernels of each step, and the profiles that they are for.
std::vector<std::string> kernelsIn(Bytes const& plan) {
    std::vector<std::string> names;
    for (plan::StepRecord const& step : plan::read(plan).steps) {
        for (std::size_t profile = 0; profile < 2; ++profile) {
            names.push_back(step.kernelAt(step.kernelFor(profile)).kernel);
        }
    }
    return names;
}

TEST_F(ProfileKernels, ComeFromTheTimingCache) {
    TimingCache cache("cpu");
    Options options = twoProfiles("cpu");
    options.timingCache = &cache;
    build(product(), options);
    std::size_t const keys = cache.keys().size();
    expectProductsBackAndForth();
    options.timingCacheOnly = true;
    Bytes const again = compile(network_, options); // but for the reasons, the same
    EXPECT_EQ(cache.keys().size(), keys);
    EXPECT_EQ(kernelsIn(again), kernelsIn(plan_));
}

} // namespace
} // namespace kiln::compiler
