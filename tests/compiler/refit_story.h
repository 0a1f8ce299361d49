// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engines that take new weights must have the constants, and give the results, of an engine that is
// built with them, bit by bit.
#pragma once

#include <functional>
#include <map>

#include "compiler/rebind_story.h"
#include "compiler/timing_cache.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"

namespace kiln::test {

using WeightSet = std::map<std::string, Floats>; ///< by name, "conv/kernel"

/// A network of these weights, whose layers have names.
class NamedNetwork {
public:
    explicit NamedNetwork(WeightSet const& weights) : weights_(weights) {}

    graph::Tensor& add(std::string const& name, std::unique_ptr<graph::Op> op,
                       std::vector<graph::Tensor*> inputs) {
        graph::Node& node = network.addNode(std::move(op), std::move(inputs));
        node.name = name;
        return *node.outputs[0];
    }
    /// A constant layer; its weights are "name/value".
    graph::Tensor& constant(std::string const& name, Dims const& dims) {
        auto op = std::make_unique<graph::Constant>();
        op->value = weightsOf(weights_.at(name + "/value"));
        op->dims = dims;
        return add(name, std::move(op), {});
    }
    graph::Tensor& elementwise(nvinfer1::ElementWiseOperation operation, graph::Tensor& a,
                               graph::Tensor& b) {
        auto op = std::make_unique<graph::ElementWise>();
        op->operation = operation;
        return *network.addNode(std::move(op), {&a, &b}).outputs[0];
    }
    graph::Tensor& product(graph::Tensor& a, graph::Tensor& b) {
        return *network.addNode(std::make_unique<graph::MatrixMultiply>(), {&a, &b}).outputs[0];
    }
    graph::Tensor& cast(graph::Tensor& x, DataType type) {
        auto op = std::make_unique<graph::Cast>();
        op->toType = type;
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    Floats const& weights(std::string const& name) const { return weights_.at(name); }

    graph::Network network{true};

private:
    WeightSet const& weights_;
};

using MakeNetwork = std::function<graph::Tensor&(NamedNetwork&)>;

/// An engine for refit, or for comparison.
class RefitEngine {
public:
    RefitEngine(std::string const& target, MakeNetwork const& make, WeightSet const& weights,
                compiler::TimingCache& cache, bool refit = true) {
        NamedNetwork own(weights);
        own.network.markOutput(make(own));
        compiler::Options options;
        options.target = target;
        options.refit = refit;
        options.timingCache = &cache; // both builds choose the same kernels
        plan_ = compiler::compile(own.network, options);
        engine_ = std::make_unique<runtime::Engine>(runtime::copyOfPlan(plan_), Log());
        context_ = std::make_unique<runtime::Context>(*engine_, plugin::ContextServices{},
                                                      runtime::MemoryStrategy::kOnce);
    }

    void rebind(WeightSet const& weights) {
        std::vector<runtime::NewWeights> all;
        for (auto const& [name, values] : weights) {
            all.push_back({name, DataType::kFLOAT, bytesOf(values)});
        }
        rebind(all);
    }
    void rebind(std::vector<runtime::NewWeights> const& weights) {
        runtime::Context* const contexts[] = {context_.get()};
        engine_->rebind(weights, contexts);
    }

    Bytes run() {
        target::Device& device = engine_->device();
        target::DeviceScope const scope(device);
        Bytes const x(engine_->capacity()[0], std::byte{0x3c}); // 0.0115 and 1.06
        Bytes y(engine_->capacity()[1]);
        runtime::DeviceBuffer const input(device, x.size(), "x");
        runtime::DeviceBuffer const output(device, y.size(), "y");
        device.copy(input.data(), x.data(), x.size(), target::CopyKind::kHostToDevice, nullptr);
        context_->setAddress(0, input.data());
        context_->setAddress(1, output.data());
        context_->run(nullptr);
        device.synchronize(nullptr);
        device.copy(y.data(), output.data(), y.size(), target::CopyKind::kDeviceToHost, nullptr);
        device.synchronize(nullptr);
        return y;
    }

    std::vector<Bytes> constants() const {
        std::vector<Bytes> all;
        for (plan::TensorRecord const& tensor : engine_->document().tensors) {
            if (tensor.role == plan::TensorRole::kConstant) {
                all.emplace_back(tensor.data.begin(), tensor.data.end());
            }
        }
        return all;
    }
    plan::Document const& document() const { return engine_->document(); }
    std::size_t planBytes() const { return plan_.size(); }

private:
    Bytes plan_;
    std::unique_ptr<runtime::Engine> engine_;
    std::unique_ptr<runtime::Context> context_;
};

/// Changes the weights one by one; after each change, the engine must be like one that is built
/// with what it has then.
inline void refitsLikeABuild(std::string const& target, MakeNetwork const& make,
                             WeightSet const& before, WeightSet const& after) {
    compiler::TimingCache cache(target);
    RefitEngine engine(target, make, before, cache);
    WeightSet weights = before;
    Bytes last = engine.run();
    for (auto const& [name, values] : after) {
        SCOPED_TRACE(name);
        weights[name] = values;
        engine.rebind({{name, values}});
        RefitEngine fresh(target, make, weights, cache);
        EXPECT_EQ(engine.constants(), fresh.constants());
        Bytes const result = engine.run();
        EXPECT_EQ(result, fresh.run());
        EXPECT_NE(result, last);
        last = result;
    }
    engine.rebind(before); // all at once
    RefitEngine fresh(target, make, before, cache);
    EXPECT_EQ(engine.constants(), fresh.constants());
    EXPECT_EQ(engine.run(), fresh.run());
}

/// A convolution with a scale and a shift for each map, which are folded into its weights. The
/// kernel is too large to be computed before it is needed.
inline graph::Tensor& normalizedConvolution(NamedNetwork& own) {
    using Operation = nvinfer1::ElementWiseOperation;
    graph::Tensor& x = own.network.addInput("x", DataType::kFLOAT, makeDims({1, 48, 6, 6}));
    auto op = std::make_unique<graph::Convolution>();
    op->maps = 48;
    op->window.size = makeDims({3, 3});
    op->kernel = weightsOf(own.weights("conv/kernel"));
    graph::Tensor& y = own.add("conv", std::move(op), {&x});
    graph::Tensor& scaled =
        own.elementwise(Operation::kPROD, y, own.constant("scale", makeDims({1, 48, 1, 1})));
    return own.elementwise(Operation::kSUM, scaled, own.constant("shift", makeDims({1, 48, 1, 1})));
}

inline WeightSet convolutionWeights(float step) {
    return {{"conv/kernel", waves(std::size_t{48} * 48 * 9, step)},
            {"scale/value", waves(48, step + 0.1F)},
            {"shift/value", waves(48, step + 0.2F)}};
}

/// The same with float32 weights that the network casts, in half.
inline graph::Tensor& castConvolution(NamedNetwork& own) {
    using Operation = nvinfer1::ElementWiseOperation;
    graph::Tensor& x = own.network.addInput("x", DataType::kHALF, makeDims({1, 16, 8, 8}));
    auto const half = [&](std::string const& name, Dims const& dims) -> graph::Tensor& {
        return own.cast(own.constant(name, dims), DataType::kHALF);
    };
    auto op = std::make_unique<graph::Convolution>();
    op->maps = 64;
    op->window.size = makeDims({3, 3});
    graph::Tensor& y =
        own.add("conv", std::move(op), {&x, &half("kernel", makeDims({64, 16, 3, 3}))});
    graph::Tensor& scaled =
        own.elementwise(Operation::kPROD, y, half("scale", makeDims({1, 64, 1, 1})));
    return own.elementwise(Operation::kSUM, scaled, half("shift", makeDims({1, 64, 1, 1})));
}

inline WeightSet castWeights(float step) {
    return {{"kernel/value", waves(std::size_t{64} * 16 * 9, step)},
            {"scale/value", waves(64, step + 0.1F)},
            {"shift/value", waves(64, step + 0.2F)}};
}

/// Large constants side by side, one of which a second product reads as it is.
inline graph::Tensor& sharedConstants(NamedNetwork& own) {
    graph::Tensor& x = own.network.addInput("x", DataType::kFLOAT, makeDims({4, 128}));
    graph::Tensor& a = own.constant("a", makeDims({128, 128}));
    graph::Tensor& b = own.constant("b", makeDims({128, 128}));
    auto op = std::make_unique<graph::Concatenation>();
    op->axis = 1;
    graph::Tensor& both = own.add("both", std::move(op), {&a, &b});
    auto back = std::make_unique<graph::Concatenation>();
    back->axis = 0;
    graph::Tensor& stack = own.add("stack", std::move(back), {&b, &a});
    return own.product(own.product(own.product(x, both), stack), a);
}

inline WeightSet sharedWeights(float step) {
    return {{"a/value", waves(std::size_t{128} * 128, step)},
            {"b/value", waves(std::size_t{128} * 128, step + 0.1F)}};
}

} // namespace kiln::test
