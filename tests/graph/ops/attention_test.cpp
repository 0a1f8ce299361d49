// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/attention.h"

#include "../op_fixture.h"

namespace kiln::graph {
namespace {

using Layout = Attention::Layout;

Attention joined() {
    Attention op;
    op.layouts = {Layout::kJoined, Layout::kJoined, Layout::kJoined, Layout::kJoined};
    op.heads = 4;
    op.keyHeads = 2;
    op.size = 8;
    op.valueSize = 6;
    return op;
}

class AttentionTest : public OpTest {};

TEST_F(AttentionTest, JoinedHeadsGiveJoinedHeads) {
    EXPECT_EQ(shape(joined(), {floats({2, 10, 32}), floats({2, 12, 16}), floats({2, 12, 12})}),
              "[2,10,24]");
}

TEST_F(AttentionTest, EachOperandHasItsOwnLayout) {
    Attention op = joined();
    op.layouts = {Layout::kHeadsFirst, Layout::kChannelsFirst, Layout::kLengthFirst,
                  Layout::kHeadsFirst};
    EXPECT_EQ(shape(op, {floats({2, 4, 10, 8}), floats({2, 2, 8, 12}), floats({2, 12, 2, 6})}),
              "[2,4,10,6]");
    op.layouts[Attention::kOutput] = Layout::kLengthFirst;
    EXPECT_EQ(shape(op, {floats({2, 4, 10, 8}), floats({1, 2, 8, 12}), floats({1, 12, 2, 6})}),
              "[2,10,4,6]");
}

TEST_F(AttentionTest, ExtentsMayBeUnknown) {
    EXPECT_EQ(shape(joined(), {floats({-1, -2, 32}), floats({-1, -3, 16}), floats({-1, -3, 12}),
                               floats({-1, 1, 1, -3})}),
              "[-1,-1,24]");
}

TEST_F(AttentionTest, SlicesOfOneTensor) {
    Attention op = joined();
    op.keyHeads = 4;
    op.valueSize = 8;
    op.offsets = {0, 32, 64};
    TensorFacts const all = floats({2, 10, 96});
    EXPECT_EQ(shape(op, {all, all, all}), "[2,10,32]");
    op.offsets[2] = 65;
    EXPECT_NE(problem(op, {all, all, all}).find("4 heads of 8 channels from channel 65"),
              std::string::npos);
}

TEST_F(AttentionTest, RefusesOperandsThatDoNotFit) {
    auto const query = floats({2, 10, 32});
    auto const key = floats({2, 12, 16});
    auto const value = floats({2, 12, 12});
    auto const refused = [&](std::vector<TensorFacts> const& inputs, std::string const& text) {
        EXPECT_NE(problem(joined(), inputs).find(text), std::string::npos)
            << problem(joined(), inputs);
    };
    refused({query, key}, "3 to 4 inputs");
    refused({query, floats({2, 12, 15}), value}, "key (input 1)");
    refused({query, floats({3, 12, 16}), value}, "key (input 1)");
    refused({query, key, floats({2, 11, 12})}, "as many keys as values, got 12 and 11");
    refused({query, floats({2, 2, 12, 8}), value}, "rank 3");
    refused({query, key, input(DataType::kHALF, {2, 12, 12})}, "value (input 2)");
    refused({query, key, value, floats({2, 4, 10, 11})}, "mask (input 3)");
    refused({query, key, value, floats({10, 12})}, "mask (input 3)");
    refused({query, key, value, input(DataType::kINT32, {1, 1, 1, 12})}, "mask (input 3)");
    EXPECT_EQ(shape(joined(), {query, key, value, input(DataType::kBOOL, {2, 1, 1, 12})}),
              "[2,10,24]");
}

TEST_F(AttentionTest, OneHeadTakesMasksWithoutHeads) {
    Attention op = joined();
    op.heads = op.keyHeads = 1;
    EXPECT_EQ(shape(op, {floats({6, 10, 8}), floats({6, 12, 8}), floats({6, 12, 6}),
                         floats({6, 10, 12})}),
              "[6,10,6]");
}

TEST_F(AttentionTest, GoesThroughPlans) {
    Attention op = joined();
    op.offsets = {1, 2, 3};
    op.scale = 0.25F;
    op.causal = Attention::Causal::kFromEnd;
    op.maskDrops = op.emptyIsZero = true;
    EXPECT_EQ(saved(*throughPlan(op)), saved(op));
}

TEST_F(AttentionTest, RefusesParametersThatDoNotFit) {
    auto const refused = [&](auto&& change, std::string const& text) {
        Attention op = joined();
        change(op);
        EXPECT_NE(op.problem().find(text), std::string::npos) << op.problem();
    };
    refused([](Attention& op) { op.heads = 3; }, "multiple of the heads of keys, got 3 and 2");
    refused([](Attention& op) { op.keyHeads = 0; }, "heads");
    refused([](Attention& op) { op.size = 0; }, "channels");
    refused([](Attention& op) { op.valueSize = int64_t{1} << 40; }, "channels");
    refused([](Attention& op) { op.layouts[2] = static_cast<Layout>(4); }, "layout of 0 to 3");
    refused([](Attention& op) { op.causal = static_cast<Attention::Causal>(3); }, "causal rule");
    refused([](Attention& op) { op.scale = std::numeric_limits<float>::infinity(); }, "scale");
    refused(
        [](Attention& op) {
            op.layouts[1] = Layout::kHeadsFirst;
            op.offsets[1] = 1;
        },
        "first channel of key of 0 to 0, got 1");
}

} // namespace
} // namespace kiln::graph
