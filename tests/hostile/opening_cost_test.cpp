// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a plan takes memory in proportion to the file, even if the file refers to one object many
// times.
#include <gtest/gtest.h>

#include "base/half.h"
#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "graph/ops/convolution.h"
#include "plan/reader.h"
#include "plan/writer.h"
#include "runtime/context.h"
#include "target/backend_registry.h"
#include "target/constant_copies.h"

namespace kiln::test {
namespace {

/// A plan of `count` convolutions in half precision that share one large constant.
Bytes manyConvolutions(int32_t count) {
    static std::vector<Half> const numbers(std::size_t{256} * 256 * 9);
    graph::Network network(true);
    graph::Tensor* x = &network.addInput("x", DataType::kHALF, makeDims({1, 256, 1, 1}));
    graph::Convolution convolution;
    convolution.maps = 256;
    convolution.window.size = makeDims({3, 3});
    convolution.window.prePadding = convolution.window.postPadding = makeDims({1, 1});
    convolution.kernel = {DataType::kHALF, numbers.data(), static_cast<int64_t>(numbers.size())};
    for (int32_t i = 0; i < 2; ++i) {
        x = network.addNode(std::make_unique<graph::Convolution>(convolution), {x}).outputs[0];
    }
    network.markOutput(*x);
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    Bytes const small = compiler::compile(network, options);
    plan::Document document = plan::read(small);
    for (int32_t i = 2; i < count; ++i) { // each writes its own tensor
        plan::StepRecord step = document.steps.front();
        plan::TensorRecord const tensor = document.tensors[step.outputs.front()];
        step.outputs = {document.tensors.add(tensor)};
        document.steps.push_back(step);
    }
    return plan::write(document);
}

std::size_t bytesForOpening(Bytes const& plan) {
    auto const copy = runtime::copyOfPlan(plan);
    std::size_t const before = allocatedBytes();
    runtime::Engine const engine(copy, Log());
    return allocatedBytes() - before;
}

TEST(OpeningCost, StepsShareTheCopiesOfAConstant) {
    Bytes const plan = manyConvolutions(300);
    EXPECT_LT(plan.size(), 4U << 20U);
    EXPECT_LT(bytesForOpening(plan), 128 * plan.size() + (1U << 20U));
    EXPECT_LT(bytesForOpening(plan), 20U << 20U); // one copy, and little for each step
}

TEST(OpeningCost, ConstantsThatOverlapStayWithinTheBudget) {
    std::vector<Half> const halves(1000);
    target::ConstantCopies copies(4 * 1000);
    target::ConstantCopies::Scope const scope(copies);
    ByteView const all = std::as_bytes(std::span(halves));
    auto const convert = [](Half const* from, float* to, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
            to[i] = static_cast<float>(from[i]);
        }
    };
    auto const first = target::halvesAsFloats(all, convert);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->floats().size(), 1000U);
    EXPECT_EQ(target::halvesAsFloats(all, convert), first);
    EXPECT_EQ(target::halvesAsFloats(all.subspan(2), convert), nullptr);
}

TEST(OpeningCost, ManySmallRecords) {
    plan::Document document;
    document.target = "cpu";
    document.architecture = "any";
    document.exprs = {{graph::ExprOp::kConstant, 0, 0, 1}};
    for (int32_t i = 0; i < 20000; ++i) {
        plan::TensorRecord tensor;
        tensor.name = std::to_string(i);
        tensor.role = i < 10000 ? plan::TensorRole::kInput : plan::TensorRole::kConstant;
        tensor.inputIndex = i < 10000 ? i : -1;
        tensor.type.type = DataType::kINT8;
        static std::byte const one{};
        if (i >= 10000) {
            tensor.data = {&one, 1};
        }
        document.tensors.push_back(tensor);
    }
    Bytes const plan = plan::write(document);
    EXPECT_LT(bytesForOpening(plan), 128 * plan.size());
}

} // namespace
} // namespace kiln::test
