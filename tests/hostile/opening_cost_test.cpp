// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opening a plan takes memory in proportion to the file, even if the file refers to one object many
// times.
#include <gtest/gtest.h>

#include "base/half.h"
#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "graph/ops/constant.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
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

/// A plan of `count` convolutions whose int8 weights are one constant. Each step keeps a copy of
/// its own, in the order that this processor asks for.
Bytes manyQuantized(int32_t count) {
    constexpr int32_t kMaps = 64;
    static std::vector<int8_t> const codes(std::size_t{kMaps} * kMaps * 9);
    static std::vector<float> const scales(kMaps, 0.5F);
    graph::Network network(true);
    auto const constant = [&](nvinfer1::Weights const& value, Dims const& dims) {
        auto op = std::make_unique<graph::Constant>();
        op->value = value;
        op->dims = dims;
        return network.addNode(std::move(op), {}).outputs[0];
    };
    graph::Tensor* const x = &network.addInput("x", DataType::kFLOAT, makeDims({1, kMaps, 1, 1}));
    auto dequantize = std::make_unique<graph::Dequantize>();
    dequantize->axis = 0;
    graph::Tensor* const code = constant({DataType::kINT8, codes.data(), std::ssize(codes)},
                                         makeDims({kMaps, kMaps, 3, 3}));
    graph::Tensor* const scale =
        constant({DataType::kFLOAT, scales.data(), kMaps}, makeDims({kMaps}));
    graph::Tensor* const kernel = network.addNode(std::move(dequantize), {code, scale}).outputs[0];
    auto convolution = std::make_unique<graph::Convolution>();
    convolution->maps = kMaps;
    convolution->window.size = makeDims({3, 3});
    convolution->window.prePadding = convolution->window.postPadding = makeDims({1, 1});
    network.markOutput(*network.addNode(std::move(convolution), {x, kernel}).outputs[0]);
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    Bytes const small = compiler::compile(network, options);
    plan::Document document = plan::read(small);
    auto const at = std::find_if( // behind reformats of its input
        document.steps.begin(), document.steps.end(),
        [](plan::StepRecord const& step) { return step.inputs.size() > 1; });
    plan::StepRecord const original = *at;
    std::vector<plan::StepRecord> copies(static_cast<std::size_t>(count) - 1, original);
    for (plan::StepRecord& step : copies) { // each writes its own tensor
        plan::TensorRecord tensor = document.tensors[original.outputs.front()];
        tensor.role = plan::TensorRole::kInternal;
        step.outputs = {document.tensors.add(tensor)};
    }
    document.steps.insert(at, copies.begin(), copies.end());
    return plan::write(document);
}

TEST(OpeningCost, OwnCopiesOfWeightsStayWithinTheBudget) {
    Bytes const plan = manyQuantized(1000);
    auto const copy = runtime::copyOfPlan(plan);
    std::size_t const before = allocatedBytes();
    runtime::Engine const engine(copy, Log());
    runtime::Context context(engine, {}, runtime::MemoryStrategy::kOnce);
    std::vector<float> elements(64);
    for (plan::TensorId const tensor : engine.io()) {
        context.setAddress(tensor, elements.data());
    }
    std::string problem;
    try {
        context.run(nullptr);
    } catch (Error const& error) {
        problem = error.what();
    }
    EXPECT_LT(allocatedBytes() - before, 64 * plan.size()); // 230 times without a budget
    if (!problem.empty()) { // other processors may need fewer copies, or none
        EXPECT_NE(problem.find("expected copies of constants that are not much larger"),
                  std::string::npos)
            << problem;
    }
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
