// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/nesting.h"

#include <gmock/gmock.h>

#include "compiler/nesting_order.h"
#include "graph/boundary/conditional.h"
#include "graph/boundary/loop.h"
#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using graph::Node;
using graph::Tensor;
using testing::ElementsAre;

std::vector<std::size_t> ordered(std::vector<std::vector<std::size_t>> const& before) {
    return orderedBy(before, [](std::size_t at) { throw at; });
}

TEST(OrderedBy, KeepsTheNumbersWherePossible) {
    EXPECT_THAT(ordered({{}, {}, {}}), ElementsAre(0, 1, 2));
    EXPECT_THAT(ordered({{2}, {}, {3}, {}}), ElementsAre(3, 2, 0, 1));
    EXPECT_THAT(ordered({{1, 1}, {}}), ElementsAre(1, 0));
    EXPECT_THROW(ordered({{1}, {2}, {0}}), std::size_t);
    EXPECT_THROW(ordered({{0}}), std::size_t);
}

TEST(OrderedBy, TakesLongChains) {
    std::vector<std::vector<std::size_t>> before(200000);
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
        before[i] = {i + 1};
    }
    EXPECT_EQ(ordered(before).front(), before.size() - 1);
}

class NestingTest : public testing::Test {
protected:
    template <typename Op>
    Tensor& add(Op op, std::vector<Tensor*> inputs, char const* name = "") {
        Node& node = network.addNode(std::make_unique<Op>(std::move(op)), std::move(inputs));
        node.name = name;
        return node.outputs.empty() ? x : *node.outputs[0];
    }
    /// A layer at the border of loop or conditional `part`.
    template <typename Op>
    Tensor& border(int32_t part, std::vector<Tensor*> inputs, char const* name = "") {
        Op op;
        op.part = part;
        return add(op, std::move(inputs), name);
    }
    Tensor& layer(Tensor& input, char const* name) {
        return add(graph::Activation{}, {&input}, name);
    }
    Tensor& sum(Tensor& a, Tensor& b, char const* name) {
        return add(graph::ElementWise{}, {&a, &b}, name);
    }
    Nesting nesting(Tensor& output) {
        network.markOutput(output);
        network.inferAll();
        return {network, neededNodes(network)};
    }
    /// The layers of a body in order, with the bodies of blocks in braces.
    std::string text(Nesting const& nesting, PlaceId place = PlaceId::kOutside) {
        std::string text;
        for (PlacedItem const& item : nesting.place(place).items) {
            text += text.empty() ? "" : " ";
            if (item.isTest()) {
                text += "?";
            } else if (item.node != nullptr) {
                text += item.node->name;
            } else {
                for (PlaceId const body : nesting.block(item.block).bodies) {
                    text += body == PlaceId::kNone ? "" : "{" + this->text(nesting, body) + "}";
                }
            }
        }
        return text;
    }

    Network network{true};
    Tensor& n = network.addInput("n", DataType::kINT32, makeDims({}));
    Tensor& c = network.addInput("c", DataType::kBOOL, makeDims({}));
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
};

TEST_F(NestingTest, ALoopHoldsWhatItsPassesChange) {
    border<graph::TripLimit>(0, {&n});
    Tensor& state = border<graph::Recurrence>(0, {&layer(x, "start")});
    Tensor& outside = layer(x, "outside");
    Tensor& next = sum(layer(state, "a"), outside, "b");
    network.setNodeInput(*state.producer, 1, &next);
    Tensor& last = border<graph::LoopOutput>(0, {&state});
    layer(x, "unused");
    Nesting const found = nesting(layer(last, "behind"));
    EXPECT_EQ(text(found), "start outside {a b} behind");
    EXPECT_THAT(found.place(found.block(BlockId{0}).bodies[0]).reads, ElementsAre(&outside));
}

TEST_F(NestingTest, WhatAConditionNeedsComesFirst) {
    graph::TripLimit limit;
    limit.part = 0;
    limit.limit = nvinfer1::TripLimit::kWHILE;
    Tensor& state = border<graph::Recurrence>(0, {&c});
    Tensor& next = layer(state, "next");
    Tensor& tested = layer(layer(state, "first"), "second");
    network.setNodeInput(*state.producer, 1, &next);
    add(limit, {&tested});
    Tensor& last = border<graph::LoopOutput>(0, {&state});
    network.markOutput(last);
    // Not inferred: an activation takes no truth values.
    Nesting const found(network, neededNodes(network));
    EXPECT_EQ(text(found), "{first second ? next}");
}

TEST_F(NestingTest, ABranchHoldsWhatOnlyItNeeds) {
    border<graph::Condition>(0, {&c});
    Tensor& inside = border<graph::ConditionalInput>(0, {&x});
    Tensor& shared = layer(inside, "shared");
    Tensor& first = layer(layer(shared, "a"), "b");
    Tensor& second = sum(shared, x, "c");
    Tensor& chosen = border<graph::ConditionalOutput>(0, {&first, &second});
    Nesting const found = nesting(sum(chosen, layer(x, "other"), "end"));
    EXPECT_EQ(text(found), "shared {a b}{c} other end");
    EXPECT_THAT(found.place(found.block(BlockId{0}).bodies[1]).reads, ElementsAre(&shared, &x));
}

// The inner loop reads a layer of the outer one, and one from outside of both.
TEST_F(NestingTest, LoopsNest) {
    border<graph::TripLimit>(0, {&n});
    border<graph::TripLimit>(1, {&n});
    Tensor& outer = border<graph::Recurrence>(0, {&x});
    Tensor& inner = border<graph::Recurrence>(1, {&x});
    Tensor& fixed = layer(x, "fixed");
    Tensor& step = sum(sum(inner, layer(outer, "a"), "b"), fixed, "c");
    network.setNodeInput(*inner.producer, 1, &step);
    Tensor& result = border<graph::LoopOutput>(1, {&inner});
    network.setNodeInput(*outer.producer, 1, &layer(result, "d"));
    Nesting const found = nesting(border<graph::LoopOutput>(0, {&outer}));
    EXPECT_EQ(text(found), "fixed {a {b c} d}");
    PlaceId const body = found.block(BlockId{0}).bodies[0];
    EXPECT_THAT(found.place(body).reads, testing::UnorderedElementsAre(&n, &x, &fixed));
}

// A layer in a branch that a loop does not change stays in front of the loop.
TEST_F(NestingTest, BranchesInLoopsAndLoopsInBranches) {
    border<graph::TripLimit>(0, {&n});
    Tensor& state = border<graph::Recurrence>(0, {&x});
    border<graph::Condition>(1, {&c});
    Tensor& first = sum(state, layer(x, "fixed"), "a");
    Tensor& chosen = border<graph::ConditionalOutput>(1, {&first, &layer(state, "b")});
    network.setNodeInput(*state.producer, 1, &chosen);
    Tensor& last = border<graph::LoopOutput>(0, {&state});
    border<graph::Condition>(2, {&c});
    Tensor& end = border<graph::ConditionalOutput>(2, {&layer(last, "d"), &layer(x, "e")});
    EXPECT_EQ(text(nesting(end)), "{fixed {{a}{b}} d}{e}");
}

} // namespace
} // namespace kiln::compiler
