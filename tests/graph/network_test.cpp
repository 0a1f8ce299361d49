// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/network.h"

#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/identity.h"
#include "graph/ops/non_zero.h"
#include "graph/ops/slice.h"

namespace kiln::graph {
namespace {

using test::errorOf;
using testing::HasSubstr;

/// Counts how often it is inferred; fails on request.
class Counting final : public Op {
public:
    explicit Counting(int* count) : count_(count) {}

    std::string_view kind() const override { return "Counting"; }
    nvinfer1::LayerType layerType() const override { return nvinfer1::LayerType::kIDENTITY; }
    void infer(InferContext& context) const override {
        ++*count_;
        if (fails) {
            fail(ErrorKind::kInvalidArgument, "[network] layer '{}' fails.", context.layer);
        }
        context.outputs[0] = context.inputs[0];
    }
    std::unique_ptr<Op> clone() const override { return std::make_unique<Counting>(*this); }
    void save(ByteWriter& writer) const override { static_cast<void>(writer); }

    bool fails = false;

private:
    int* count_;
};

class NetworkTest : public testing::Test {
protected:
    Node& count(Tensor& input, int& counter) {
        return network.addNode(std::make_unique<Counting>(&counter), {&input});
    }
    std::string dims(Tensor& tensor) {
        return toText(knownDims(network.pool(), network.facts(tensor).shape));
    }

    Network network{false};
};

TEST_F(NetworkTest, OperandsThatMayBeAbsent) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    Tensor& value = network.addInput("value", DataType::kFLOAT, makeDims({1}));
    auto slice = std::make_unique<Slice>();
    slice->start = slice->size = slice->stride = makeDims({1});
    Node& node = network.addNode(std::move(slice), {&x, nullptr, nullptr, nullptr, &value});
    EXPECT_EQ(dims(*node.outputs[0]), "[1]");
    EXPECT_EQ(node.operandFacts().size(), 5U);
    EXPECT_TRUE(node.operandFacts()[1].isAbsent());
    network.setNodeInput(node, Slice::kFillValue, nullptr);
    EXPECT_EQ(dims(*node.outputs[0]), "[1]");
    EXPECT_EQ(node.operandFacts().size(), 1U);
    network.setNodeInput(node, Slice::kFillValue, &value);
    network.setNodeInput(node, Slice::kData, nullptr);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { network.inferAll(); }),
                HasSubstr("(Slice): expected a tensor as input 0, got none. Connect it"));
}

TEST_F(NetworkTest, ASizeKeepsItsNumber) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4, -1}));
    Node& node = network.addNode(std::make_unique<NonZero>(), {&x});
    EXPECT_EQ(dims(*node.outputs[0]), "[2,-1]");
    DeclaredSize const first = node.sizes.at(0);
    EXPECT_EQ(node.outputs[0]->facts.shape[1], first.value);
    network.touch(node);
    network.inferAll();
    EXPECT_EQ(node.sizes.at(0).number, first.number);
    EXPECT_EQ(node.sizes.at(0).value, first.value);
    EXPECT_EQ(network.pool().toText(network.pool().node(first.value).b), "(4 * in0.d1)");
}

TEST_F(NetworkTest, InfersOncePerChange) {
    int first = 0;
    int second = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3}));
    Node& a = count(x, first);
    Node& b = count(*a.outputs[0], second);
    EXPECT_EQ(first + second, 0);
    network.inferAll();
    network.inferAll();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 1);
    network.touch(b);
    network.inferAll();
    EXPECT_EQ(first, 1);
    EXPECT_EQ(second, 2);
    network.redeclare(x, [] {});
    network.inferAll();
    EXPECT_EQ(first, 2);
    EXPECT_EQ(second, 3);
}

TEST_F(NetworkTest, AChangeRepeatsOnlyWhatFollowsFromIt) {
    int left = 0;
    int right = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Tensor& y = network.addInput("y", DataType::kFLOAT, makeDims({3}));
    Node& a = count(x, left);
    Node& b = count(*a.outputs[0], left);
    Node& c = count(y, right);
    network.inferAll();
    network.redeclare(y, [&] { y.declaredDims = makeDims({4}); });
    EXPECT_EQ(dims(*b.outputs[0]), "[2]");
    EXPECT_EQ(dims(*c.outputs[0]), "[4]");
    EXPECT_EQ(left, 2);
    EXPECT_EQ(right, 2);
    network.setNodeInput(b, 0, &y);
    EXPECT_EQ(dims(*b.outputs[0]), "[4]");
    EXPECT_EQ(left, 3);
    network.touch(a); // b does not depend on it
    network.inferAll();
    EXPECT_EQ(left, 4);
    EXPECT_EQ(right, 2);
}

// Each layer is added on x, reconnected to the previous layer, and queried for its shape.
TEST_F(NetworkTest, AChainCostsOneInferenceForEachLayer) {
    constexpr int kLayers = 1000;
    int asked = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Tensor* last = &x;
    for (int i = 0; i < kLayers; ++i) {
        Node& node = count(x, asked);
        network.setNodeInput(node, 0, last);
        last = node.outputs[0];
        EXPECT_EQ(dims(*last), "[2]");
        network.inferAll();
    }
    EXPECT_EQ(asked, kLayers);
    EXPECT_EQ(x.users.size(), 1U);
}

TEST_F(NetworkTest, AChainThatIsConnectedBackwardsCostsNoMore) {
    constexpr std::size_t kLayers = 1000;
    int asked = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    for (std::size_t i = 0; i < kLayers; ++i) {
        count(x, asked);
    }
    std::vector<Node*> const& nodes = network.nodes();
    for (std::size_t i = 0; i + 1 < kLayers; ++i) {
        network.setNodeInput(*nodes[i], 0, nodes[i + 1]->outputs[0]);
    }
    EXPECT_EQ(dims(*nodes[0]->outputs[0]), "[2]");
    network.inferAll();
    EXPECT_EQ(asked, static_cast<int>(kLayers));
    EXPECT_EQ(network.ordered().front(), nodes.back());
    EXPECT_EQ(network.ordered().back(), nodes.front());
}

TEST_F(NetworkTest, AnInputMayComeAfterALookAtALayer) {
    int counter = 0;
    Node& first = count(network.addInput("x", DataType::kFLOAT, makeDims({2, 3})), counter);
    EXPECT_EQ(network.facts(*first.outputs[0]).type, DataType::kFLOAT);
    Node& second = count(network.addInput("y", DataType::kINT32, makeDims({4})), counter);
    EXPECT_EQ(network.facts(*second.outputs[0]).type, DataType::kINT32);
    EXPECT_EQ(dims(*second.outputs[0]), "[4]");
}

TEST_F(NetworkTest, ABrokenLayerDoesNotHideWhatStandsBeforeIt) {
    int first = 0;
    int second = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3}));
    Node& a = count(x, first);
    Node& b = count(*a.outputs[0], second);
    static_cast<Counting&>(*b.op).fails = true;
    EXPECT_EQ(dims(*a.outputs[0]), "[2,3]");
    EXPECT_EQ(second, 0);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { network.inferAll(); }),
                HasSubstr("fails"));
    EXPECT_EQ(dims(*a.outputs[0]), "[2,3]");
}

TEST_F(NetworkTest, AnInputFromALaterLayerIsSortedIn) {
    int counter = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Tensor& y = network.addInput("y", DataType::kFLOAT, makeDims({5}));
    Node& a = count(x, counter);
    Node& b = count(y, counter);
    network.setNodeInput(a, 0, b.outputs[0]);
    EXPECT_EQ(dims(*a.outputs[0]), "[5]");
    network.inferAll();
    EXPECT_EQ(network.ordered().front(), &b);
    EXPECT_EQ(network.nodes().front(), &a); // the user's order is kept
}

TEST_F(NetworkTest, ACycleIsNamed) {
    int counter = 0;
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Node& a = count(x, counter);
    Node& b = count(*a.outputs[0], counter);
    a.name = "first";
    network.setNodeInput(a, 0, b.outputs[0]);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { network.inferAll(); }),
                HasSubstr("layer 'first' takes part in a cycle"));
}

TEST_F(NetworkTest, EqualDimensionNamesAreEqualExtents) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1, 3}));
    Tensor& y = network.addInput("y", DataType::kFLOAT, makeDims({-1, 3}));
    EXPECT_FALSE(network.facts(x).shape == network.facts(y).shape);
    for (Tensor* input : {&y, &x}) { // y gets its name first
        network.redeclare(*input, [&] { input->dimensionNames[0] = "batch"; });
    }
    EXPECT_TRUE(network.facts(x).shape == network.facts(y).shape);
    EXPECT_EQ(network.pool().toText(network.facts(y).shape[0]), "in0.d0");
    Node& sum = network.addNode(std::make_unique<ElementWise>(), {&x, &y});
    EXPECT_EQ(network.facts(*sum.outputs[0]).shape, network.facts(x).shape);
    network.redeclare(x, [&] { x.declaredDims = makeDims({1, 3}); });
    EXPECT_EQ(network.pool().toText(network.facts(y).shape[0]), "in1.d0");
    EXPECT_EQ(network.facts(*sum.outputs[0]).shape, network.facts(y).shape);
    network.redeclare(x, [&] { x.declaredDims = makeDims({-1, 3}); });
    EXPECT_EQ(network.pool().toText(network.facts(y).shape[0]), "in0.d0");
    network.redeclare(x, [&] { x.dimensionNames[0] = ""; });
    EXPECT_FALSE(network.facts(x).shape == network.facts(y).shape);
}

TEST_F(NetworkTest, NamesOfInputsAreKnown) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    EXPECT_TRUE(network.hasInput("x"));
    network.rename(x, "y");
    EXPECT_FALSE(network.hasInput("x"));
    EXPECT_TRUE(network.hasInput("y"));
    network.removeTensor(x);
    EXPECT_FALSE(network.hasInput("y"));
}

TEST_F(NetworkTest, DefaultNamesCarryNumberAndKind) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    network.addNode(std::make_unique<Identity>(), {&x});
    Node& second = network.addNode(std::make_unique<Identity>(), {&x});
    EXPECT_EQ(second.name, "(Unnamed Layer* 1) [Identity]");
    EXPECT_EQ(second.outputs[0]->name, "(Unnamed Layer* 1) [Identity]_output");
    EXPECT_EQ(network.indexOf(second), 1);
}

TEST_F(NetworkTest, OutputsAreMarkedOnceInOrder) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Tensor& y = network.addInput("y", DataType::kFLOAT, makeDims({2}));
    network.markOutput(y);
    network.markOutput(x);
    network.markOutput(y);
    EXPECT_EQ(network.outputs(), (std::vector<Tensor*>{&y, &x}));
    network.unmarkOutput(y);
    EXPECT_EQ(network.outputs(), (std::vector<Tensor*>{&x}));
    network.removeTensor(x);
    EXPECT_TRUE(network.outputs().empty());
    EXPECT_EQ(network.inputs(), (std::vector<Tensor*>{&y}));
}

TEST_F(NetworkTest, BadInputDimensionsAreRefused) {
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { network.addInput("x", DataType::kFLOAT, makeDims({2, -2})); }),
                HasSubstr("network input 'x': expected every extent to be -1 or more, got [2,-2]"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { network.addInput("x", DataType::kFLOAT, Dims{9, {}}); }),
                HasSubstr("expected 0 to 8 dimensions, got 9"));
}

} // namespace
} // namespace kiln::graph
