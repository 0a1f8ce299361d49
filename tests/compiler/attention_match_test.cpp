// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The ways in which exporters and users write attention, and what only looks like it.
#include "compiler/attention_match.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "program_fixture.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using Layout = Attention::Layout;
using testing::ElementsAre;

constexpr float kNever = -std::numeric_limits<float>::infinity();

class AttentionMatching : public ProgramTest {
protected:
    /// [2, 10, 32] as [2, 4, 10, 8].
    Tensor& heads(Tensor& x) {
        return transpose(reshape(x, makeDims({2, 10, 4, 8})), {0, 2, 1, 3});
    }
    Tensor& joined(Tensor& x) { return reshape(transpose(x, {0, 2, 1, 3}), makeDims({2, 10, 32})); }

    std::optional<AttentionMatch> matchIn(Tensor& output) {
        Program const& found = programFor(output);
        std::optional<AttentionMatch> match;
        ElementRules rules(found);
        for (StepId const id : found.order()) {
            if (auto one = matchAttention(found, rules, id)) {
                match = std::move(one);
            }
        }
        program = &found;
        return match;
    }
    /// What a match reads, by name.
    std::vector<std::string> sourcesOf(AttentionMatch const& match) const {
        std::vector<std::string> names;
        for (AttentionSource const& source : match.sources) {
            names.push_back(program->value(source.value).name);
        }
        return names;
    }
    std::vector<Layout> layoutsOf(AttentionMatch const& match) const {
        return {match.op.layouts.begin(), match.op.layouts.end()};
    }

    Tensor& q = input("q", makeDims({2, 10, 32}));
    Tensor& k = input("k", makeDims({2, 10, 32}));
    Tensor& v = input("v", makeDims({2, 10, 32}));
    Program const* program = nullptr;
};

TEST_F(AttentionMatching, ScaleAndMaskBehindTheProduct) { // BERT of Hugging Face
    Tensor& mask = input("mask", makeDims({2, 1, 1, 10}));
    Tensor& scores = elementwise(
        Operation::kDIV, product(heads(q), transpose(heads(k), {0, 1, 3, 2})), scalar(8.0F, 4));
    auto const match = matchIn(joined(product(softmax(sum(scores, mask)), heads(v))));
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match), ElementsAre(Layout::kLengthFirst, Layout::kLengthFirst,
                                               Layout::kLengthFirst, Layout::kLengthFirst));
    EXPECT_EQ(match->op.heads, 4);
    EXPECT_EQ(match->op.keyHeads, 4);
    EXPECT_EQ(match->op.size, 8);
    EXPECT_EQ(match->op.valueSize, 8);
    EXPECT_FLOAT_EQ(match->op.scale, 0.125F);
    EXPECT_EQ(program->value(match->masks.at(0)).name, "mask");
    EXPECT_NE(match->transpose, StepId::kNone);
}

TEST_F(AttentionMatching, TheRootOfTheScaleOnBothSides) { // torch.onnx.export
    float const root = std::sqrt(1.0F / std::sqrt(8.0F));
    Tensor& keys = transpose(reshape(k, makeDims({2, 10, 4, 8})), {0, 2, 3, 1});
    Tensor& scores = product(times(heads(q), root), times(keys, root));
    auto const match = matchIn(product(softmax(scores), heads(v)));
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match), ElementsAre(Layout::kLengthFirst, Layout::kLengthFirst,
                                               Layout::kLengthFirst, Layout::kHeadsFirst));
    EXPECT_FLOAT_EQ(match->op.scale, 1.0F / std::sqrt(8.0F));
    EXPECT_TRUE(match->masks.empty());
    EXPECT_EQ(match->transpose, StepId::kNone);
}

TEST_F(AttentionMatching, KeysAndValuesWithHeadsFirst) { // as a cache holds them
    Tensor& keys = input("keys", makeDims({2, 4, 30, 8}));
    Tensor& values = input("values", makeDims({2, 4, 30, 6}));
    Tensor& scores = product(heads(q), times(transpose(keys, {0, 1, 3, 2}), 0.5F));
    auto const match = matchIn(product(softmax(scores), values));
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match), ElementsAre(Layout::kLengthFirst, Layout::kHeadsFirst,
                                               Layout::kHeadsFirst, Layout::kHeadsFirst));
    EXPECT_EQ(sourcesOf(*match)[1], "keys");
    EXPECT_EQ(sourcesOf(*match)[2], "values");
    EXPECT_EQ(match->op.valueSize, 6);
}

TEST_F(AttentionMatching, PositionsAddedWithoutScale) { // T5
    Tensor& bias = input("bias", makeDims({1, 4, 10, 10}));
    auto const match =
        matchIn(product(softmax(sum(bias, product(heads(q), heads(k), true))), heads(v)));
    ASSERT_TRUE(match.has_value());
    EXPECT_EQ(match->op.scale, 1.0F);
    EXPECT_EQ(program->value(match->masks.at(0)).name, "bias");
}

TEST_F(AttentionMatching, BooleanMasks) {
    for (bool const drops : {false, true}) {
        Tensor& mask = input(drops ? "drops" : "keeps", makeDims({1, 1, 10, 10}), DataType::kBOOL);
        Tensor& scores = product(heads(q), heads(k), true);
        Tensor& never = scalar(kNever, 4);
        Tensor& masked = drops ? select(mask, never, scores) : select(mask, scores, never);
        auto const match = matchIn(product(softmax(masked), heads(v)));
        ASSERT_TRUE(match.has_value());
        EXPECT_EQ(match->op.maskDrops, drops);
    }
}

TEST_F(AttentionMatching, OneHead) {
    auto const match =
        matchIn(product(softmax(times(product(q, transpose(k, {0, 2, 1})), 0.25F)), v));
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match),
                ElementsAre(Layout::kJoined, Layout::kJoined, Layout::kJoined, Layout::kJoined));
    EXPECT_EQ(match->op.heads, 1);
    EXPECT_EQ(match->op.size, 32);
    EXPECT_THAT(sourcesOf(*match), ElementsAre("q", "k", "v"));
}

TEST_F(AttentionMatching, OneShuffleReshapesAndTransposes) {
    auto const split = [&](Tensor& x) -> Tensor& {
        auto op = std::make_unique<graph::Shuffle>();
        op->reshape = makeDims({2, 10, 4, 8});
        op->secondTranspose = {0, 2, 1, 3};
        return *network.addNode(std::move(op), {&x}).outputs[0];
    };
    Tensor& result = product(softmax(product(split(q), split(k), true)), split(v));
    auto op = std::make_unique<graph::Shuffle>();
    op->firstTranspose = {0, 2, 1, 3};
    op->reshape = makeDims({2, 10, 32});
    auto const match = matchIn(*network.addNode(std::move(op), {&result}).outputs[0]);
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match), ElementsAre(Layout::kLengthFirst, Layout::kLengthFirst,
                                               Layout::kLengthFirst, Layout::kLengthFirst));
    for (AttentionSource const& source : match->sources) {
        EXPECT_NE(source.reshape, StepId::kNone);
    }
}

TEST_F(AttentionMatching, SlicesOfOneProjection) {
    Tensor& all = input("all", makeDims({2, 10, 96}));
    Tensor& scores = product(heads(slice(all, 0, 32)), heads(slice(all, 32, 32)), true);
    auto const match = matchIn(product(softmax(scores), heads(slice(all, 64, 32))));
    ASSERT_TRUE(match.has_value());
    EXPECT_THAT(layoutsOf(*match), ElementsAre(Layout::kJoined, Layout::kJoined, Layout::kJoined,
                                               Layout::kHeadsFirst));
    EXPECT_THAT(match->op.offsets, ElementsAre(0, 32, 64));
    EXPECT_THAT(sourcesOf(*match), ElementsAre("all", "all", "all"));
}

TEST_F(AttentionMatching, OneHeadOfKeysForAll) {
    Tensor& keys = input("keys", makeDims({2, 1, 30, 8}));
    Tensor& values = input("values", makeDims({2, 1, 30, 8}));
    auto const match = matchIn(product(softmax(product(heads(q), keys, true)), values));
    ASSERT_TRUE(match.has_value());
    EXPECT_EQ(match->op.heads, 4);
    EXPECT_EQ(match->op.keyHeads, 1);
}

TEST_F(AttentionMatching, SoftmaxInFloat32) {
    auto const half = [&](Tensor& x) -> Tensor& { return cast(x, DataType::kHALF); };
    Tensor& scores = product(half(heads(q)), half(heads(k)), true);
    auto const match =
        matchIn(product(half(softmax(cast(scores, DataType::kFLOAT))), half(heads(v))));
    EXPECT_TRUE(match.has_value());
}

TEST_F(AttentionMatching, ZeroForQueriesWithoutKeys) { // scaled_dot_product_attention of torch
    Tensor& mask = input("mask", makeDims({1, 1, 10, 10}));
    Tensor& weights = softmax(sum(product(heads(q), heads(k), true), mask));
    Tensor& isNaN = unary(nvinfer1::UnaryOperation::kISNAN, weights);
    auto const match = matchIn(product(select(isNaN, scalar(0.0F, 4), weights), heads(v)));
    ASSERT_TRUE(match.has_value());
    EXPECT_TRUE(match->op.emptyIsZero);
}

TEST_F(AttentionMatching, UnknownExtents) {
    Tensor& x = input("x", makeDims({-1, -1, 32}));
    auto const split = [&](Tensor& from) -> Tensor& {
        return transpose(reshape(from, makeDims({0, 0, 4, 8})), {0, 2, 1, 3});
    };
    Tensor& result = product(softmax(product(split(x), split(x), true)), split(x));
    options.profiles.emplace_back().shapes["x"] = {makeDims({1, 2, 32}), makeDims({2, 10, 32}),
                                                   makeDims({4, 20, 32})};
    auto const match = matchIn(transpose(result, {0, 2, 1, 3}));
    ASSERT_TRUE(match.has_value());
    EXPECT_EQ(match->op.heads, 4);
    EXPECT_EQ(match->op.size, 8);
}

class NoAttention : public AttentionMatching {};

TEST_F(NoAttention, SoftmaxAlongTheQueries) {
    EXPECT_FALSE(matchIn(product(softmax(product(heads(q), heads(k), true), 2), heads(v))));
}

TEST_F(NoAttention, AScaleThatIsATensor) {
    Tensor& scale = input("scale", makeDims({1, 4, 1, 1}));
    Tensor& scores = elementwise(Operation::kPROD, product(heads(q), heads(k), true), scale);
    EXPECT_FALSE(matchIn(product(softmax(scores), heads(v))));
}

TEST_F(NoAttention, ScoresOrWeightsThatAreReadElsewhere) {
    Tensor& scores = product(heads(q), heads(k), true);
    Tensor& weights = softmax(scores);
    network.markOutput(weights);
    EXPECT_FALSE(matchIn(product(weights, heads(v))));
    Tensor& others = product(heads(q), heads(k), true);
    Tensor& result = product(softmax(sum(others, others)), heads(v)); // the mask depends on them
    EXPECT_FALSE(matchIn(result));
}

TEST_F(NoAttention, AScaledMask) {
    Tensor& mask = input("mask", makeDims({2, 1, 1, 10}));
    Tensor& scores = times(sum(product(heads(q), heads(k), true), mask), 0.125F);
    EXPECT_FALSE(matchIn(product(softmax(scores), heads(v))));
}

TEST_F(NoAttention, AMaskThatRepeatsTheScores) {
    Tensor& one = input("one", makeDims({1, 4, 1, 8}));
    Tensor& mask = input("mask", makeDims({1, 4, 10, 10}));
    Tensor& scores = sum(product(one, heads(k), true), mask);
    EXPECT_FALSE(matchIn(product(softmax(scores), heads(v))));
}

TEST_F(NoAttention, SelectionsOfAFiniteNumber) {
    Tensor& mask = input("mask", makeDims({1, 1, 10, 10}), DataType::kBOOL);
    Tensor& scores = select(mask, product(heads(q), heads(k), true), scalar(-1e4F, 4));
    EXPECT_FALSE(matchIn(product(softmax(scores), heads(v))));
}

TEST_F(NoAttention, NoProductInFront) {
    Tensor& scores = input("scores", makeDims({2, 4, 10, 10}));
    EXPECT_FALSE(matchIn(product(softmax(scores), heads(v))));
}

} // namespace
} // namespace kiln::compiler
