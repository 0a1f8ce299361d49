// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens damaged plans whose hashes are right, and runs those that open. What the kernels read and
// write must lie within the buffers that the engine asked for: the address sanitizer watches.
#include <algorithm>

#include "compiler/compile.h"
#include "fuzz/fuzz_target.h"
#include "graph/ops/activation.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/pooling.h"
#include "graph/ops/softmax.h"
#include "plan/plan_fixture.h"
#include "runtime/context.h"

namespace {

using namespace kiln;

/// A mutation may ask for more, which is no defect; here it would only cost time.
constexpr uint64_t kMostBytes = uint64_t{1} << 20;

float const kNumbers[36] = {1, -1, 0.5F};

template <typename Op>
graph::Tensor& add(graph::Network& network, Op const& op, std::vector<graph::Tensor*> inputs) {
    return *network.addNode(std::make_unique<Op>(op), std::move(inputs)).outputs[0];
}

/// Convolution with padding, activation, addition, pooling, product, softmax: a dynamic batch.
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

class CopiedPlan final : public runtime::PlanBytes {
public:
    explicit CopiedPlan(Bytes bytes) : bytes_(std::move(bytes)) {}
    ByteView view() const noexcept override { return bytes_; }

private:
    Bytes bytes_;
};

uint64_t bytesOf(plan::TensorRecord const& tensor, Dims const& dims) {
    return bytesFor(tensor.type.type, volume(dims, tensor.name));
}

void setShapes(runtime::Context& context, plan::Document const& document) {
    if (document.profiles.empty()) {
        return;
    }
    for (plan::ProfileRange const& range : document.profiles[0].ranges) {
        context.setInputShape(range.tensor, range.max);
    }
}

void openAndRun(Bytes const& plan) {
    runtime::Engine const engine(std::make_shared<CopiedPlan>(plan), Log());
    plan::Document const& document = engine.document();
    if (document.arenaBytes > kMostBytes) {
        return;
    }
    runtime::Context context(engine, {}, true);
    setShapes(context, document);
    std::vector<std::vector<std::byte>> buffers;
    for (int32_t const index : engine.io()) {
        plan::TensorRecord const& tensor = document.tensors[static_cast<std::size_t>(index)];
        uint64_t const bytes = bytesOf(tensor, context.shape(index));
        if (bytes > kMostBytes) {
            return;
        }
        buffers.emplace_back(std::max<uint64_t>(bytes, 1));
        context.setAddress(index, buffers.back().data());
    }
    context.run(nullptr);
}

} // namespace

std::vector<std::vector<std::byte>> fuzzSeeds() {
    return {convolutionPlan()};
}

std::size_t fuzzAllocationLimit(std::size_t inputBytes) {
    return 64 * kMostBytes + 128 * inputBytes;
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    ByteView const bytes = std::as_bytes(std::span(data, size));
    Bytes plan(bytes.begin(), bytes.end());
    plan::testing::rehash(plan);
    try {
        openAndRun(plan);
    } catch (Error const&) {
        return 0; // refused: what it is for
    }
    return 0;
}
