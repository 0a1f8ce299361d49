// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/anchor/anchored_region.h"

#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;

/// residual - relu(a * b)
Region region() {
    Region made(3);
    int32_t const product = made.add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
    int32_t const positive = made.add(std::make_unique<graph::Activation>(), {product});
    auto difference = std::make_unique<graph::ElementWise>();
    difference->operation = nvinfer1::ElementWiseOperation::kSUB;
    made.setResults({made.add(std::move(difference), {2, positive})});
    return made;
}

TEST(AnchoredRegion, HasAChainOfSteps) {
    Region const made = region();
    EXPECT_EQ(refuseUnlessAnchored(made), "");
    std::vector<ChainStep> const steps = stepsBehindAnchor(made);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].operand, -1);
    EXPECT_EQ(steps[1].operand, 2);
    EXPECT_TRUE(steps[1].operandFirst);
    EXPECT_FALSE(steps[1].twice);
}

TEST(AnchoredRegion, TheChainKeepsTheNumbersOfValues) {
    std::unique_ptr<Region> const chain = behindAnchor(region());
    EXPECT_EQ(chain->inputCount(), 4);
    ASSERT_EQ(chain->nodes().size(), 2U);
    EXPECT_EQ(chain->nodes()[0].inputs, std::vector<int32_t>{3});
    EXPECT_EQ(chain->results(), std::vector<int32_t>{5});
}

TEST(AnchoredRegion, BeginsWithAnAnchor) {
    Region other(1);
    int32_t const first = other.add(std::make_unique<graph::Activation>(), {0});
    other.setResults({other.add(std::make_unique<graph::Activation>(), {first})});
    EXPECT_EQ(refuseUnlessAnchored(other),
              "expected a region that begins with a product or a window, got Activation");
    Region alone(2);
    alone.setResults({alone.add(std::make_unique<graph::MatrixMultiply>(), {0, 1})});
    EXPECT_EQ(refuseUnlessAnchored(alone),
              "expected one result, of the last operation behind the first");
}

TEST(AnchoredRegion, ValuesReadAgainAreNoChain) {
    Region made(2);
    int32_t const product = made.add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
    int32_t const positive = made.add(std::make_unique<graph::Activation>(), {product});
    made.setResults({made.add(std::make_unique<graph::ElementWise>(), {product, positive})});
    EXPECT_EQ(refuseUnlessAnchored(made), "");
    EXPECT_TRUE(stepsBehindAnchor(made).empty());
}

} // namespace
} // namespace kiln::targets::cuda
