// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// New constants for an engine that runs, checked against sums that are computed here.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "compiler/compile.h"
#include "graph/ops/constant.h"
#include "graph/ops/convolution.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/matrix_multiply.h"
#include "runtime/context.h"

namespace kiln::test {

using Floats = std::vector<float>;

inline Floats waves(std::size_t count, float step) {
    Floats values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = std::sin(step * static_cast<float>(i));
    }
    return values;
}

inline nvinfer1::Weights weightsOf(Floats const& values) {
    return {DataType::kFLOAT, values.data(), static_cast<int64_t>(values.size())};
}

inline graph::Tensor& constantOf(graph::Network& network, Floats const& values, Dims const& dims) {
    auto constant = std::make_unique<graph::Constant>();
    constant->value = weightsOf(values);
    constant->dims = dims;
    return *network.addNode(std::move(constant), {}).outputs[0];
}

inline ByteView bytesOf(Floats const& values) {
    return std::as_bytes(std::span(values));
}

/// An engine with one input x and one output y, and a context over memory of the device.
class RebindStory {
public:
    RebindStory(graph::Network& network, graph::Tensor& y, std::string const& target) {
        network.markOutput(y);
        compiler::Options options;
        options.target = target;
        engine_ = std::make_unique<runtime::Engine>(
            runtime::copyOfPlan(compiler::compile(network, options)), Log());
        context_ = std::make_unique<runtime::Context>(*engine_, plugin::ContextServices{},
                                                      runtime::MemoryStrategy::kOnce);
    }

    /// The outputs of a run.
    Floats run(Floats const& x, std::size_t outputs) {
        target::Device& device = engine_->device();
        target::DeviceScope const scope(device);
        runtime::DeviceBuffer const input(device, bytesOf(x).size(), "x");
        runtime::DeviceBuffer const output(device, outputs * sizeof(float), "y");
        device.copy(input.data(), x.data(), bytesOf(x).size(), target::CopyKind::kHostToDevice,
                    nullptr);
        context_->setAddress(0, input.data());
        context_->setAddress(1, output.data());
        context_->run(nullptr);
        device.synchronize(nullptr);
        Floats y(outputs);
        device.copy(y.data(), output.data(), outputs * sizeof(float),
                    target::CopyKind::kDeviceToHost, nullptr);
        device.synchronize(nullptr);
        return y;
    }

    /// The only constant of the plan with so many elements.
    plan::TensorId constant(int64_t elements) const {
        plan::Document const& document = engine_->document();
        plan::TensorId found;
        for (plan::TensorId const i : document.tensors.ids()) {
            plan::TensorRecord const& tensor = document.tensors[i];
            int64_t count = 1;
            for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
                count *= document.exprs[static_cast<std::size_t>(tensor.shape[axis])].value;
            }
            if (tensor.role == plan::TensorRole::kConstant && count == elements) {
                EXPECT_TRUE(found.isNone());
                found = i;
            }
        }
        return found;
    }

    void rebind(Floats const& values) {
        runtime::Context* const contexts[] = {context_.get()};
        engine_->rebind(constant(static_cast<int64_t>(values.size())), bytesOf(values), contexts);
    }
    runtime::Engine& engine() { return *engine_; }

private:
    std::unique_ptr<runtime::Engine> engine_;
    std::unique_ptr<runtime::Context> context_;
};

inline void expectNear(Floats const& got, Floats const& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], expected[i], 1e-4F) << "element " << i;
    }
}

/// y = x * w with [8, 64] and [64, 48].
inline void rebindAProduct(std::string const& target) {
    Floats const x = waves(8 * 64, 0.7F);
    Floats const before = waves(64 * 48, 0.3F);
    graph::Network network(true);
    graph::Tensor& input = network.addInput("x", DataType::kFLOAT, makeDims({8, 64}));
    graph::Tensor& w = constantOf(network, before, makeDims({64, 48}));
    graph::Tensor& y =
        *network.addNode(std::make_unique<graph::MatrixMultiply>(), {&input, &w}).outputs[0];
    RebindStory story(network, y, target);
    auto const product = [&](Floats const& weights) {
        Floats sums(8 * 48, 0.0F);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            for (std::size_t k = 0; k < 64; ++k) {
                sums[i] += x[i / 48 * 64 + k] * weights[k * 48 + i % 48];
            }
        }
        return sums;
    };
    expectNear(story.run(x, 8 * 48), product(before));
    for (float const step : {0.9F, 0.1F}) {
        Floats const after = waves(64 * 48, step);
        story.rebind(after);
        expectNear(story.run(x, 8 * 48), product(after));
    }
}

/// y = x with a kernel of [16, 8, 3, 3], on [1, 8, 10, 10].
inline void rebindAConvolution(std::string const& target) {
    Floats const x = waves(8 * 100, 0.7F);
    Floats const before = waves(16 * 8 * 9, 0.3F);
    graph::Network network(true);
    graph::Tensor& input = network.addInput("x", DataType::kFLOAT, makeDims({1, 8, 10, 10}));
    auto op = std::make_unique<graph::Convolution>();
    op->maps = 16;
    op->window.size = makeDims({3, 3});
    op->kernel = weightsOf(before);
    graph::Tensor& y = *network.addNode(std::move(op), {&input}).outputs[0];
    RebindStory story(network, y, target);
    auto const convolved = [&](Floats const& kernel) {
        Floats sums(16 * 64, 0.0F);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            std::size_t const map = i / 64, row = i % 64 / 8, column = i % 8;
            for (std::size_t k = 0; k < 8 * 9; ++k) {
                std::size_t const at = k / 9 * 100 + (row + k % 9 / 3) * 10 + column + k % 3;
                sums[i] += x[at] * kernel[map * 72 + k];
            }
        }
        return sums;
    };
    expectNear(story.run(x, 16 * 64), convolved(before));
    Floats const after = waves(16 * 8 * 9, 0.9F);
    story.rebind(after);
    expectNear(story.run(x, 16 * 64), convolved(after));
}

/// y = x + c with [4, 8] and [1, 8]; then wrong numbers of elements.
inline void rebindASum(std::string const& target) {
    Floats const x = waves(4 * 8, 0.7F);
    Floats const before = waves(8, 0.3F);
    graph::Network network(true);
    graph::Tensor& input = network.addInput("x", DataType::kFLOAT, makeDims({4, 8}));
    graph::Tensor& c = constantOf(network, before, makeDims({1, 8}));
    graph::Tensor& y =
        *network.addNode(std::make_unique<graph::ElementWise>(), {&input, &c}).outputs[0];
    RebindStory story(network, y, target);
    auto const sum = [&](Floats const& added) {
        Floats sums = x;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += added[i % 8];
        }
        return sums;
    };
    expectNear(story.run(x, 4 * 8), sum(before));
    Floats const after = waves(8, 0.9F);
    story.rebind(after);
    expectNear(story.run(x, 4 * 8), sum(after));
    EXPECT_EQ(errorOf(ErrorKind::kInvalidArgument,
                      [&] { story.engine().rebind(story.constant(8), bytesOf(x), {}); })
                  .find("[engine] constant '"),
              0U);
    expectNear(story.run(x, 4 * 8), sum(after));
}

} // namespace kiln::test
