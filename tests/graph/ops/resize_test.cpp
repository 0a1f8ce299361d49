// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/resize.h"

#include <limits>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::InterpolationMode;
using testing::HasSubstr;

class ResizeOp : public OpTest {
protected:
    static Resize to(Dims const& dims) {
        Resize op;
        op.dims = dims;
        return op;
    }
    static Resize by(std::vector<float> const& scales) {
        Resize op;
        op.scaleCount = static_cast<int32_t>(scales.size());
        std::copy(scales.begin(), scales.end(), op.scales.begin());
        return op;
    }
};

TEST_F(ResizeOp, ExtentsAreGivenOrScaled) {
    EXPECT_EQ(shape(to(makeDims({2, 3, 9, 1})), {floats({2, 3, -1, 4})}), "[2,3,9,1]");
    EXPECT_EQ(shape(by({1.0F, 2.5F, 0.7F}), {floats({-1, 3, 10})}), "[-1,7,7]");
    EXPECT_EQ(extent(by({1.0F, 0.7F}), {floats({2, -1})}, 1, {10}), 7);
    EXPECT_EQ(extent(by({1.0F, 1.7F}), {floats({2, -1})}, 1, {4}), 6);
    TensorFacts extents = input(DataType::kINT64, {2});
    extents.values = ShapeValues{pool.constant(5), pool.inputExtent(0, 0)};
    EXPECT_EQ(shape(Resize(), {floats({3, 4}), extents}), "[5,-1]");
}

TEST_F(ResizeOp, ChecksParameters) {
    std::vector<TensorFacts> const tensors = {floats({2, 3, 4, 5})};
    EXPECT_THAT(problem(Resize(), tensors),
                HasSubstr("expected output dimensions or scales for 4 axes, got none. Set one for "
                          "each axis of the input."));
    EXPECT_THAT(problem(to(makeDims({2, 3})), tensors), HasSubstr("for 4 axes, got 2."));
    EXPECT_THAT(problem(to(makeDims({2, -3})), tensors),
                HasSubstr("expected output dimensions of 0 or more, got [2,-3]."));
    EXPECT_THAT(problem(by({1.0F, 0.0F, 1.0F, 1.0F}), tensors),
                HasSubstr("expected finite scales above 0, got 0 for axis 1."));
    Resize op = to(makeDims({2, 3, 4, 5}));
    op.cubic = std::numeric_limits<float>::infinity();
    EXPECT_THAT(problem(op, tensors), HasSubstr("expected a finite cubic coefficient, got inf."));
    op = to(makeDims({2, 3, 4, 5}));
    op.scaleCount = 9;
    EXPECT_THAT(problem(op, tensors), HasSubstr("expected at most 8 scales, got 9."));
    op.mode = static_cast<InterpolationMode>(7);
    EXPECT_THAT(problem(op, tensors), HasSubstr("expected a member of InterpolationMode, got 7."));
}

TEST_F(ResizeOp, ChecksAxesAndTypes) {
    Resize op = to(makeDims({4, 3, 4, 5}));
    EXPECT_EQ(shape(op, {floats({2, 3, 4, 5})}), "[4,3,4,5]");
    op.mode = InterpolationMode::kLINEAR;
    EXPECT_THAT(problem(op, {floats({2, 3, 4, 5})}),
                HasSubstr("expected only the last 3 axes to be resized in mode LINEAR, got 2 -> 4 "
                          "for axis 0. Keep its extent, or use NEAREST."));
    op.mode = InterpolationMode::kCUBIC;
    EXPECT_THAT(problem(op, {floats({4, 2, 4, 5})}),
                HasSubstr("expected only the last 2 axes to be resized in mode CUBIC, got 2 -> 3"));
    EXPECT_THAT(problem(op, {floats({4, 3, 0, 5})}),
                HasSubstr("axis 2: expected elements to read, got an extent of 0 for an output of "
                          "4. Keep the extent."));
    EXPECT_THAT(problem(op, {input(DataType::kBOOL, {4, 3, 4, 5})}),
                HasSubstr("expected input 0 of a floating-point or integer type, got bool."));
    op.mode = InterpolationMode::kNEAREST;
    EXPECT_EQ(infer(op, {input(DataType::kBOOL, {4, 3, 4, 5})}).type, DataType::kBOOL);
}

TEST_F(ResizeOp, ThroughPlan) {
    throughPlan(by({1.0F, 2.0F}));
}

} // namespace
} // namespace kiln::graph
