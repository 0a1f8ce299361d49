// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the patterns make of small networks, checked in the plan. That results stay the same is
// checked against NumPy in tests/python.
#include <cmath>
#include <deque>

#include <gmock/gmock.h>

#include "compiler/compile.h"
#include "graph/composed/deconvolution.h"
#include "graph/ops/activation.h"
#include "graph/ops/constant.h"
#include "graph/ops/convolution.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/identity.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/shuffle.h"
#include "graph/ops/unary.h"
#include "plan/reader.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using graph::Tensor;
using nvinfer1::ElementWiseOperation;
using testing::ElementsAre;

class Patterns : public testing::Test {
protected:
    Tensor& constant(std::vector<float> values, Dims const& dims) {
        std::vector<float> const& kept = weights_.emplace_back(std::move(values));
        auto op = std::make_unique<graph::Constant>();
        op->dims = dims;
        op->value = {DataType::kFLOAT, kept.data(), static_cast<int64_t>(kept.size())};
        return *network.addNode(std::move(op), {}).outputs[0];
    }
    Tensor& elementwise(ElementWiseOperation operation, Tensor& a, Tensor& b) {
        auto op = std::make_unique<graph::ElementWise>();
        op->operation = operation;
        return *network.addNode(std::move(op), {&a, &b}).outputs[0];
    }
    Tensor& scalarTimes(float scalar, Tensor& x) {
        return elementwise(ElementWiseOperation::kPROD, x, constant({scalar}, makeDims({1, 1})));
    }
    template <typename Op>
    Tensor& unary(Tensor& x, std::unique_ptr<Op> op = std::make_unique<Op>()) {
        return *network.addNode(std::move(op), {&x}).outputs[0];
    }
    std::vector<std::string> kindsFor(Tensor& output) {
        network.markOutput(output);
        Options options;
        options.target = "cpu";
        bytes_ = compile(network, options);
        document = plan::read(bytes_);
        std::vector<std::string> kinds;
        for (plan::StepRecord const& step : document.steps) {
            kinds.push_back(step.kernel.op);
        }
        return kinds;
    }

    Network network{true};
    plan::Document document;

private:
    std::deque<std::vector<float>> weights_;
    Bytes bytes_;
};

TEST_F(Patterns, WhatReadsConstantsOnlyIsComputedOnce) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2}));
    Tensor& sum = elementwise(ElementWiseOperation::kSUM, constant({1, 2}, makeDims({2})),
                              constant({10, 20}, makeDims({2})));
    EXPECT_THAT(kindsFor(elementwise(ElementWiseOperation::kPROD, x, sum)),
                ElementsAre("ElementWise"));
    ByteView const data = document.tensors.back().data;
    std::vector<float> folded(2);
    std::memcpy(folded.data(), data.data(), data.size());
    EXPECT_THAT(folded, ElementsAre(11.0F, 22.0F));
}

TEST_F(Patterns, AScaleAndAShiftJoinTheConvolution) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({1, 1, 2, 2}));
    auto op = std::make_unique<graph::Convolution>();
    std::vector<float> const kernel{3, 5};
    op->maps = 2;
    op->window.size = makeDims({1, 1});
    op->kernel = {DataType::kFLOAT, kernel.data(), 2};
    Tensor& y = *network.addNode(std::move(op), {&x}).outputs[0];
    Tensor& scaled =
        elementwise(ElementWiseOperation::kPROD, y, constant({2, 4}, makeDims({1, 2, 1, 1})));
    Tensor& shifted = elementwise(ElementWiseOperation::kSUM, scaled,
                                  constant({0.5F, 0.25F}, makeDims({1, 2, 1, 1})));
    EXPECT_THAT(kindsFor(shifted), ElementsAre("Convolution"));
    EXPECT_EQ(document.steps[0].inputs.size(), 3U);
    EXPECT_THAT(document.steps[0].rewrites, ElementsAre(testing::StartsWith("fold_scale: "),
                                                        testing::StartsWith("fold_scale: ")));
}

TEST_F(Patterns, WhatFollowsADeconvolutionJoinsItsConvolution) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({1, 1, 3, 4}));
    auto op = std::make_unique<graph::Deconvolution>();
    std::vector<float> const kernel(8, 3.0F);
    op->maps = 2;
    op->window = graph::Window::ofSize(makeDims({2, 2}));
    op->window.stride = makeDims({2, 2});
    op->kernel = {DataType::kFLOAT, kernel.data(), 8};
    Tensor& y = *network.addNode(std::move(op), {&x}).outputs[0];
    Tensor& scaled =
        elementwise(ElementWiseOperation::kPROD, y, constant({2, 4}, makeDims({1, 2, 1, 1})));
    std::vector<std::string> const kinds = kindsFor(unary<graph::Activation>(scaled));
    ASSERT_FALSE(kinds.empty());
    EXPECT_EQ(kinds.back(), "Interleave");
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "ElementWise"), 0);
}

TEST_F(Patterns, ReshapesAreViews) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 6}));
    auto reshape = std::make_unique<graph::Shuffle>();
    reshape->reshape = makeDims({3, 4});
    Tensor& flat = unary(unary<graph::Activation>(x), std::move(reshape));
    EXPECT_THAT(kindsFor(unary<graph::Activation>(flat)), ElementsAre("Activation", "Activation"));
}

TEST_F(Patterns, AReshapeOfAnInputIsAViewButAnOutputOfAnInputIsACopy) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 6}));
    auto reshape = std::make_unique<graph::Shuffle>();
    reshape->reshape = makeDims({12});
    Tensor& flat = unary(x, std::move(reshape));
    network.markOutput(flat);
    EXPECT_THAT(kindsFor(unary<graph::Activation>(flat)), ElementsAre("Shuffle", "Activation"));
}

TEST_F(Patterns, AMatrixProductReadsATransposedOperandDirectly) {
    Tensor& a = network.addInput("a", DataType::kFLOAT, makeDims({2, 3}));
    Tensor& b = network.addInput("b", DataType::kFLOAT, makeDims({4, 3}));
    auto transpose = std::make_unique<graph::Shuffle>();
    transpose->firstTranspose = {1, 0};
    Tensor& transposed = unary(b, std::move(transpose));
    Tensor& product =
        *network.addNode(std::make_unique<graph::MatrixMultiply>(), {&a, &transposed}).outputs[0];
    EXPECT_THAT(kindsFor(product), ElementsAre("MatrixMultiply"));
}

TEST_F(Patterns, AProductReadsQuantizedWeightsBehindAReshape) {
    std::vector<int8_t> const numbers(64 * 40, 3);
    auto weights = std::make_unique<graph::Constant>();
    weights->dims = makeDims({64, 40});
    weights->value = {DataType::kINT8, numbers.data(), 64 * 40};
    Tensor& narrow = *network.addNode(std::move(weights), {}).outputs[0];
    auto dequantize = std::make_unique<graph::Dequantize>();
    dequantize->axis = 1;
    Tensor& scale = constant(std::vector<float>(40, 0.5F), makeDims({40}));
    Tensor& wide = *network.addNode(std::move(dequantize), {&narrow, &scale}).outputs[0];
    auto reshape = std::make_unique<graph::Shuffle>();
    reshape->reshape = makeDims({1, 64, 40});
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3, 64}));
    Tensor& product = *network
                           .addNode(std::make_unique<graph::MatrixMultiply>(),
                                    {&x, &unary(wide, std::move(reshape))})
                           .outputs[0];
    EXPECT_THAT(kindsFor(product), ElementsAre("Region"));
    EXPECT_EQ(document.steps[0].kernel.kernel, "region_narrow_weights");
}

TEST_F(Patterns, GeluIsRecognisedFromItsParts) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3}));
    auto erf = std::make_unique<graph::Unary>();
    erf->operation = nvinfer1::UnaryOperation::kERF;
    Tensor& inner = unary(
        elementwise(ElementWiseOperation::kDIV, x, constant({std::sqrt(2.0F)}, makeDims({1, 1}))),
        std::move(erf));
    Tensor& gate = elementwise(ElementWiseOperation::kSUM, inner, constant({1}, makeDims({1, 1})));
    EXPECT_THAT(kindsFor(scalarTimes(0.5F, elementwise(ElementWiseOperation::kPROD, x, gate))),
                ElementsAre("Activation"));
}

TEST_F(Patterns, WhatLooksLikeGeluButIsNotStays) {
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 3}));
    auto erf = std::make_unique<graph::Unary>();
    erf->operation = nvinfer1::UnaryOperation::kERF;
    Tensor& inner = unary(scalarTimes(0.75F, x), std::move(erf)); // not 1 / sqrt(2)
    Tensor& gate = elementwise(ElementWiseOperation::kSUM, inner, constant({1}, makeDims({1, 1})));
    std::vector<std::string> const kinds =
        kindsFor(scalarTimes(0.5F, elementwise(ElementWiseOperation::kPROD, x, gate)));
    EXPECT_THAT(kinds, testing::Not(testing::Contains("Activation")));
}

} // namespace
} // namespace kiln::compiler
