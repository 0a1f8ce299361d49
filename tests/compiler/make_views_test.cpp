// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which slices, concatenations and casts become views, checked in the plan's document. Their
// numbers are checked by tests/ops/test_views.py.
#include <gtest/gtest.h>

#include "compiler/compile.h"
#include "graph/ops/cast.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/slice.h"
#include "graph/ops/softmax.h"
#include "plan/reader.h"

namespace kiln::compiler::make_views_test {
namespace {

using graph::Network;
using graph::Tensor;

Tensor& sliced(Network& network, Tensor& x, Dims const& start, Dims const& size) {
    auto slice = std::make_unique<graph::Slice>();
    slice->start = start;
    slice->size = size;
    slice->stride = size;
    std::fill_n(slice->stride.d, size.nbDims, 1);
    return *network.addNode(std::move(slice), {&x}).outputs[0];
}

Tensor& joined(Network& network, std::vector<Tensor*> const& parts, int32_t axis) {
    auto concatenation = std::make_unique<graph::Concatenation>();
    concatenation->axis = axis;
    return *network.addNode(std::move(concatenation), parts).outputs[0];
}

Tensor& softmax(Network& network, Tensor& x) {
    return *network.addNode(std::make_unique<graph::SoftMax>(), {&x}).outputs[0];
}

/// The kinds of the plan's steps, and the beginning of each part in elements, by tensor.
struct Compiled {
    std::vector<std::string> kinds;
    std::vector<int64_t> begins;
};

Compiled compiled(Network& network, std::vector<Tensor*> const& outputs, Options options = {}) {
    for (Tensor* output : outputs) {
        network.markOutput(*output);
    }
    options.target = "cpu";
    Bytes const bytes = compile(network, options);
    plan::Document const document = plan::read(bytes);
    Compiled result;
    for (plan::StepRecord const& step : document.steps) {
        result.kinds.push_back(step.kernel.op);
    }
    for (plan::TensorRecord const& tensor : document.tensors) {
        if (tensor.begin >= 0) {
            result.begins.push_back(document.exprs[static_cast<std::size_t>(tensor.begin)].value);
        }
    }
    return result;
}

using Kinds = std::vector<std::string>;
using Begins = std::vector<int64_t>;

class MakeViews : public testing::Test {
protected:
    Network network{true};
    Tensor& input(Dims const& dims) { return network.addInput("x", DataType::kFLOAT, dims); }
};

TEST_F(MakeViews, SplitsOfTheOuterAxis) {
    Tensor& x = input(makeDims({1, 6, 16}));
    Tensor& first = sliced(network, x, makeDims({0, 0, 0}), makeDims({1, 2, 16}));
    Tensor& last = sliced(network, x, makeDims({0, 2, 0}), makeDims({1, 4, 16}));
    Compiled const plan = compiled(network, {&softmax(network, first), &softmax(network, last)});
    EXPECT_EQ(plan.kinds, (Kinds{"SoftMax", "SoftMax"}));
    EXPECT_EQ(plan.begins, (Begins{0, 32}));
}

TEST_F(MakeViews, PartsOfPartsAddTheirBeginnings) {
    Tensor& x = input(makeDims({8, 16}));
    Tensor& most = sliced(network, x, makeDims({1, 0}), makeDims({7, 16}));
    Tensor& part = sliced(network, most, makeDims({2, 0}), makeDims({3, 16}));
    Compiled const plan = compiled(network, {&softmax(network, part)});
    EXPECT_EQ(plan.kinds, Kinds{"SoftMax"});
    EXPECT_EQ(plan.begins, Begins{48});
}

TEST_F(MakeViews, JoinedValuesAreWrittenInPlace) {
    Tensor& x = input(makeDims({2, 16}));
    Tensor& y = softmax(network, x);
    Tensor& z = softmax(network, y);
    Compiled const plan = compiled(network, {&softmax(network, joined(network, {&y, &z}, 0))});
    EXPECT_EQ(plan.kinds, (Kinds{"SoftMax", "SoftMax", "SoftMax"}));
    EXPECT_EQ(plan.begins, (Begins{0, 32}));
}

TEST_F(MakeViews, OutputsMayBeJoinedInPlace) {
    Tensor& x = input(makeDims({2, 16}));
    Tensor& y = softmax(network, x);
    EXPECT_EQ(compiled(network, {&joined(network, {&y, &softmax(network, y)}, 0)}).kinds,
              (Kinds{"SoftMax", "SoftMax"}));
}

TEST_F(MakeViews, OthersAreCopied) {
    Tensor& x = input(makeDims({2, 16}));
    Tensor& y = softmax(network, x);
    EXPECT_EQ(compiled(network, {&joined(network, {&y, &y}, 0)}).kinds.back(), "Slice"); // tiles
    EXPECT_EQ(compiled(network, {&joined(network, {&y, &x}, 0)}).kinds.back(), "Concatenation");
}

TEST_F(MakeViews, InnerAxesAreCopied) {
    Tensor& x = input(makeDims({2, 32}));
    Tensor& part = sliced(network, x, makeDims({0, 16}), makeDims({2, 16}));
    EXPECT_EQ(compiled(network, {&softmax(network, part)}).kinds, (Kinds{"Slice", "SoftMax"}));
}

TEST_F(MakeViews, PartsAtAnyElementAreCopied) {
    Tensor& x = input(makeDims({4, 15}));
    Tensor& part = sliced(network, x, makeDims({1, 0}), makeDims({2, 15}));
    EXPECT_EQ(compiled(network, {&softmax(network, part)}).kinds, (Kinds{"Slice", "SoftMax"}));
}

TEST_F(MakeViews, OutputsAreCopiedFromInputs) {
    Tensor& x = input(makeDims({4, 16}));
    EXPECT_EQ(compiled(network, {&sliced(network, x, makeDims({1, 0}), makeDims({2, 16}))}).kinds,
              Kinds{"Slice"});
}

TEST_F(MakeViews, TruthValuesAreBytes) {
    Tensor& x = network.addInput("x", DataType::kBOOL, makeDims({4, 16}));
    Tensor& part = sliced(network, x, makeDims({1, 1}), makeDims({3, 8}));
    auto cast = std::make_unique<graph::Cast>();
    cast->toType = DataType::kUINT8;
    Tensor& bytes = *network.addNode(std::move(cast), {&part}).outputs[0];
    Tensor& again = sliced(network, bytes, makeDims({0, 1}), makeDims({3, 4}));
    EXPECT_EQ(compiled(network, {&again}).kinds, (Kinds{"Slice", "Slice"}));
}

} // namespace
} // namespace kiln::compiler::make_views_test
