// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling: the output extents of every padding mode, and what they refuse.
#include "graph/op_fixture.h"
#include "graph/ops/convolution.h"
#include "graph/ops/pooling.h"

namespace kiln::graph {
namespace {

using nvinfer1::PaddingMode;
using nvinfer1::PoolingType;
using testing::HasSubstr;

class WindowOps : public OpTest {
protected:
    static Pooling pooling(Dims const& size, Dims const& stride,
                           PaddingMode mode = PaddingMode::kEXPLICIT_ROUND_DOWN) {
        Pooling op;
        op.window.size = size;
        op.window.stride = stride;
        op.window.paddingMode = mode;
        return op;
    }
    /// A convolution of 2 maps over 4 channels with weights.
    Convolution convolution() {
        weights.assign(2 * 4 * 3 * 3, 1.0F);
        Convolution op;
        op.maps = 2;
        op.window.size = makeDims({3, 3});
        op.kernel = {DataType::kFLOAT, weights.data(), 72};
        op.bias = {DataType::kFLOAT, weights.data(), 2};
        return op;
    }

    std::vector<float> weights;
};

TEST_F(WindowOps, ExtentsOfEachPaddingMode) {
    Dims const size = makeDims({3, 3});
    Dims const stride = makeDims({2, 2});
    std::vector<TensorFacts> const x{floats({1, 2, 8, 7})};
    EXPECT_EQ(shape(pooling(size, stride), x), "[1,2,3,3]");
    EXPECT_EQ(shape(pooling(size, stride, PaddingMode::kEXPLICIT_ROUND_UP), x), "[1,2,4,3]");
    EXPECT_EQ(shape(pooling(size, stride, PaddingMode::kSAME_UPPER), x), "[1,2,4,4]");
    EXPECT_EQ(shape(pooling(size, stride, PaddingMode::kSAME_LOWER), x), "[1,2,4,4]");
}

TEST_F(WindowOps, SamePaddingSplitsTheOddElement) {
    Pooling op = pooling(makeDims({3, 4}), makeDims({2, 1}), PaddingMode::kSAME_UPPER);
    EXPECT_EQ(op.window.padding(0, 8, 4).before, 0); // 3 * 2 + 3 - 8 = 1
    EXPECT_EQ(op.window.padding(0, 8, 4).after, 1);
    op.window.paddingMode = PaddingMode::kSAME_LOWER;
    EXPECT_EQ(op.window.padding(0, 8, 4).before, 1);
    EXPECT_EQ(op.window.padding(1, 7, 7).before, 2); // 6 + 4 - 7 = 3
    EXPECT_EQ(op.window.padding(1, 7, 7).after, 1);
}

TEST_F(WindowOps, UnknownExtentsStayExpressions) {
    Pooling op = pooling(makeDims({2, 2}), makeDims({2, 2}));
    EXPECT_EQ(extent(op, {floats({-1, 2, -2, 8})}, 2, {1, 9}), 4);
    EXPECT_EQ(shape(op, {floats({-1, 2, -2, 8})}), "[-1,2,-1,4]");
    op.window.paddingMode = PaddingMode::kSAME_UPPER;
    EXPECT_EQ(extent(op, {floats({-1, 2, -2, 8})}, 2, {1, 9}), 5);
}

TEST_F(WindowOps, OneAndThreeSpatialAxes) {
    Pooling op;
    op.window = Window::ofSize(makeDims({3}));
    EXPECT_EQ(shape(op, {floats({-1, 2, 8})}), "[-1,2,6]");
    op.window = Window::ofSize(makeDims({3, 2, 1}));
    EXPECT_EQ(shape(op, {floats({-1, 2, 8, 8, 8})}), "[-1,2,6,7,8]");
    weights.assign(2 * 4 * 3 * 2, 1.0F);
    Convolution convolution;
    convolution.maps = 2;
    convolution.window = Window::ofSize(makeDims({3, 2, 1}));
    convolution.kernel = {DataType::kFLOAT, weights.data(), 48};
    EXPECT_EQ(shape(convolution, {floats({1, 4, 8, 8, 8})}), "[1,2,6,7,8]");
    EXPECT_EQ(toText(convolution.weights(1).at(0).dims), "[2,4,3,2,1]");
    throughPlan(convolution);
}

TEST_F(WindowOps, PoolingKeepsItsParameters) {
    Pooling op = pooling(makeDims({2, 3}), makeDims({2, 1}));
    op.type = PoolingType::kMAX_AVERAGE_BLEND;
    op.blendFactor = 0.25F;
    op.averageCountExcludesPadding = false;
    auto const kept = throughPlan(op);
    auto const& loaded = static_cast<Pooling const&>(*kept);
    EXPECT_EQ(loaded.blendFactor, 0.25F);
    EXPECT_FALSE(loaded.averageCountExcludesPadding);
}

TEST_F(WindowOps, PoolingRefusals) {
    Pooling op = pooling(makeDims({2, 2}), makeDims({1, 1}));
    EXPECT_THAT(problem(op, {floats({2, 8, 8})}),
                HasSubstr("expected input 0 of rank 4 (batch, channels and 2 spatial axes), got "
                          "[2,8,8]"));
    EXPECT_THAT(problem(op, {floats({1, 2, 1, 8})}),
                HasSubstr("spatial axis 0: expected a window of 2 to fit the padded input, got 1 + "
                          "0 + 0"));
    EXPECT_THAT(problem(op, {input(DataType::kINT32, {1, 2, 8, 8})}), HasSubstr("got int32"));
    op.window.prePadding = makeDims({2, 0});
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8})}),
                HasSubstr("expected padding below the window [2,2], got [2,0] before"));
    op.window.prePadding = makeDims({0, -1});
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8})}), HasSubstr("pre-padding of 0 or more"));
    op = pooling(makeDims({2, 2}), makeDims({0, 1}));
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8})}), HasSubstr("strides of 1 or more, got [0,1]"));
    op = pooling(makeDims({2, 2, 2, 2}), makeDims({1, 1, 1, 1}));
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8, 8, 8})}),
                HasSubstr("expected 1 to 3 spatial axes in window extents, got 4"));
    op = pooling(makeDims({2, 2, 2}), makeDims({1, 1}));
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8, 8})}),
                HasSubstr("expected 3 spatial axes in strides as in the window extents, got 2"));
    op = pooling(makeDims({2, 2}), makeDims({1, 1}), static_cast<PaddingMode>(9));
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8})}), HasSubstr("member of PaddingMode, got 9"));
    op = pooling(makeDims({2, 2}), makeDims({1, 1}));
    op.blendFactor = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(problem(op, {floats({1, 2, 8, 8})}), HasSubstr("blend factor in [0, 1], got nan"));
}

TEST_F(WindowOps, ConvolutionShapesAndWeights) {
    Convolution op = convolution();
    op.window.dilation = makeDims({2, 1});
    op.window.prePadding = makeDims({1, 1});
    EXPECT_EQ(shape(op, {floats({-1, 4, 8, 8})}), "[-1,2,5,7]");
    auto const slots = op.weights(1);
    ASSERT_EQ(slots.size(), 2U);
    EXPECT_EQ(slots[0].role, "kernel");
    EXPECT_EQ(toText(slots[0].dims), "[2,4,3,3]");
    EXPECT_EQ(slots[1].role, "bias");
    throughPlan(op);
}

TEST_F(WindowOps, ConvolutionCountsWeights) {
    Convolution op = convolution();
    EXPECT_THAT(problem(op, {floats({1, 3, 8, 8})}),
                HasSubstr("layer 'probe' (Convolution), kernel weights: expected 54 values (2 maps "
                          "of [3,3], 1 groups), got 72"));
    EXPECT_THAT(problem(op, {floats({1, -1, 8, 8}), floats({3})}),
                HasSubstr("expected 1 inputs, got 2")); // the bias is there already
    op.bias.count = 3;
    EXPECT_THAT(problem(op, {floats({1, 4, 8, 8})}),
                HasSubstr("bias weights: expected 2 values, one for each output map, got 3"));
    op = convolution();
    op.kernel.count = 71;
    EXPECT_THAT(problem(op, {floats({1, -1, 8, 8})}), HasSubstr("expected a multiple of 18"));
    op = convolution();
    op.groups = 3;
    EXPECT_THAT(problem(op, {floats({1, 4, 8, 8})}),
                HasSubstr("expected groups that divide the 4 input channels and the 2 output maps, "
                          "got 3"));
    op.groups = 0;
    EXPECT_THAT(problem(op, {floats({1, 4, 8, 8})}), HasSubstr("1 or more output maps and groups"));
}

TEST_F(WindowOps, ConvolutionTakesTensorsForWeights) {
    Convolution op;
    op.maps = 2;
    op.window.size = makeDims({3, 3});
    TensorFacts const x = floats({1, 4, 8, 8});
    EXPECT_EQ(shape(op, {x, floats({2, 4, 3, 3}), floats({2})}), "[1,2,6,6]");
    EXPECT_EQ(shape(op, {x, floats({-1, 4, 3, 3})}), "[1,2,6,6]");
    EXPECT_THAT(problem(op, {x}), HasSubstr("expected 2 to 3 inputs, got 1"));
    EXPECT_THAT(problem(op, {x, floats({2, 4, 3, 2})}),
                HasSubstr("kernel (input 1): expected [2,4,3,3], got [2,4,3,2]"));
    EXPECT_THAT(problem(op, {x, floats({2, 4, 3, 3}), floats({1, 2})}),
                HasSubstr("bias (input 2): expected [2], got [1,2]"));
    EXPECT_THAT(problem(op, {x, input(DataType::kHALF, {2, 4, 3, 3})}),
                HasSubstr("expected input 1 to be float32 like input 0, got float16"));
}

TEST_F(WindowOps, KernelWeightsTakeThePlaceOfTheirOperand) {
    Convolution op = convolution();
    op.bias.count = 0;
    EXPECT_EQ(shape(op, {floats({1, 4, 8, 8}), none(), floats({2})}), "[1,2,6,6]");
    EXPECT_THAT(problem(op, {floats({1, 4, 8, 8}), floats({2, 4, 3, 3})}),
                HasSubstr("expected no tensor as input 1, because the layer has kernel weights"));
    op.kernel.count = 0;
    EXPECT_THAT(problem(op, {floats({1, 4, 8, 8}), none(), floats({2})}),
                HasSubstr("expected a tensor as input 1, got none"));
}

} // namespace
} // namespace kiln::graph
