// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"

namespace kiln::targets::cuda {
namespace {

using testing::ElementsAre;

using Axis = target::ConvolutionWorkload::Axis;

target::ConvolutionWorkload problemOf(Axis const& height, Axis const& width) {
    target::ConvolutionWorkload workload;
    workload.batch = 2;
    workload.groups = 3;
    workload.channels = 4;
    workload.maps = 9;
    workload.height = height;
    workload.width = width;
    return workload;
}

TEST(ConvolutionDescription, HasExtentsAndStridesOfAllOperands) {
    target::ConvolutionWorkload workload = problemOf({8, 8, 3, 1, 1, 1, 1}, {10, 4, 3, 2, 1, 0, 0});
    workload.biasAt = 2;
    ConvolutionDescription const d = describeConvolution(workload, DataType::kHALF);
    EXPECT_THAT(d.input.dims, ElementsAre(2, 12, 8, 10));
    EXPECT_THAT(d.input.strides, ElementsAre(960, 80, 10, 1));
    EXPECT_THAT(d.kernel.dims, ElementsAre(9, 4, 3, 3));
    EXPECT_THAT(d.output.dims, ElementsAre(2, 9, 8, 4));
    EXPECT_THAT(d.bias.dims, ElementsAre(1, 9, 1, 1));
    EXPECT_THAT(d.stride, ElementsAre(1, 2));
    EXPECT_THAT(d.before, ElementsAre(1, 0));
    EXPECT_THAT(d.after, ElementsAre(1, 0));
    EXPECT_TRUE(d.hasBias);
    EXPECT_TRUE(isSymmetric(d));
}

TEST(ConvolutionDescription, ALineIsAnImageOfHeightOne) {
    target::ConvolutionWorkload workload = problemOf({}, {10, 8, 3, 1, 1, 0, 0});
    workload.axes = 1;
    ConvolutionDescription const d = describeConvolution(workload, DataType::kFLOAT);
    EXPECT_THAT(d.input.dims, ElementsAre(2, 12, 1, 10));
    EXPECT_THAT(d.kernel.dims, ElementsAre(9, 4, 1, 3));
    EXPECT_THAT(d.output.dims, ElementsAre(2, 9, 1, 8));
}

TEST(ConvolutionDescription, VolumesHaveThreeAxes) {
    target::ConvolutionWorkload workload = problemOf({8, 6, 3, 1, 1, 0, 0}, {10, 8, 3, 1, 1, 0, 0});
    workload.axes = 3;
    workload.depth = {5, 4, 2, 1, 1, 0, 0};
    ConvolutionDescription const d = describeConvolution(workload, DataType::kFLOAT);
    EXPECT_THAT(d.input.dims, ElementsAre(2, 12, 5, 8, 10));
    EXPECT_THAT(d.dilation, ElementsAre(1, 1, 1));
}

TEST(ConvolutionDescription, PaddingBehindIsWhatTheOutputNeeds) {
    // Axis: input, output, size, stride, dilation, padding before, padding after.
    auto const afterOf = [](Axis const& axis) {
        return describeConvolution(problemOf(axis, {4, 4, 1, 1, 1, 0, 0}), DataType::kFLOAT)
            .after[0];
    };
    EXPECT_EQ(afterOf({8, 4, 3, 2, 1, 1, 0}), 1); // symmetric padding gives the same output
    EXPECT_EQ(afterOf({8, 4, 3, 2, 1, 0, 1}), 1); // needed after the data only
    EXPECT_EQ(afterOf({9, 4, 3, 2, 1, 0, 0}), 0);
    EXPECT_EQ(afterOf({8, 8, 3, 1, 1, 2, 0}), 0); // more would enlarge the output
    EXPECT_EQ(afterOf({8, 8, 3, 1, 2, 2, 2}), 2);
}

TEST(ConvolutionDescription, TextTellsProblemsApart) {
    Axis const axis{8, 8, 3, 1, 1, 1, 1};
    ConvolutionDescription const one = describeConvolution(problemOf(axis, axis), DataType::kFLOAT);
    ConvolutionDescription other = one;
    EXPECT_EQ(one.text(), other.text());
    other.hasBias = true;
    EXPECT_NE(one.text(), other.text());
    EXPECT_NE(one.text(), describeConvolution(problemOf(axis, axis), DataType::kHALF).text());
}

TEST(ConvolutionDescription, ChannelsLastArePaddedToGroups) {
    target::ConvolutionWorkload workload =
        problemOf({8, 8, 3, 1, 1, 1, 1}, {10, 10, 3, 1, 1, 1, 1});
    workload.groups = 1;
    ConvolutionDescription d = describeConvolution(workload, DataType::kHALF, true);
    EXPECT_THAT(d.input.dims, ElementsAre(2, 4, 8, 10));
    EXPECT_THAT(d.input.strides, ElementsAre(320, 1, 40, 4));
    EXPECT_THAT(d.kernel.strides, ElementsAre(36, 1, 12, 4));
    EXPECT_TRUE(padChannels(d, 1));
    EXPECT_THAT(d.input.dims, ElementsAre(2, 8, 8, 10));
    EXPECT_THAT(d.kernel.dims, ElementsAre(9, 8, 3, 3));
    EXPECT_FALSE(padChannels(d, 1));
}

TEST(ConvolutionDescription, StepsThatCudnnHas) {
    graph::Activation clip;
    clip.type = nvinfer1::ActivationType::kCLIP;
    clip.alpha = -1.0F;
    clip.beta = 6.0F;
    std::optional<ConvolutionStep> const step = describeStep({&clip});
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(step->mode, CUDNN_POINTWISE_RELU_FWD);
    EXPECT_EQ(step->low, -1.0);
    EXPECT_EQ(step->high, 6.0);
    graph::ElementWise least;
    least.operation = nvinfer1::ElementWiseOperation::kMIN; // may lose a NaN
    EXPECT_FALSE(describeStep({&least}).has_value());
    clip.type = nvinfer1::ActivationType::kSOFTSIGN;
    EXPECT_FALSE(describeStep({&clip}).has_value());
}

} // namespace
} // namespace kiln::targets::cuda
