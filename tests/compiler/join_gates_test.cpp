// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Small products, for which a call costs more than the work, so that one product is faster.
#include <numeric>

#include <gmock/gmock.h>

#include "graph/ops/activation.h"
#include "graph/ops/region.h"
#include "program_fixture.h"
#include "target/backend_registry.h"

namespace kiln::compiler {
namespace {

using nvinfer1::ActivationType;
using testing::ElementsAre;
using Kinds = std::vector<std::string>;

class JoinGates : public ProgramTest {
protected:
    /// Why the processor's products have no cost of a call by their estimates; empty if they have:
    /// then one small product is faster than two.
    static std::string callsAreFree() {
        return target::BackendRegistry::instance().open("cpu").libraries().at(0).problem;
    }
    Tensor& weights(float first, int64_t width = 8) {
        std::vector<float> values(static_cast<std::size_t>(4 * width));
        std::iota(values.begin(), values.end(), first);
        return constant(std::move(values), makeDims({1, 4, width}));
    }
    Tensor& bias(float value) {
        return constant(std::vector<float>(8, value), makeDims({1, 1, 8}));
    }
    Tensor& activate(ActivationType type, Tensor& value) {
        auto op = std::make_unique<graph::Activation>();
        op->type = type;
        return *network.addNode(std::move(op), {&value}).outputs[0];
    }
    Tensor& prod(Tensor& a, Tensor& b) { return elementwise(Operation::kPROD, a, b); }
    Tensor& silu(Tensor& value) { return prod(value, activate(ActivationType::kSIGMOID, value)); }
    /// The steps' kinds after the passes.
    Kinds joined(Tensor& output) {
        program = &programFor(output);
        joinGates(*program);
        checkProgram(*program, "join_gates");
        formRegions(*program);
        checkProgram(*program, "form_regions");
        Kinds kinds;
        for (StepId const id : program->order()) {
            kinds.emplace_back(program->step(id).op->kind());
        }
        return kinds;
    }
    /// Products after the passes, those in regions included.
    int productsOf(Tensor& output) {
        int count = 0;
        std::size_t const steps = joined(output).size();
        for (std::size_t i = 0; i < steps; ++i) {
            auto const* region = step(i).as<graph::Region>();
            graph::Op const& op = region == nullptr ? *step(i).op : *region->nodes()[0].op;
            count += op.kind() == graph::MatrixMultiply::kKind ? 1 : 0;
        }
        return count;
    }
    Step const& step(std::size_t index) {
        auto at = program->order().begin();
        for (; index > 0; --index) {
            ++at;
        }
        return program->step(*at);
    }

    Tensor& x = input("x", makeDims({2, 3, 4}));
    Program* program = nullptr;
};

TEST_F(JoinGates, OneProductAndAChainThatReadsItsHalves) {
    if (std::string const reason = callsAreFree(); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    Tensor& gate = product(x, weights(0));
    Tensor& up = product(x, weights(100));
    EXPECT_THAT(joined(prod(silu(gate), up)), ElementsAre("MatrixMultiply", "Region"));
    std::vector<float> const all = floatsOf(program->value(step(0).inputs()[1]));
    ASSERT_EQ(all.size(), 64U);
    EXPECT_EQ(all[7], 7.0F);
    EXPECT_EQ(all[8], 100.0F);
    EXPECT_EQ(all[16], 8.0F);
    EXPECT_THAT(step(0).rewrites, ElementsAre(testing::StartsWith("join_gates: ")));
    EXPECT_EQ(step(1).inputs(), step(0).outputs());
    EXPECT_EQ(step(1).as<graph::Region>()->nodes().size(), 5U); // 2 slices, sigmoid, 2 products
}

class JoinGatesOf : public JoinGates, public testing::WithParamInterface<ActivationType> {};

TEST_P(JoinGatesOf, AnyActivation) {
    if (std::string const reason = callsAreFree(); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    Tensor& up = product(x, weights(100));
    Tensor& gate = activate(GetParam(), product(x, weights(0)));
    EXPECT_THAT(joined(prod(up, gate)), ElementsAre("MatrixMultiply", "Region"));
}

INSTANTIATE_TEST_SUITE_P(Activations, JoinGatesOf,
                         testing::Values(ActivationType::kRELU, ActivationType::kGELU_ERF,
                                         ActivationType::kGELU_TANH, ActivationType::kSIGMOID));

TEST_F(JoinGates, ChainsTakeWhatMakesTheirOperands) {
    Tensor& y = input("y", makeDims({2, 3, 4}));
    Tensor& first = prod(x, y);
    Tensor& second = activate(ActivationType::kSIGMOID, x);
    EXPECT_THAT(joined(prod(first, second)), ElementsAre("Region"));
}

TEST_F(JoinGates, BiasesJoinTheChain) {
    if (std::string const reason = callsAreFree(); !reason.empty()) {
        GTEST_SKIP() << reason;
    }
    Tensor& gate = sum(product(x, weights(0)), bias(1));
    Tensor& up = sum(bias(3), product(x, weights(100)));
    EXPECT_THAT(joined(prod(silu(gate), up)), ElementsAre("MatrixMultiply", "Region"));
}

TEST_F(JoinGates, ProductsOfTwoTensorsStay) {
    Tensor& y = input("y", makeDims({2, 3, 4}));
    EXPECT_EQ(productsOf(prod(silu(product(x, weights(0))), product(y, weights(9)))), 2);
}

TEST_F(JoinGates, ABroadcastFactorStays) {
    Tensor& result = prod(silu(product(x, weights(0))), product(x, weights(9, 1)));
    EXPECT_EQ(productsOf(result), 2);
}

TEST_F(JoinGates, WeightsThatAreNoConstantStay) {
    Tensor& free = input("w", makeDims({1, 4, 8}));
    EXPECT_EQ(productsOf(prod(silu(product(x, weights(0))), product(x, free))), 2);
}

TEST_F(JoinGates, AFactorThatOthersReadStays) {
    Tensor& up = product(x, weights(9));
    Tensor& gated = prod(silu(product(x, weights(0))), up);
    EXPECT_EQ(productsOf(sum(gated, mean(up, 4))), 2);
}

TEST_F(JoinGates, LargeProductsStayApartOnTheCpu) {
    Tensor& large = input("large", makeDims({1, 64, 256}));
    auto const wide = [&]() -> Tensor& {
        return constant(std::vector<float>(256 * 512, 1.0F), makeDims({1, 256, 512}));
    };
    Tensor& gate = product(large, wide());
    Tensor& up = product(large, wide());
    EXPECT_EQ(productsOf(prod(silu(gate), up)), 2);
}

} // namespace
} // namespace kiln::compiler
