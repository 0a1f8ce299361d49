// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches, from a network made by hand to the results of its engine.
#include <cmath>

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "device/control_network.h"
#include "device/gpu_control_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/constant.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/identity.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/non_zero.h"
#include "graph/ops/shape.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/slice.h"
#include "graph/ops/softmax.h"

namespace kiln::test {
namespace {

using graph::Network;
using graph::Tensor;
using nvinfer1::ElementWiseOperation;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

using Control = ControlTest;

INSTANTIATE_TEST_SUITE_P(Host, Control, testing::Values("cpu", "queued"));
INSTANTIATE_TEST_SUITE_P(Gpu, Control, testing::Values("cuda"));

Tensor& constant(Network& network, DataType type, void const* values,
                 std::vector<int64_t> extents) {
    graph::Constant op;
    op.dims.nbDims = static_cast<int32_t>(extents.size());
    std::copy(extents.begin(), extents.end(), op.dims.d);
    op.value = {type, values, volume(op.dims, "a test")};
    return add(network, op, {});
}

Tensor& number(Network& network, int32_t value) {
    static std::map<int32_t, int32_t> kept; // the network refers to the value
    return constant(network, DataType::kINT32, &kept.emplace(value, value).first->second, {});
}

Tensor& both(Network& network, ElementWiseOperation operation, Tensor& a, Tensor& b) {
    graph::ElementWise op;
    op.operation = operation;
    return add(network, op, {&a, &b});
}
Tensor& sum(Network& network, Tensor& a, Tensor& b) {
    return both(network, ElementWiseOperation::kSUM, a, b);
}
Tensor& product(Network& network, Tensor& a, Tensor& b) {
    return both(network, ElementWiseOperation::kPROD, a, b);
}

void output(Network& network, Tensor& tensor, char const* name = "y") {
    network.rename(tensor, name);
    network.markOutput(tensor);
}

/// A host input 'n' of one number from 0 to `most`.
Tensor& hostNumber(Network& network, compiler::Options& options, char const* name, int64_t most,
                   DataType type = DataType::kINT32) {
    if (options.profiles.empty()) {
        options.profiles.emplace_back();
    }
    options.profiles[0].values[name] = {{0}, {most / 2}, {most}};
    return network.addInput(name, type, makeDims({}));
}

/// s = 2 s + x, n times, from s = x.
Tensor& doubled(Network& network, Tensor& n, Tensor& x) {
    return *repeat(network, n, {&x}, {&x}, [&](Tensors const& s, Tensors const& shared) {
        return Tensors{&sum(network, sum(network, *s[0], *s[0]), *shared[0])};
    })[0];
}

TEST_P(Control, ALoopRunsAFixedNumberOfTimes) {
    Network network(true);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
    output(network, doubled(network, number(network, 3), x));
    ControlEngine run(network, target());
    run.set<float>("x", {1, -2, 3, 0.5F}, {4});
    EXPECT_THAT(run.get("y", 4), ElementsAre(15, -30, 45, 7.5F));
    EXPECT_THAT(run.get("y", 4), ElementsAre(15, -30, 45, 7.5F));
    plan::StepRecord const& step = run.step("loop");
    EXPECT_EQ(step.control->kind, plan::ControlKind::kRepeat);
    EXPECT_EQ(step.control->bodies.size(), 1U);
    EXPECT_EQ(step.control->steps(), run.engine.document().steps.size() - 1);
}

TEST_P(Control, AHostInputGivesTheNumberOfPasses) {
    Network network(true);
    compiler::Options options;
    Tensor& n = hostNumber(network, options, "n", 8);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    output(network, doubled(network, n, x));
    ControlEngine run(network, target(), options);
    run.set<float>("x", {1, -3}, {2});
    for (int32_t const passes : {2, 0, 5, 8}) {
        run.setOnHost("n", passes);
        auto const factor = static_cast<float>((2 << passes) - 1);
        EXPECT_THAT(run.get("y", 2), ElementsAre(factor, -3 * factor)) << passes;
    }
    run.setOnHost<int32_t>("n", 9);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { run.run("y"); }), HasSubstr("'n'"));
}

TEST_P(Control, CarriedValuesMayBeExchanged) {
    Network network(true);
    Tensor& a = network.addInput("a", DataType::kFLOAT, makeDims({2}));
    Tensor& b = network.addInput("b", DataType::kFLOAT, makeDims({2}));
    Tensors const last = repeat(network, number(network, 7), {&a, &b, &a}, {},
                                [&](Tensors const& s, Tensors const&) {
                                    return Tensors{s[1], &sum(network, *s[0], *s[1]), s[2]};
                                });
    output(network, sum(network, *last[0], product(network, *last[2], *last[1])));
    ControlEngine run(network, target());
    run.set<float>("a", {0, 1}, {2});
    run.set<float>("b", {1, 1}, {2});
    EXPECT_THAT(run.get("y", 2), ElementsAre(13, 21 + 34)); // Fibonacci numbers
}

TEST_P(Control, ABranchRunsOneOfItsBodies) {
    Network network(true);
    compiler::Options options;
    Tensor& c = hostNumber(network, options, "c", 1, DataType::kBOOL);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3}));
    Tensor& y = *branch(
        network, c, {&x},
        [&](Tensors const& in) {
            return Tensors{&add(network, graph::SoftMax{}, {&sum(network, *in[0], *in[0])})};
        },
        [&](Tensors const& in) { return Tensors{&add(network, graph::Activation{}, {in[0]})}; })[0];
    output(network, add(network, graph::Identity{}, {&y}));
    ControlEngine run(network, target(), options);
    std::vector<float> const x6{0, 1, -1, 2, -2, 3};
    run.set<float>("x", x6, {2, 3});
    run.setOnHost("c", false);
    EXPECT_THAT(run.get("y", 6), ElementsAre(0, 1, 0, 2, 0, 3));
    run.setOnHost("c", true);
    std::vector<float> expected; // softmax over axis 0
    for (std::size_t i = 0; i < 6; ++i) {
        float const all = std::exp(2 * x6[i % 3]) + std::exp(2 * x6[i % 3 + 3]);
        expected.push_back(std::exp(2 * x6[i]) / all);
    }
    EXPECT_THAT(run.get("y", 6), Pointwise(FloatNear(1e-6F), expected));
    run.setOnHost("c", false);
    EXPECT_THAT(run.get("y", 6), ElementsAre(0, 1, 0, 2, 0, 3));
}

TEST_P(Control, ABodyMayGiveWhatItGets) {
    Network network(true);
    compiler::Options options;
    Tensor& c = hostNumber(network, options, "c", 1);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    static float const kTens[2] = {10, 20};
    Tensor& tens = constant(network, DataType::kFLOAT, kTens, {2});
    Tensors const results = branch(
        network, c, {&x}, [&](Tensors const& in) { return Tensors{in[0], &tens}; },
        [&](Tensors const& in) { return Tensors{&tens, in[0]}; });
    output(network, *results[0], "y");
    output(network, *results[1], "z");
    ControlEngine run(network, target(), options);
    run.set<float>("x", {1, 2}, {2});
    run.setOnHost("c", 1);
    run.context.setAddress(run.engine.ioIndex("z"), nullptr);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { run.run("y"); }), HasSubstr("'z'"));
    run.bind("z");
    EXPECT_THAT(run.get("y", 2), ElementsAre(1, 2));
    EXPECT_THAT(run.get("z", 2), ElementsAre(10, 20));
    run.setOnHost("c", 0);
    EXPECT_THAT(run.get("y", 2), ElementsAre(10, 20));
    EXPECT_THAT(run.get("z", 2), ElementsAre(1, 2));
}

/// n times: s = c ? s + x : s * 2^m, by an inner loop.
TEST_P(Control, BodiesNest) {
    Network network(true);
    compiler::Options options;
    Tensor& n = hostNumber(network, options, "n", 6);
    Tensor& m = hostNumber(network, options, "m", 6);
    Tensor& c = hostNumber(network, options, "c", 1);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({3}));
    Tensor& before = sum(network, x, x);
    auto const inner = [&](Tensors const& in) {
        return repeat(
            network, *in[2], {in[0]}, {},
            [&](Tensors const& s, Tensors const&) { return Tensors{&sum(network, *s[0], *s[0])}; },
            "inner");
    };
    Tensors const last =
        repeat(network, n, {&before}, {&c, &x, &m}, [&](Tensors const& s, Tensors const& in) {
            return branch(
                network, *in[0], {s[0], in[1], in[2]},
                [&](Tensors const& own) { return Tensors{&sum(network, *own[0], *own[1])}; },
                inner);
        });
    output(network, sum(network, *last[0], x));
    ControlEngine run(network, target(), options);
    std::vector<float> const x3{1, -2, 0.25F};
    run.set<float>("x", x3, {3});
    for (int32_t const condition : {0, 1}) {
        for (int32_t const outer : {0, 1, 3}) {
            for (int32_t const times : {0, 2}) {
                run.setOnHost("n", outer);
                run.setOnHost("m", times);
                run.setOnHost("c", condition);
                std::vector<float> expected;
                for (float const value : x3) {
                    float state = value + value;
                    for (int32_t i = 0; i < outer; ++i) {
                        state = condition != 0 ? state + value : std::ldexp(state, times);
                    }
                    expected.push_back(state + value);
                }
                EXPECT_EQ(run.get("y", 3), expected) << condition << outer << times;
            }
        }
    }
}

TEST_P(Control, ShapesMayChangeBetweenRuns) {
    Network network(true);
    compiler::Options options;
    options.profiles.push_back(
        {{{"x", {makeDims({1, 2}), makeDims({2, 2}), makeDims({4, 2})}}}, {}});
    Tensor& n = hostNumber(network, options, "n", 4);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1, 2}));
    // Each pass sees its value as a vector, and multiplies rows with a constant matrix.
    static float const kSwap[4] = {0, 2, 1, 0};
    Tensor& matrix = constant(network, DataType::kFLOAT, kSwap, {2, 2});
    Tensor& last =
        *repeat(network, n, {&x}, {&matrix, &x}, [&](Tensors const& s, Tensors const& in) {
            Tensor& moved = add(network, graph::MatrixMultiply{}, {s[0], in[0]});
            graph::Shuffle flat;
            flat.reshape = makeDims({-1});
            graph::Shuffle rows;
            rows.reshape = makeDims({-1, 2});
            Tensor& twice = sum(network, add(network, flat, {&moved}), add(network, flat, {in[1]}));
            return Tensors{&add(network, rows, {&twice})};
        })[0];
    output(network, last);
    ControlEngine run(network, target(), options);
    for (int64_t const rows : {2, 4, 1}) {
        std::vector<float> values;
        for (int64_t i = 0; i < 2 * rows; ++i) {
            values.push_back(static_cast<float>(i) - 2);
        }
        run.set<float>("x", values, {rows, 2});
        run.setOnHost<int32_t>("n", 3);
        std::vector<float> expected = values;
        for (int pass = 0; pass < 3; ++pass) {
            for (std::size_t i = 0; i < expected.size(); i += 2) {
                float const left = expected[i];
                expected[i] = expected[i + 1] + values[i];
                expected[i + 1] = 2 * left + values[i + 1];
            }
        }
        EXPECT_EQ(run.get("y", values.size()), expected) << rows;
    }
}

TEST_P(Control, MemoryOfBodiesLiesInThatOfTheParent) {
    Network network(true);
    compiler::Options options;
    Tensor& c = hostNumber(network, options, "c", 1);
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({16, 16}));
    auto const chain = [&](Tensors const& in) { // softmax layers do not fuse with each other
        Tensor* last = in[0];
        for (int i = 0; i < 6; ++i) {
            last = &add(network, graph::SoftMax{}, {last});
        }
        return Tensors{last};
    };
    Tensor& first = add(network, graph::SoftMax{}, {&x});
    Tensor& last = *branch(network, c, {&first}, chain, chain)[0];
    output(network, add(network, graph::SoftMax{}, {&last}));
    ControlEngine const run(network, target(), options);
    // The value that enters, the result, and two that alternate in the bodies.
    EXPECT_LE(run.engine.document().arenaBytes, 4 * 1024U);
}

/// The number of passes is that of the elements of x that are not zero.
class FoundCount : public ControlTest {
protected:
    void SetUp() override {
        ControlTest::SetUp();
        if (IsSkipped()) {
            return;
        }
        Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({4}));
        graph::Node& found = network.addNode(std::make_unique<graph::NonZero>(), {&x});
        found.name = "found";
        Tensor& shape = add(network, graph::Shape{}, {found.outputs[0]});
        graph::Slice second;
        second.start = makeDims({1});
        second.size = makeDims({1});
        second.stride = makeDims({1});
        graph::Shuffle scalar;
        scalar.reshape = makeDims({});
        Tensor& count = add(network, scalar, {&add(network, second, {&shape})});
        output(network, doubled(network, count, x));
        run = std::make_unique<ControlEngine>(network, target());
    }
    Network network{true};
    std::unique_ptr<ControlEngine> run;
};

INSTANTIATE_TEST_SUITE_P(Host, FoundCount, testing::Values("cpu", "queued"));
INSTANTIATE_TEST_SUITE_P(Gpu, FoundCount, testing::Values("cuda"));

TEST_P(FoundCount, DecidesWhenItIsKnown) {
    run->set<float>("x", {1, 0, 2, 0}, {4});
    EXPECT_THAT(run->get("y", 4), ElementsAre(7, 0, 14, 0));
    run->set<float>("x", {0, 0, 0, 0}, {4});
    EXPECT_THAT(run->get("y", 4), ElementsAre(0, 0, 0, 0));
    run->set<float>("x", {1, 1, 1, 1}, {4});
    EXPECT_THAT(run->get("y", 4), ElementsAre(31, 31, 31, 31));
}

TEST_P(FoundCount, CannotBeCaptured) {
    if (target() != "queued") {
        return;
    }
    run->set<float>("x", {1, 0, 2, 0}, {4});
    run->run("y");
    QueuedDevice& device = QueuedDevice::instance();
    device.setCapture(run->stream, target::Capture::kActive);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidState, [&] { run->context.run(run->stream); }),
                HasSubstr("layer 'loop' (Repeat) depends on a size that it finds on the device, "
                          "which a stream capture cannot wait for. Run this engine without a "
                          "capture."));
    device.setCapture(run->stream, target::Capture::kNone);
}

} // namespace
} // namespace kiln::test
