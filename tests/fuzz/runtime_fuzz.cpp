// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens damaged plans with correct hashes, and runs those that open. Kernels must read and write
// only within the buffers that the engine asked for, which lie between inaccessible pages.
#include <array>

#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/guarded_run.h"
#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/constant.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/pooling.h"
#include "graph/ops/quantize.h"
#include "graph/ops/softmax.h"
#include "plan/plan_fixture.h"
#include "runtime/engine.h"
#include "support/control_nodes.h"

namespace {

using namespace kiln;

float const kNumbers[36] = {1, -1, 0.5F};

template <typename Op>
graph::Tensor& add(graph::Network& network, Op const& op, std::vector<graph::Tensor*> inputs) {
    return *network.addNode(std::make_unique<Op>(op), std::move(inputs)).outputs[0];
}

/// Convolution with padding, activation, addition, pooling, product and softmax; dynamic batch.
Bytes convolutionPlan() {
    graph::Network network(true);
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1, 2, 6, 6}));
    graph::Convolution convolution;
    convolution.maps = 2;
    convolution.window.size = makeDims({3, 3});
    convolution.window.prePadding = convolution.window.postPadding = makeDims({1, 1});
    convolution.kernel = {DataType::kFLOAT, kNumbers, 36};
    convolution.bias = {DataType::kFLOAT, kNumbers, 2};
    graph::Tensor& mapped = add(network, convolution, {&x});
    graph::Tensor& active = add(network, graph::Activation{}, {&mapped});
    graph::Tensor& sum = add(network, graph::ElementWise{}, {&active, &x});
    graph::Pooling pooling;
    pooling.window.size = pooling.window.stride = makeDims({2, 2});
    graph::Tensor& pooled = add(network, pooling, {&sum});
    graph::Tensor& product = add(network, graph::MatrixMultiply{}, {&pooled, &pooled});
    graph::Tensor& last = add(network, graph::SoftMax{}, {&product});
    network.markOutput(last);
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    options.profiles = {
        {{{"x", {makeDims({1, 2, 6, 6}), makeDims({2, 2, 6, 6}), makeDims({3, 2, 6, 6})}}}}};
    return compiler::compile(network, options);
}

/// Two convolutions in half precision with one constant kernel.
Bytes halfPlan() {
    static Half const numbers[36] = {};
    graph::Network network(true);
    graph::Tensor* x = &network.addInput("x", DataType::kHALF, makeDims({1, 2, 4, 4}));
    for (int32_t i = 0; i < 2; ++i) {
        graph::Convolution convolution;
        convolution.maps = 2;
        convolution.window.size = makeDims({3, 3});
        convolution.window.prePadding = convolution.window.postPadding = makeDims({1, 1});
        convolution.kernel = {DataType::kHALF, numbers, 36};
        x = &add(network, convolution, {x});
    }
    network.markOutput(*x);
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    return compiler::compile(network, options);
}

/// A convolution of int8 in an image that is quantized and dequantized, and one of floats with int8
/// weights.
Bytes quantizedPlan() {
    static std::array<int8_t, 32 * 16 * 9> const codes{1, -3, 127};
    static std::array<float, 32> const scales{0.5F, 0.25F};
    graph::Network network(true);
    auto const constant = [&](nvinfer1::Weights const& value, Dims const& dims) -> graph::Tensor& {
        graph::Constant op;
        op.value = value;
        op.dims = dims;
        return add(network, op, {});
    };
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({1, 16, 5, 5}));
    graph::Tensor& scale = constant({DataType::kFLOAT, scales.data(), 1}, makeDims({}));
    graph::Tensor& narrow = add(network, graph::Quantize{}, {&x, &scale});
    graph::Tensor& wide = add(network, graph::Dequantize{}, {&narrow, &scale});
    for (graph::Tensor* const image : {&wide, &x}) {
        graph::Dequantize dequantize;
        dequantize.axis = 0;
        graph::Tensor& kernel =
            add(network, dequantize,
                {&constant({DataType::kINT8, codes.data(), 32 * 16 * 9}, makeDims({32, 16, 3, 3})),
                 &constant({DataType::kFLOAT, scales.data(), 32}, makeDims({32}))});
        graph::Convolution convolution;
        convolution.maps = 32;
        convolution.window.size = makeDims({3, 3});
        network.markOutput(add(network, convolution, {image, &kernel}));
    }
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    return compiler::compile(network, options);
}

/// n times: a branch that adds x or multiplies by it, in a loop.
Bytes loopPlan() {
    graph::Network network(true);
    graph::Tensor& n = network.addInput("n", DataType::kINT32, makeDims({}));
    graph::Tensor& c = network.addInput("c", DataType::kINT32, makeDims({}));
    graph::Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({-1, 4}));
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    options.profiles = {{{{"x", {makeDims({1, 4}), makeDims({2, 4}), makeDims({3, 4})}}},
                         {{"n", {{0}, {2}, {3}}}, {"c", {{0}, {0}, {1}}}}}};
    graph::Tensor& y = *test::repeat(
        network, n, {&x}, {&c, &x}, [&](test::Tensors const& s, test::Tensors const& in) {
            return test::branch(
                network, *in[0], {s[0], in[1]},
                [&](test::Tensors const& own) {
                    return test::Tensors{&add(network, graph::ElementWise{}, {own[0], own[1]})};
                },
                [&](test::Tensors const& own) {
                    return test::Tensors{&add(network, graph::SoftMax{}, {own[0]})};
                });
        })[0];
    network.markOutput(y);
    return compiler::compile(network, options);
}

/// x + cast(w * s + w), for refit.
Bytes refitPlan() {
    graph::Network network(true);
    graph::Tensor& x = network.addInput("x", DataType::kHALF, makeDims({4, 9}));
    auto const constant = [&](std::string const& name) -> graph::Tensor& {
        auto op = std::make_unique<graph::Constant>();
        op->value = {DataType::kFLOAT, kNumbers, 36};
        op->dims = makeDims({4, 9});
        graph::Node& node = network.addNode(std::move(op), {});
        node.name = name;
        return *node.outputs[0];
    };
    graph::Tensor& w = constant("w");
    graph::ElementWise times;
    times.operation = nvinfer1::ElementWiseOperation::kPROD;
    graph::Tensor& scaled = add(network, times, {&w, &constant("s")});
    graph::Cast cast;
    cast.toType = DataType::kHALF;
    graph::Tensor& half = add(network, cast, {&add(network, graph::ElementWise{}, {&scaled, &w})});
    network.markOutput(add(network, graph::ElementWise{}, {&x, &half}));
    compiler::Options options;
    options.target = "cpu";
    options.timingRuns = 1;
    options.refit = true;
    return compiler::compile(network, options);
}

/// Gives each weight of a plan other elements.
void rebindAll(Bytes const& plan) {
    constexpr uint64_t kMostSourceBytes = 4096;
    runtime::Engine engine(runtime::copyOfPlan(plan), Log());
    for (plan::WeightRecord const& weight : engine.document().weights) {
        if (!weight.name.empty() && weight.sourceBytes <= kMostSourceBytes) {
            Bytes const elements(weight.sourceBytes, std::byte{0x3c});
            runtime::NewWeights const fresh{weight.name, weight.type.type, elements};
            try {
                engine.rebind({&fresh, 1}, {});
            } catch (Error const&) {
                continue; // refused, as it should be
            }
        }
    }
}

} // namespace

std::vector<std::vector<std::byte>> fuzzSeeds() {
    return {convolutionPlan(), halfPlan(), quantizedPlan(), loopPlan(), refitPlan()};
}

std::size_t fuzzAllocationLimit(std::size_t inputBytes) {
    // The last term is for recipes: results of 1 MiB and more from small sources.
    return 64 * test::kMostBytes + 128 * inputBytes + 64 * test::kMostBytes;
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    ByteView const bytes = std::as_bytes(std::span(data, size));
    Bytes plan(bytes.begin(), bytes.end());
    plan::testing::rehash(plan);
    try {
        test::openAndRunGuarded(plan);
        rebindAll(plan);
    } catch (Error const&) {
        return 0; // refused, as it should be
    }
    return 0;
}
