// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the compiler says about loops and branches that it cannot build.
#include "compiler/control_steps.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "compiler/compile.h"
#include "graph/ops/activation.h"
#include "graph/ops/control.h"
#include "graph/ops/identity.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using graph::Tensor;
using test::errorOf;
using testing::HasSubstr;

class BuiltControl : public testing::Test {
protected:
    BuiltControl() {
        options.target = "cpu";
        options.profiles.resize(1);
        options.profiles[0].values["n"] = {{0}, {1}, {8}};
    }
    template <typename Op>
    std::vector<Tensor*> add(Op op, std::vector<Tensor*> inputs) {
        return network.addNode(std::make_unique<Op>(std::move(op)), std::move(inputs)).outputs;
    }
    std::vector<Tensor*> open() {
        graph::Repeat repeat;
        repeat.carried = 1;
        return add(repeat, {&n, &x});
    }
    Tensor& close(std::vector<Tensor*> const& inner, Tensor& next) {
        graph::EndRepeat end;
        end.carried = 1;
        Tensor& result = *add(end, {inner[0], inner[1], &next})[0];
        network.nodes().back()->name = "end";
        return result;
    }
    std::string error(ErrorKind kind, Tensor& output) {
        network.markOutput(output);
        return errorOf(kind, [&] { compile(network, options); });
    }

    Network network{true};
    Options options;
    Tensor& n = network.addInput("n", DataType::kINT64, makeDims({}));
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
};

TEST_F(BuiltControl, NothingLeavesABodyButThroughItsEnd) {
    auto const inner = open();
    Tensor& next = *add(graph::Activation{}, {inner[1]})[0];
    Tensor& result = close(inner, next);
    Tensor& other = *add(graph::Activation{}, {&next})[0];
    network.nodes().back()->name = "thief";
    network.markOutput(result);
    EXPECT_THAT(error(ErrorKind::kInternal, other),
                HasSubstr("[builder] step 'thief': expected operands that its body can read"));
}

TEST_F(BuiltControl, NothingEntersABodyButThroughItsStart) {
    Tensor& before = *add(graph::Activation{}, {&x})[0];
    auto const inner = open();
    Tensor& next = *add(graph::Activation{}, {&before})[0];
    network.nodes().back()->name = "thief";
    EXPECT_THAT(error(ErrorKind::kInternal, close(inner, next)), HasSubstr("step 'thief'"));
}

TEST_F(BuiltControl, BodiesHaveBothEnds) {
    auto const inner = open();
    network.nodes().back()->name = "start";
    EXPECT_THAT(error(ErrorKind::kInternal, *add(graph::Activation{}, {inner[1]})[0]),
                HasSubstr("[builder] step"));
}

TEST_F(BuiltControl, OutputsLieOutside) {
    auto const inner = open();
    Tensor& next = *add(graph::Activation{}, {inner[1]})[0];
    network.markOutput(next);
    EXPECT_THAT(error(ErrorKind::kInternal, close(inner, next)),
                HasSubstr("expected outputs that leave the body through its end"));
}

TEST_F(BuiltControl, PassesHaveABound) {
    options.profiles[0].values["n"].max = {int64_t{1} << 40};
    auto const inner = open();
    network.nodes().back()->name = "long";
    Tensor& next = *add(graph::Activation{}, {inner[1]})[0];
    EXPECT_THAT(error(ErrorKind::kInvalidArgument, close(inner, next)),
                HasSubstr("[builder] layer 'long' (Repeat), number of passes: expected at most "
                          "2147483647 over all profiles, got 1099511627776."));
}

TEST_F(BuiltControl, ThePassesAreKnownOnTheHost) {
    graph::Repeat repeat;
    repeat.carried = 1;
    Tensor& result = *add(repeat, {&x, &x})[1];
    EXPECT_THAT(error(ErrorKind::kInvalidArgument, result),
                HasSubstr("number of passes (input 0): expected one value that is known before the "
                          "layer runs"));
}

TEST_F(BuiltControl, NextValuesAreLikeInitialOnes) {
    auto const inner = open();
    Tensor& other = network.addInput("other", DataType::kFLOAT, makeDims({5}));
    EXPECT_THAT(error(ErrorKind::kInvalidArgument, close(inner, other)),
                HasSubstr("[network] layer 'end' (EndRepeat), inputs 1 "
                          "and 2: expected the same type and shape, got float32 [4] and float32 "
                          "[5]."));
}

TEST_F(BuiltControl, TypesOfALoopAreThoseOfTheNetwork) {
    Network weak(false);
    Tensor& input = weak.addInput("x", DataType::kFLOAT, makeDims({64, 64}));
    Tensor& count = weak.addInput("n", DataType::kINT64, makeDims({}));
    graph::Repeat repeat;
    repeat.carried = 1;
    graph::Node const& inner =
        weak.addNode(std::make_unique<graph::Repeat>(repeat), {&count, &input});
    Tensor& next =
        *weak.addNode(std::make_unique<graph::Activation>(), {inner.outputs[1]}).outputs[0];
    graph::EndRepeat end;
    end.carried = 1;
    Tensor& result = *weak.addNode(std::make_unique<graph::EndRepeat>(end),
                                   {inner.outputs[0], inner.outputs[1], &next})
                          .outputs[0];
    weak.markOutput(result);
    options.allowHalf = true;
    EXPECT_FALSE(compile(weak, options).empty());
}

} // namespace
} // namespace kiln::compiler
