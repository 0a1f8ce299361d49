// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Small products, for which a call costs more than the work, so that one product is faster.
#include <numeric>

#include <gmock/gmock.h>

#include "graph/ops/attention.h"
#include "program_fixture.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using testing::ElementsAre;

class JoinProjections : public ProgramTest {
protected:
    Tensor& weights(float first, bool transposed = false) {
        std::vector<float> values(4 * 8);
        std::iota(values.begin(), values.end(), first);
        return constant(std::move(values), transposed ? makeDims({1, 8, 4}) : makeDims({1, 4, 8}));
    }
    Tensor& bias(float value) {
        return constant(std::vector<float>(8, value), makeDims({1, 1, 8}));
    }
    Tensor& heads(Tensor& projected) {
        return transpose(reshape(projected, makeDims({2, 3, 2, 4})), {0, 2, 1, 3});
    }
    Tensor& attention(Tensor& q, Tensor& k, Tensor& v) {
        return product(softmax(product(heads(q), heads(k), true)), heads(v));
    }
    /// The steps' kinds after the pass.
    std::vector<std::string> joined(Tensor& output) {
        program = &programFor(output);
        formAttention(*program);
        joinProjections(*program);
        checkProgram(*program, "join_projections");
        std::vector<std::string> kinds;
        for (StepId const id : program->order()) {
            kinds.emplace_back(program->step(id).op->kind());
        }
        return kinds;
    }
    Step const& step(std::string_view kind) {
        for (StepId const id : program->order()) {
            if (program->step(id).op->kind() == kind) {
                return program->step(id);
            }
        }
        throw std::out_of_range("no such step");
    }
    std::vector<float> numbers(ValueId value) { return floatsOf(program->value(value)); }

    Tensor& x = input("x", makeDims({2, 3, 4}));
    Program* program = nullptr;
};

TEST_F(JoinProjections, OneProductWithAllWeights) {
    Tensor& result = attention(sum(product(x, weights(0)), bias(1)), product(x, weights(100)),
                               sum(bias(3), product(x, weights(200))));
    EXPECT_THAT(joined(result), ElementsAre("MatrixMultiply", "ElementWise", "Attention"));
    auto const& op = *step("Attention").as<Attention>();
    EXPECT_THAT(op.offsets, ElementsAre(0, 8, 16));
    EXPECT_EQ(op.layouts[Attention::kKey], Attention::Layout::kJoined);
    std::vector<float> const all = numbers(step("MatrixMultiply").inputs()[1]);
    ASSERT_EQ(all.size(), 96U);
    EXPECT_EQ(all[0], 0.0F);
    EXPECT_EQ(all[8], 100.0F); // the first row of the keys' weights
    EXPECT_EQ(all[16], 200.0F);
    EXPECT_EQ(all[24], 8.0F); // the second row of the queries' weights
    std::vector<float> const biases = numbers(step("ElementWise").inputs()[1]);
    EXPECT_EQ(biases[0], 1.0F);
    EXPECT_EQ(biases[8], 0.0F); // no bias
    EXPECT_EQ(biases[16], 3.0F);
    EXPECT_THAT(step("MatrixMultiply").rewrites,
                ElementsAre(testing::StartsWith("join_projections: ")));
}

TEST_F(JoinProjections, TransposedWeightsFollowEachOther) {
    Tensor& result =
        attention(product(x, weights(0, true), true), product(x, weights(100, true), true),
                  product(x, weights(200, true), true));
    EXPECT_THAT(joined(result), ElementsAre("MatrixMultiply", "Attention"));
    std::vector<float> const all = numbers(step("MatrixMultiply").inputs()[1]);
    EXPECT_EQ(all[31], 31.0F);
    EXPECT_EQ(all[32], 100.0F);
}

TEST_F(JoinProjections, WhatOthersReadStays) {
    Tensor& keys = product(x, weights(100));
    network.markOutput(keys);
    Tensor& values = product(x, input("weights", makeDims({1, 4, 8}))); // no constant
    Tensor& result = attention(product(x, weights(0)), keys, values);
    EXPECT_THAT(joined(result), testing::Contains("MatrixMultiply").Times(3));
}

} // namespace
} // namespace kiln::compiler
