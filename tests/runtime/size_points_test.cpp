// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/size_points.h"

#include <gmock/gmock.h>

namespace kiln::runtime {
namespace {

using graph::ExprOp;

plan::StepRecord stepWriting(std::vector<plan::TensorId> outputs) {
    plan::StepRecord step;
    step.outputs = std::move(outputs);
    return step;
}

/// Step 1 writes size tensor 2; expression 3 is twice its value.
plan::Document sample() {
    plan::Document document;
    document.exprs = {{ExprOp::kConstant, 0, 0, 2},
                      {ExprOp::kInputExtent, 0, 0, 0},
                      {ExprOp::kSizeTensor, 2, 1, 0},
                      {ExprOp::kProd, 0, 2, 0}};
    document.tensors.resize(5);
    document.tensors[3].shape.rank = 2;
    document.tensors[3].shape[0] = 1;
    document.tensors[3].shape[1] = 3;
    document.steps = {stepWriting({1}), stepWriting({2, 3}), stepWriting({4})};
    return document;
}

TEST(SizePoints, SayWhenExtentsAreKnown) {
    plan::Document const document = sample();
    SizePoints const points(document);
    EXPECT_TRUE(points.any());
    EXPECT_EQ(points.knownAfter(0), SizePoints::kAlways);
    EXPECT_EQ(points.knownAfter(1), SizePoints::kAlways);
    EXPECT_EQ(points.knownAfter(3), 1);
    EXPECT_EQ(points.knownAfter(document.tensors[3]), 1);
    EXPECT_EQ(points.knownAfter(document.tensors[4]), SizePoints::kAlways);
    EXPECT_EQ(points.nodeOf(2).b, 1);
}

TEST(SizePoints, CutTheListAfterEachPoint) {
    plan::Document const document = sample();
    SizePoints const points(document);
    EXPECT_THAT(points.writtenBy(0), ::testing::IsEmpty());
    EXPECT_THAT(points.writtenBy(1), ::testing::ElementsAre(plan::TensorId(2)));
    EXPECT_EQ(points.next(0), 2U);
    EXPECT_EQ(points.next(2), 3U);
    EXPECT_EQ(points.next(3), 3U);
}

TEST(SizePoints, SayWhatAPointSettles) {
    plan::Document document = sample();
    document.tensors[4].values = {0, 2};
    SizePoints const points(document);
    EXPECT_THAT(points.settledBy(1).exprs, ::testing::ElementsAre(2, 3));
    EXPECT_THAT(points.settledBy(1).tensors,
                ::testing::ElementsAre(plan::TensorId(3), plan::TensorId(4)));
    EXPECT_THAT(points.settledBy(0).exprs, ::testing::IsEmpty());
    EXPECT_THAT(points.settledBy(2).tensors, ::testing::IsEmpty());
}

TEST(SizePoints, MostPlansHaveNone) {
    plan::Document document = sample();
    document.exprs.resize(2);
    document.tensors[3].shape.rank = 0;
    SizePoints const points(document);
    EXPECT_FALSE(points.any());
    EXPECT_EQ(points.next(0), 3U);
}

} // namespace
} // namespace kiln::runtime
