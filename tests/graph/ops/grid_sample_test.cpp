// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/grid_sample.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::SampleMode;
using testing::HasSubstr;

class GridSampleOp : public OpTest {};

TEST_F(GridSampleOp, TakesTheExtentsOfTheGrid) {
    EXPECT_EQ(shape(GridSample(), {floats({-1, 3, 5, -2}), floats({-1, 7, -3, 2})}), "[-1,3,7,-1]");
    throughPlan(GridSample());
}

TEST_F(GridSampleOp, ChecksOperandsAndModes) {
    EXPECT_THAT(problem(GridSample(), {floats({2, 3, 5, 5}), floats({2, 7, 7, 3})}),
                HasSubstr("expected images of rank 4 and a grid [batch, height, width, 2], got "
                          "[2,3,5,5] and [2,7,7,3]. Reshape them."));
    EXPECT_THAT(problem(GridSample(), {floats({2, 3, 5, 5}), floats({1, 7, 7, 2})}),
                HasSubstr("expected a grid for each of 2 images, got 1. Pass as many."));
    EXPECT_THAT(
        problem(GridSample(), {floats({2, 3, 5, 5}), input(DataType::kINT32, {2, 7, 7, 2})}),
        HasSubstr("expected a grid of float32, float16 or bfloat16, got int32. Cast it."));
    EXPECT_EQ(
        infer(GridSample(), {input(DataType::kHALF, {2, 3, 5, 5}), floats({2, 7, 7, 2})}).type,
        DataType::kHALF);
    GridSample op;
    op.mode = SampleMode::kCLAMP;
    EXPECT_THAT(problem(op, {floats({2, 3, 0, 5}), floats({2, 7, 7, 2})}),
                HasSubstr("expected images with elements in this sample mode, got [2,3,0,5]."));
    op.mode = SampleMode::kWRAP;
    EXPECT_THAT(problem(op, {floats({2, 3, 5, 5}), floats({2, 7, 7, 2})}),
                HasSubstr("expected sample mode FILL, CLAMP or REFLECT, got WRAP."));
}

} // namespace
} // namespace kiln::graph
