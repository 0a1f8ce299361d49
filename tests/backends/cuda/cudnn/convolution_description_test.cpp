// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/convolution_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::backends::cuda {
namespace {

using testing::ElementsAre;

using Axis = backend::ConvolutionProblem::Axis;

backend::ConvolutionProblem problemOf(Axis const& height, Axis const& width) {
    backend::ConvolutionProblem problem;
    problem.batch = 2;
    problem.groups = 3;
    problem.channels = 4;
    problem.maps = 9;
    problem.height = height;
    problem.width = width;
    return problem;
}

TEST(ConvolutionDescription, HasExtentsAndStridesOfAllOperands) {
    backend::ConvolutionProblem problem = problemOf({8, 8, 3, 1, 1, 1, 1}, {10, 4, 3, 2, 1, 0, 0});
    problem.biasAt = 2;
    ConvolutionDescription const d = describeConvolution(problem, DataType::kHALF);
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
    backend::ConvolutionProblem problem = problemOf({}, {10, 8, 3, 1, 1, 0, 0});
    problem.axes = 1;
    ConvolutionDescription const d = describeConvolution(problem, DataType::kFLOAT);
    EXPECT_THAT(d.input.dims, ElementsAre(2, 12, 1, 10));
    EXPECT_THAT(d.kernel.dims, ElementsAre(9, 4, 1, 3));
    EXPECT_THAT(d.output.dims, ElementsAre(2, 9, 1, 8));
}

TEST(ConvolutionDescription, VolumesHaveThreeAxes) {
    backend::ConvolutionProblem problem = problemOf({8, 6, 3, 1, 1, 0, 0}, {10, 8, 3, 1, 1, 0, 0});
    problem.axes = 3;
    problem.depth = {5, 4, 2, 1, 1, 0, 0};
    ConvolutionDescription const d = describeConvolution(problem, DataType::kFLOAT);
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

} // namespace
} // namespace kiln::backends::cuda
