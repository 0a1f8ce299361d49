// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/deconvolution.h"

#include "graph/op_fixture.h"
#include "graph/ops/convolution.h"
#include "graph/ops/interleave.h"
#include "graph/ops/phase_kernel.h"

namespace kiln::graph {
namespace {

using nvinfer1::PaddingMode;
using testing::HasSubstr;

class DeconvolutionOp : public OpTest {
protected:
    static Deconvolution op(int64_t maps, Dims const& size, Dims const& stride) {
        Deconvolution op;
        op.maps = maps;
        op.window = Window::ofSize(size);
        op.window.stride = stride;
        return op;
    }
};

TEST_F(DeconvolutionOp, ExtentsOfTheOutput) {
    Deconvolution plain = op(4, makeDims({3, 4}), makeDims({2, 3}));
    TensorFacts const kernel = floats({3, 4, 3, 4});
    EXPECT_EQ(shape(plain, {floats({2, 3, 5, 6}), kernel}), "[2,4,11,19]");
    EXPECT_EQ(extent(plain, {floats({2, 3, -1, 6}), kernel}, 2, {9}), 19);
    plain.window.prePadding = makeDims({1, 0});
    plain.window.postPadding = makeDims({2, 5});
    EXPECT_EQ(shape(plain, {floats({2, 3, 5, 6}), kernel}), "[2,4,8,14]");
    plain.window.paddingMode = PaddingMode::kSAME_UPPER;
    EXPECT_EQ(shape(plain, {floats({2, 3, 5, 6}), kernel}), "[2,4,10,18]");
    // A window below the stride: the last elements have no full stride.
    Deconvolution narrow = op(4, makeDims({1, 2}), makeDims({2, 3}));
    narrow.window.paddingMode = PaddingMode::kSAME_LOWER;
    EXPECT_EQ(shape(narrow, {floats({2, 3, 5, 6}), floats({3, 4, 1, 2})}), "[2,4,9,17]");
}

TEST_F(DeconvolutionOp, PartsMultiplyNoZeros) {
    std::vector<TensorFacts> const tensors = {floats({1, 8, 5, 6}), floats({8, 4, 4, 4})};
    Deconvolution twice = op(4, makeDims({4, 4}), makeDims({2, 2}));
    twice.window.prePadding = makeDims({1, 1});
    twice.window.postPadding = makeDims({1, 1});
    auto const region = twice.parts({pool, "probe", tensors, {}});
    ASSERT_EQ(region->nodes().size(), 3U);
    EXPECT_EQ(region->nodes()[0].op->kind(), PhaseKernel::kKind);
    auto const& convolution = static_cast<Convolution const&>(*region->nodes()[1].op);
    EXPECT_EQ(convolution.maps, 16);
    EXPECT_EQ(toText(convolution.window.size), "[2,2]");
    EXPECT_EQ(region->nodes()[2].op->kind(), Interleave::kKind);
    // A stride of 1 needs a convolution only.
    auto const dense =
        op(4, makeDims({4, 4}), makeDims({1, 1})).parts({pool, "probe", tensors, {}});
    EXPECT_EQ(dense->nodes().size(), 2U);
}

TEST_F(DeconvolutionOp, ChecksOperands) {
    Deconvolution plain = op(4, makeDims({3, 3}), makeDims({2, 2}));
    TensorFacts const x = floats({2, 3, 5, 6});
    EXPECT_THAT(problem(plain, {x, floats({4, 3, 3, 3})}),
                HasSubstr("kernel (input 1): expected [3,4,3,3], got [4,3,3,3]. Pass a kernel that "
                          "matches the layer."));
    EXPECT_THAT(problem(plain, {x, floats({3, 4, 3, 3}), floats({5})}),
                HasSubstr("bias (input 2): expected [4], got [5]. Pass one value for each output "
                          "map."));
    EXPECT_THAT(problem(plain, {floats({2, 3, 5}), floats({3, 4, 3, 3})}),
                HasSubstr("expected input 0 of rank 4 (batch, channels and 2 spatial axes), got "
                          "[2,3,5]. Reshape it."));
    plain.groups = 2;
    EXPECT_THAT(problem(plain, {x, floats({3, 2, 3, 3})}),
                HasSubstr("expected groups that divide the 3 input channels and the 4 output maps, "
                          "got 2. Set another number of groups."));
    plain.groups = 0;
    EXPECT_THAT(problem(plain, {x, floats({3, 4, 3, 3})}),
                HasSubstr("expected 1 or more output maps and groups, got 4 and 0."));
    plain.groups = 1;
    plain.window.prePadding = makeDims({6, 6});
    plain.window.postPadding = makeDims({5, 0});
    EXPECT_THAT(problem(plain, {x, floats({3, 4, 3, 3})}),
                HasSubstr("spatial axis 0: expected elements that padding leaves, got 11 - 6 - 5 "
                          "for an input extent of 5. Pad less."));
}

TEST_F(DeconvolutionOp, ChecksWeights) {
    std::vector<float> const numbers(200);
    Deconvolution plain = op(4, makeDims({3, 3}), makeDims({2, 2}));
    plain.kernel = {DataType::kFLOAT, numbers.data(), 107};
    TensorFacts const x = floats({2, 3, 5, 6});
    EXPECT_THAT(problem(plain, {x}),
                HasSubstr("kernel weights: expected 36 values for each of 3 input channels, got "
                          "107. Pass weights that match the layer."));
    plain.kernel.count = 108;
    EXPECT_EQ(shape(plain, {x}), "[2,4,11,13]");
    EXPECT_THAT(problem(plain, {x, floats({3, 4, 3, 3})}),
                HasSubstr("expected no tensor as input 1, because the layer has kernel weights, "
                          "got one. Set empty kernel weights, or connect a bias as input 2."));
    plain.bias = {DataType::kFLOAT, numbers.data(), 3};
    EXPECT_THAT(problem(plain, {x}),
                HasSubstr("bias weights: expected 4 values, one for each output map, got 3. Pass "
                          "as many, or none."));
}

class PhaseOps : public OpTest {};

TEST_F(PhaseOps, Shapes) {
    PhaseKernel kernel;
    kernel.groups = 2;
    kernel.stride = makeDims({2, 3});
    kernel.dilation = makeDims({1, 2});
    EXPECT_EQ(shape(kernel, {floats({6, 4, 3, 4})}), "[48,3,2,3]");
    throughPlan(kernel);
    EXPECT_THAT(problem(kernel, {floats({5, 4, 3, 4})}),
                HasSubstr("expected a kernel of 3 known axes behind channels for 2 groups, got "
                          "[5,4,3,4]. Pass a kernel that matches the layer."));
    kernel.groups = 0;
    EXPECT_THAT(problem(kernel, {floats({6, 4, 3, 4})}),
                HasSubstr("expected groups, strides and dilations of 1 or more, got 0, [2,3] and "
                          "[1,2]."));
    Interleave interleave;
    interleave.stride = makeDims({2, 3});
    interleave.before = makeDims({1, 0});
    interleave.after = makeDims({0, 2});
    EXPECT_EQ(shape(interleave, {floats({-1, 12, 5, -2})}), "[-1,2,9,-1]");
    throughPlan(interleave);
    EXPECT_THAT(problem(interleave, {floats({1, 11, 5, 5})}),
                HasSubstr("expected an input of rank 4 with a multiple of 6 maps, got "
                          "[1,11,5,5]."));
    EXPECT_THAT(problem(interleave, {floats({1, 12, 0, 5})}),
                HasSubstr("spatial axis 0: expected padding within the 0 elements of the output, "
                          "got 1 + 0. Pad less."));
    interleave.before = makeDims({-1, 0});
    EXPECT_THAT(problem(interleave, {floats({1, 12, 5, 5})}),
                HasSubstr("expected groups and strides of 1 or more, and elements to leave out, "
                          "got 1, [2,3], [-1,0] and [0,2]."));
}

} // namespace
} // namespace kiln::graph
