// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which concatenations of slices become one slice, checked in the plan's document.
#include "compiler/compile.h"

#include <gtest/gtest.h>

#include "graph/op_registry.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/slice.h"
#include "plan/reader.h"

namespace kiln::compiler {
namespace {

using graph::Network;
using graph::Tensor;

Tensor& sliced(Network& network, Tensor& x, Dims const& start, Dims const& size,
               nvinfer1::SampleMode mode = nvinfer1::SampleMode::kSTRICT_BOUNDS) {
    auto slice = std::make_unique<graph::Slice>();
    slice->start = start;
    slice->size = size;
    slice->stride = size;
    std::fill_n(slice->stride.d, size.nbDims, 1);
    slice->mode = mode;
    return *network.addNode(std::move(slice), {&x}).outputs[0];
}

Tensor& joined(Network& network, std::vector<Tensor*> const& parts, int32_t axis) {
    auto concatenation = std::make_unique<graph::Concatenation>();
    concatenation->axis = axis;
    return *network.addNode(std::move(concatenation), parts).outputs[0];
}

/// Circular padding of the last axis of [2, 5]: one column before, two after.
Tensor& paddedColumns(Network& network, Tensor& x) {
    Tensor& left = sliced(network, x, makeDims({0, 4}), makeDims({2, 1}));
    Tensor& right = sliced(network, x, makeDims({0, 0}), makeDims({2, 2}));
    return joined(network, {&left, &x, &right}, 1);
}

Tensor& paddedRows(Network& network, Tensor& x, int64_t columns) {
    Tensor& above = sliced(network, x, makeDims({1, 0}), makeDims({1, columns}));
    Tensor& below = sliced(network, x, makeDims({0, 0}), makeDims({1, columns}));
    return joined(network, {&above, &x, &below}, 0);
}

struct Compiled {
    Bytes bytes;
    plan::Document document;

    std::vector<std::string> kinds() const {
        std::vector<std::string> found;
        for (plan::StepRecord const& step : document.steps) {
            found.push_back(step.kernel.op);
        }
        return found;
    }
    graph::Slice slice(std::size_t step) const {
        auto const op =
            graph::OpRegistry::instance().load("Slice", document.steps.at(step).kernel.parameters);
        return dynamic_cast<graph::Slice const&>(*op);
    }
};

Compiled compiled(Network& network, std::vector<Tensor*> const& outputs) {
    for (Tensor* output : outputs) {
        network.markOutput(*output);
    }
    Options options;
    options.target = "cpu";
    Compiled result;
    result.bytes = compile(network, options);
    result.document = plan::read(result.bytes);
    return result;
}

using Kinds = std::vector<std::string>;

class FoldSlices : public testing::Test {
protected:
    Network network{true};
    Tensor& x = network.addInput("x", DataType::kFLOAT, makeDims({2, 5}));
};

TEST_F(FoldSlices, CircularPaddingIsOneSlice) {
    Tensor& wide = paddedColumns(network, x);
    Compiled const plan = compiled(network, {&paddedRows(network, wide, 8)});
    ASSERT_EQ(plan.kinds(), Kinds{"Slice"});
    graph::Slice const slice = plan.slice(0);
    EXPECT_EQ(slice.mode, nvinfer1::SampleMode::kWRAP);
    EXPECT_EQ(toText(slice.axes), "[0,1]");
    EXPECT_EQ(toText(slice.start), "[-1,-1]");
    EXPECT_EQ(toText(slice.size), "[4,8]");
    EXPECT_EQ(plan.document.steps[0].inputs, std::vector<plan::TensorId>{0});
}

TEST_F(FoldSlices, TilingIsOneSlice) {
    Compiled const plan = compiled(network, {&joined(network, {&x, &x, &x}, 0)});
    ASSERT_EQ(plan.kinds(), Kinds{"Slice"});
    EXPECT_EQ(toText(plan.slice(0).axes), "[0]");
    EXPECT_EQ(toText(plan.slice(0).start), "[0]");
    EXPECT_EQ(toText(plan.slice(0).size), "[6]");
}

TEST_F(FoldSlices, WhatOthersNeedStays) {
    Tensor& wide = paddedColumns(network, x);
    Compiled const plan = compiled(network, {&paddedRows(network, wide, 8), &wide});
    EXPECT_EQ(plan.kinds(), (Kinds{"Slice", "Slice"}));
}

TEST_F(FoldSlices, PartsMustFollowEachOther) {
    Tensor& left = sliced(network, x, makeDims({0, 3}), makeDims({2, 1}));
    EXPECT_EQ(compiled(network, {&joined(network, {&left, &x}, 1)}).kinds(),
              (Kinds{"Slice", "Concatenation"}));
}

TEST_F(FoldSlices, PartsMustBeOfOneTensor) {
    Tensor& z = network.addInput("z", DataType::kFLOAT, makeDims({2, 5}));
    EXPECT_EQ(compiled(network, {&joined(network, {&x, &z}, 1)}).kinds(), Kinds{"Concatenation"});
}

TEST_F(FoldSlices, PartsMustTakeTheSameOfOtherAxes) {
    Tensor& upper = sliced(network, x, makeDims({0, 0}), makeDims({1, 5}));
    Tensor& lower = sliced(network, x, makeDims({1, 0}), makeDims({1, 5}));
    EXPECT_EQ(compiled(network, {&joined(network, {&upper, &lower}, 1)}).kinds(),
              (Kinds{"Slice", "Concatenation"})); // `upper` is a view of x
}

TEST_F(FoldSlices, OtherModesStay) {
    Tensor& left =
        sliced(network, x, makeDims({0, 4}), makeDims({2, 1}), nvinfer1::SampleMode::kCLAMP);
    EXPECT_EQ(compiled(network, {&joined(network, {&left, &x}, 1)}).kinds(),
              (Kinds{"Slice", "Concatenation"}));
}

TEST_F(FoldSlices, HalvesPutTogetherAgainStay) {
    Tensor& left = sliced(network, x, makeDims({0, 0}), makeDims({2, 2}));
    Tensor& right = sliced(network, x, makeDims({0, 2}), makeDims({2, 3}));
    EXPECT_EQ(compiled(network, {&joined(network, {&left, &right}, 1)}).kinds(),
              (Kinds{"Slice", "Slice", "Concatenation"}));
}

TEST_F(FoldSlices, UnknownExtentsStay) {
    Network dynamic(true);
    Tensor& input = dynamic.addInput("x", DataType::kFLOAT, makeDims({-1, 5}));
    dynamic.markOutput(joined(dynamic, {&input, &input}, 0));
    Options options;
    options.target = "cpu";
    options.profiles.emplace_back().shapes["x"] = {makeDims({1, 5}), makeDims({2, 5}),
                                                   makeDims({4, 5})};
    Bytes const bytes = compile(dynamic, options);
    EXPECT_EQ(plan::read(bytes).steps.at(0).kernel.op, "Concatenation");
}

} // namespace
} // namespace kiln::compiler
