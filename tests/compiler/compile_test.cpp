// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The effect of the passes on small networks, checked in the plan's document.
#include "compiler/compile.h"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/constant.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/non_zero.h"
#include "graph/ops/shape.h"
#include "plan/reader.h"
#include "support/switched_off.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using plan::TensorRole;
using test::SwitchedOff;

/// The bytes and the document that points into them.
struct Compiled {
    Bytes bytes;
    plan::Document document;

    int countKind(std::string_view kind) const {
        return static_cast<int>(
            std::count_if(document.steps.begin(), document.steps.end(),
                          [&](auto const& step) { return step.kernel.op == kind; }));
    }
    plan::TensorRecord const& tensor(std::string_view name) const {
        for (plan::TensorRecord const& record : document.tensors) {
            if (record.name == name) {
                return record;
            }
        }
        fail(ErrorKind::kInternal, "no tensor {}", name);
    }
};

Compiled compiled(Network& network, Options options = {}) {
    options.target = "cpu";
    Compiled result;
    result.bytes = compile(network, options);
    // read() needs aligned bytes. Vectors of this size are aligned.
    result.document = plan::read(result.bytes);
    return result;
}

graph::Tensor& relu(Network& network, graph::Tensor& x) {
    return *network.addNode(std::make_unique<graph::Activation>(), {&x}).outputs[0];
}

TEST(Compile, LayersWithoutUseAreLeftOut) {
    Network network(false);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    relu(network, x);
    graph::Tensor& y = relu(network, x);
    relu(network, y);
    network.markOutput(y);
    EXPECT_EQ(compiled(network).document.steps.size(), 1U);
}

TEST(Compile, LayersThatFindAUsedSizeAreKept) {
    Network network(true);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    graph::Node& found = network.addNode(std::make_unique<graph::NonZero>(), {&x});
    graph::Node& shape = network.addNode(std::make_unique<graph::Shape>(), {found.outputs[0]});
    network.markOutput(*shape.outputs[0]);
    EXPECT_EQ(compiled(network).countKind("NonZero"), 1);
}

TEST(Compile, WantedOutputTypeIsCastTo) {
    SwitchedOff const fusion("KILN_FUSION");
    Network network(false);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    graph::Tensor& y = relu(network, x);
    y.name = "y";
    y.wantedType = DataType::kHALF;
    network.markOutput(y);
    Compiled const result = compiled(network);
    EXPECT_EQ(result.countKind("Cast"), 1);
    EXPECT_EQ(result.tensor("y").type.type, DataType::kHALF);
    EXPECT_EQ(result.document.steps.back().kernel.op, "Cast");
}

TEST(Compile, InputMarkedAsOutputIsCopied) {
    Network network(false);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    network.markOutput(x);
    Compiled const result = compiled(network);
    EXPECT_EQ(result.countKind("Identity"), 1);
    EXPECT_EQ(result.tensor("x").role, TensorRole::kInput);
    EXPECT_EQ(result.tensor("x_output").role, TensorRole::kOutput);
}

TEST(Compile, ConstantsAreKeptOnceWithTheirOrigin) {
    Network network(false);
    float const values[] = {1, 2, 3, 4};
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    auto constant = std::make_unique<graph::Constant>();
    constant->value = {DataType::kFLOAT, values, 4};
    constant->dims = makeDims({4});
    graph::Node& node = network.addNode(std::move(constant), {});
    node.name = "bias";
    graph::Tensor* sum = &x;
    for (int i = 0; i < 3; ++i) {
        sum = network.addNode(std::make_unique<graph::ElementWise>(), {sum, node.outputs[0]})
                  .outputs[0];
    }
    network.markOutput(*sum);
    Compiled const result = compiled(network);
    auto const constants =
        std::count_if(result.document.tensors.begin(), result.document.tensors.end(),
                      [](auto const& tensor) { return tensor.role == TensorRole::kConstant; });
    EXPECT_EQ(constants, 1);
    plan::TensorRecord const& record = result.tensor("bias/value");
    EXPECT_EQ(record.origin, "bias/value");
    ASSERT_EQ(record.data.size(), sizeof(values));
    EXPECT_EQ(std::memcmp(record.data.data(), values, sizeof(values)), 0);
}

TEST(Compile, ArenaOfAChainHoldsTwoTensors) {
    SwitchedOff const fusion("KILN_FUSION");
    Network network(false);
    graph::Tensor* tensor = &network.addInput("x", DataType::kFLOAT, makeDims({256}));
    for (int i = 0; i < 12; ++i) {
        tensor = &relu(network, *tensor);
    }
    network.markOutput(*tensor);
    EXPECT_EQ(compiled(network).document.arenaBytes, 2048U);
}

TEST(Compile, ArenaHoldsTheLargestShapes) {
    SwitchedOff const fusion("KILN_FUSION");
    Network network(false);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1}));
    network.markOutput(relu(network, relu(network, x)));
    Options options;
    options.profiles.push_back({{{"x", {makeDims({1}), makeDims({2}), makeDims({16})}}}});
    options.profiles.push_back({{{"x", {makeDims({32}), makeDims({64}), makeDims({1024})}}}});
    Compiled const result = compiled(network, options);
    EXPECT_EQ(result.document.arenaBytes, 4096U);
    EXPECT_EQ(result.document.profiles.size(), 2U);
}

TEST(Compile, StronglyTypedNetworksGetNoHalf) {
    Network network(true);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({1 << 16}));
    network.markOutput(relu(network, relu(network, x)));
    Options options;
    options.allowHalf = true;
    Compiled const result = compiled(network, options);
    for (plan::TensorRecord const& tensor : result.document.tensors) {
        EXPECT_EQ(tensor.type.type, DataType::kFLOAT) << tensor.name;
    }
}

TEST(Compile, EqualNetworksGiveEqualBytes) {
    auto const once = [] {
        Network network(false);
        graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1, 3}));
        graph::Tensor& y = relu(network, x);
        network.markOutput(
            *network.addNode(std::make_unique<graph::ElementWise>(), {&x, &y}).outputs[0]);
        Options options;
        options.profiles.push_back(
            {{{"x", {makeDims({1, 3}), makeDims({2, 3}), makeDims({3, 3})}}}});
        return compiled(network, options).bytes;
    };
    EXPECT_TRUE(once() == once());
}

TEST(Compile, UnknownTarget) {
    Network network(false);
    Options options;
    options.target = "abacus";
    try {
        compile(network, options);
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_NE(std::string(error.what()).find("abacus"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("cpu"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace kiln::compiler
