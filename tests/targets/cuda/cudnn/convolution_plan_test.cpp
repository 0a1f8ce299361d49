// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_plan.h"

#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

using GpuConvolutionPlan = test::GpuTest;

/// A 1 x 1 convolution of one channel and one map, over rows of this many elements.
ConvolutionDescription rowsOf(int64_t columns) {
    ConvolutionDescription description;
    description.input = {{1, 1, 1, columns}, {columns, columns, columns, 1}};
    description.kernel = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    description.output = description.input;
    description.stride = {1, 1};
    description.dilation = {1, 1};
    description.before = {0, 0};
    description.after = {0, 0};
    return description;
}

TEST_F(GpuConvolutionPlan, ChoicesOfManyShapesAreForgotten) {
    if (!Cudnn::problem().empty()) {
        GTEST_SKIP() << Cudnn::problem();
    }
    std::size_t const most = ConvolutionPlan::kMostChosen;
    ConvolutionPlan const first(rowsOf(1), 0); // outlives its cache entry
    for (std::size_t i = 2; i <= most + 10; ++i) {
        ConvolutionPlan const plan(rowsOf(static_cast<int64_t>(i)), 0);
    }
    EXPECT_EQ(ConvolutionPlan::chosen(), most);
    ConvolutionPlan const again(rowsOf(1), 0);
    EXPECT_EQ(again.biasWay(), first.biasWay());
}

} // namespace
} // namespace kiln::targets::cuda
