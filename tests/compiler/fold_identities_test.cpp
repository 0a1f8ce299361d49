// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.h"

#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/identity.h"
#include "plan/reader.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using graph::Tensor;

constexpr uint32_t kHwc = 1U << static_cast<uint32_t>(TensorFormat::kHWC);

template <typename Op>
Tensor& add(Network& network, Tensor& x) {
    return *network.addNode(std::make_unique<Op>(), {&x}).outputs[0];
}

/// The kinds of the plan's steps.
std::vector<std::string> stepsOf(Network& network, std::vector<Tensor*> const& outputs) {
    for (Tensor* output : outputs) {
        network.markOutput(*output);
    }
    Options options;
    options.target = "cpu";
    Bytes const bytes = compile(network, options);
    std::vector<std::string> steps;
    for (plan::StepRecord const& step : plan::read(bytes).steps) {
        steps.push_back(step.kernel.op);
    }
    return steps;
}

using Kinds = std::vector<std::string>;

class FoldIdentities : public testing::Test {
protected:
    Network network{true};
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3, 4, 5}));
};

TEST_F(FoldIdentities, BeforeAChangeOfFormat) {
    Tensor& y = add<graph::Identity>(network, x);
    y.allowedFormats = kHwc;
    EXPECT_EQ(stepsOf(network, {&y}), Kinds{"Reformat"});
}

TEST_F(FoldIdentities, BehindAChangeOfFormat) {
    x.allowedFormats = kHwc;
    EXPECT_EQ(stepsOf(network, {&add<graph::Identity>(network, x)}), Kinds{"Reformat"});
}

TEST_F(FoldIdentities, BetweenTwoOneIsSpared) {
    x.allowedFormats = kHwc;
    Tensor& y = add<graph::Identity>(network, x);
    y.allowedFormats = kHwc;
    EXPECT_EQ(stepsOf(network, {&y}), (Kinds{"Reformat", "Reformat"}));
}

TEST_F(FoldIdentities, PlainOnesStay) {
    EXPECT_EQ(stepsOf(network, {&add<graph::Identity>(network, x)}), Kinds{"Identity"});
}

TEST_F(FoldIdentities, InsideTheNetworkNoneStays) {
    Tensor& between = add<graph::Identity>(network, x);
    Tensor& y = add<graph::Identity>(network, between);
    y.allowedFormats = kHwc;
    Tensor& z = add<graph::Activation>(network, between);
    EXPECT_EQ(stepsOf(network, {&y, &z}), (Kinds{"Reformat", "Activation"}));
}

} // namespace
} // namespace kiln::compiler
