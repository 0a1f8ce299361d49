// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Masks that are, or contain, the causal rule, several masks, and repeated heads.
#include "compiler/attention_mask.h"

#include <limits>

#include <gmock/gmock.h>

#include "compiler/attention_match.h"
#include "graph/ops/fill.h"
#include "program_fixture.h"

namespace kiln::compiler {
namespace {

using graph::Attention;
using Causal = Attention::Causal;
using testing::ElementsAre;

constexpr float kNever = -std::numeric_limits<float>::infinity();

class AttentionMasking : public ProgramTest {
protected:
    Tensor& scores() { return product(q, k, true); }
    /// `hidden` where key > query + diagonal, else 0.
    Tensor& triangle(float hidden, int64_t diagonal = 0, float seen = 0.0F) {
        std::vector<float> values;
        for (int64_t i = 0; i < 10; ++i) {
            for (int64_t j = 0; j < 14; ++j) {
                values.push_back(j > i + diagonal ? hidden : seen);
            }
        }
        return constant(std::move(values), makeDims({1, 1, 10, 14}));
    }
    Tensor& isBelow(Tensor& a, Tensor& b) { return elementwise(Operation::kLESS, a, b); }
    std::optional<AttentionMatch> match(Tensor& masked) {
        Program const& found = programFor(product(softmax(masked), v));
        program = &found;
        ElementRules rules(found);
        std::optional<AttentionMatch> match;
        for (StepId const id : found.order()) {
            if (auto one = matchAttention(found, rules, id)) {
                match = std::move(one);
            }
        }
        return match;
    }
    std::vector<std::string> masksOf(AttentionMatch const& found) const {
        std::vector<std::string> names;
        for (ValueId const mask : found.masks) {
            names.push_back(program->value(mask).name);
        }
        return names;
    }

    Tensor& q = input("q", makeDims({2, 4, 10, 8}));
    Tensor& k = input("k", makeDims({2, 4, 14, 8}));
    Tensor& v = input("v", makeDims({2, 4, 14, 8}));
    Program const* program = nullptr;
};

TEST_F(AttentionMasking, TrianglesOfInfinityAreTheRule) {
    auto const found = match(sum(scores(), triangle(kNever)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromStart);
    EXPECT_TRUE(found->masks.empty());
}

TEST_F(AttentionMasking, TheLastQuerySeesAllKeys) { // past keys
    auto const found = match(sum(scores(), triangle(-1e9F, 4)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromEnd);
}

TEST_F(AttentionMasking, OtherTrianglesAreMasks) {
    auto const found = match(sum(scores(), triangle(kNever, 2)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kNone);
    EXPECT_EQ(found->masks.size(), 1U);
}

TEST_F(AttentionMasking, SmallNumbersHideNothing) {
    auto const found = match(sum(scores(), triangle(-50.0F)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kNone);
}

TEST_F(AttentionMasking, PaddingStaysBesideTheRule) {
    Tensor& padding = input("padding", makeDims({2, 1, 1, 14}));
    auto const found = match(sum(sum(scores(), padding), triangle(kNever)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromStart);
    EXPECT_THAT(masksOf(*found), ElementsAre("padding"));
}

TEST_F(AttentionMasking, TheRuleInASumOfMasks) {
    Tensor& padding = input("padding", makeDims({2, 1, 1, 14}));
    auto const found = match(sum(sum(triangle(kNever), padding), scores()));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromStart);
    EXPECT_THAT(masksOf(*found), ElementsAre("padding"));
}

TEST_F(AttentionMasking, FiniteTrianglesBesidePaddingAreMasks) { // rows may be hidden as a whole
    Tensor& padding = input("padding", makeDims({2, 1, 1, 14}));
    auto const found = match(sum(sum(scores(), padding), triangle(-1e9F)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kNone);
    EXPECT_EQ(found->masks.size(), 2U);
}

TEST_F(AttentionMasking, MasksOfZerosVanish) {
    auto const found = match(sum(scores(), triangle(0.0F)));
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->masks.empty());
}

TEST_F(AttentionMasking, SelectionsByATriangle) {
    for (float const other : {kNever, -3e38F}) {
        Tensor& mask = isBelow(scalar(0.5F, 4), triangle(0.0F, 0, 1.0F));
        auto const found = match(select(mask, scores(), scalar(other, 4)));
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->op.causal, Causal::kFromStart);
        EXPECT_TRUE(found->masks.empty());
    }
}

TEST_F(AttentionMasking, TheRuleInAConjunction) { // torch: where(causal and padding, 0, -inf)
    Tensor& padding = input("padding", makeDims({2, 1, 1, 14}), DataType::kBOOL);
    Tensor& causal = isBelow(scalar(0.5F, 4), triangle(0.0F, 0, 1.0F));
    Tensor& both = elementwise(Operation::kAND, causal, padding);
    Tensor& added = select(both, scalar(0.0F, 4), scalar(kNever, 4));
    auto const found = match(sum(scores(), added));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromStart);
    EXPECT_THAT(masksOf(*found), ElementsAre("padding"));
    EXPECT_FALSE(found->op.maskDrops);
}

TEST_F(AttentionMasking, ComparedRanges) { // Trilu: column - row from a Fill
    auto fill = std::make_unique<graph::Fill>();
    fill->dims = makeDims({10, 14});
    fill->type = DataType::kINT64;
    fill->isWhole = true;
    std::vector<int64_t> const steps{-1, 1};
    auto op = std::make_unique<graph::Constant>();
    op->dims = makeDims({2});
    op->value = {DataType::kINT64, steps.data(), 2};
    Tensor& beta = *network.addNode(std::move(op), {}).outputs[0];
    Tensor& difference = *network.addNode(std::move(fill), {nullptr, nullptr, &beta}).outputs[0];
    Tensor& zero = cast(constant({0.0F}, makeDims({1, 1})), DataType::kINT64);
    Tensor& above = elementwise(Operation::kGREATER, difference, zero);
    Tensor& mask = reshape(above, makeDims({1, 1, 10, 14}));
    auto const found = match(select(mask, scalar(kNever, 4), scores()));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->op.causal, Causal::kFromStart);
}

TEST_F(AttentionMasking, TwoMasksBecomeOne) {
    Tensor& mask = input("mask", makeDims({2, 1, 1, 14}));
    Tensor& bias = input("bias", makeDims({1, 4, 10, 14}));
    Tensor& masked = sum(sum(scores(), mask), bias);
    Program& changed = programFor(product(softmax(masked), v));
    formAttention(changed);
    checkProgram(changed, "form_attention");
    std::vector<std::string> kinds;
    for (StepId const id : changed.order()) {
        kinds.emplace_back(changed.step(id).op->kind());
    }
    EXPECT_THAT(kinds, ElementsAre("ElementWise", "Attention"));
}

/// [2, 2, 14, 8] as [2, 4, 14, 8], each head twice.
class RepeatedHeads : public AttentionMasking {
protected:
    Tensor& repeated(Tensor& x, int32_t axis) {
        Tensor& split =
            reshape(x, axis == 2 ? makeDims({2, 2, 1, 14, 8}) : makeDims({2, 1, 2, 14, 8}));
        auto op = std::make_unique<graph::Slice>();
        op->start = op->stride = makeDims({0, 0, 0, 0, 0});
        op->size = makeDims({2, 2, 2, 14, 8});
        for (int32_t i = 0; i < 5; ++i) {
            op->stride.d[i] = i == axis ? 0 : 1;
        }
        Tensor& more = *network.addNode(std::move(op), {&split}).outputs[0];
        return reshape(more, makeDims({2, 4, 14, 8}));
    }
    Tensor& few = input("few", makeDims({2, 2, 14, 8}));
};

TEST_F(RepeatedHeads, NeighboursVanish) {
    Tensor& values = input("values", makeDims({2, 2, 14, 8}));
    Tensor& weights = softmax(product(q, transpose(repeated(few, 2), {0, 1, 3, 2})));
    Program const& found = programFor(product(weights, repeated(values, 2)));
    ElementRules rules(found);
    std::optional<AttentionMatch> match;
    for (StepId const id : found.order()) {
        if (auto one = matchAttention(found, rules, id)) {
            match = std::move(one);
        }
    }
    ASSERT_TRUE(match.has_value());
    EXPECT_EQ(match->op.heads, 4);
    EXPECT_EQ(match->op.keyHeads, 2);
    EXPECT_EQ(found.value(match->sources[1].value).name, "few");
    EXPECT_EQ(found.value(match->sources[2].value).name, "values");
}

TEST_F(RepeatedHeads, OtherOrdersAndOneOfTwoStay) {
    for (int32_t const axis : {1, 2}) {
        Tensor& keys = repeated(few, axis);
        Program const& found = programFor(product(softmax(product(q, keys, true)), v));
        ElementRules rules(found);
        for (StepId const id : found.order()) {
            if (auto const match = matchAttention(found, rules, id)) {
                EXPECT_EQ(match->op.keyHeads, 4);
            }
        }
    }
}

} // namespace
} // namespace kiln::compiler
