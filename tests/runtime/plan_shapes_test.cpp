// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "runtime/plan_exprs.h"

namespace kiln::runtime {
namespace {

using graph::ExprNode;
using graph::ExprOp;
using test::errorOf;
using testing::HasSubstr;

/// Inputs a [-1,4] and b [-1], an internal tensor [a0 + b0] of floats, one profile.
plan::Document sample() {
    plan::Document document;
    document.exprs = {{ExprOp::kInputExtent, 0, 0, 0},
                      {ExprOp::kConstant, 0, 0, 4},
                      {ExprOp::kInputExtent, 1, 0, 0},
                      {ExprOp::kSum, 0, 2, 0}};
    auto const add = [&](char const* name, plan::TensorRole role, int32_t inputIndex,
                         std::vector<int32_t> const& extents) {
        plan::TensorRecord tensor;
        tensor.name = name;
        tensor.role = role;
        tensor.inputIndex = inputIndex;
        tensor.shape.rank = static_cast<int32_t>(extents.size());
        std::copy(extents.begin(), extents.end(), tensor.shape.extent.begin());
        document.tensors.push_back(tensor);
    };
    add("a", plan::TensorRole::kInput, 0, {0, 1});
    add("b", plan::TensorRole::kInput, 1, {2});
    add("sum", plan::TensorRole::kInternal, -1, {3});
    document.profiles.push_back({{{0, makeDims({1, 4}), makeDims({2, 4}), makeDims({8, 4})},
                                  {1, makeDims({3}), makeDims({3}), makeDims({5})}}});
    return document;
}

TEST(PlanShapes, ExtentsOverAProfile) {
    plan::Document const document = sample();
    ProfileShapes const shapes = shapesOver(document, document.profiles[0]);
    EXPECT_EQ(toText(shapes.min[2]), "[4]");
    EXPECT_EQ(toText(shapes.opt[2]), "[5]");
    EXPECT_EQ(toText(shapes.max[0]), "[8,4]");
    EXPECT_EQ(toText(shapes.max[2]), "[13]");
}

TEST(PlanShapes, CapacityHoldsBetweenTheCorners) {
    plan::Document document = sample();
    EXPECT_EQ(capacities(document), (Table<plan::TensorId, uint64_t>{128, 20, 52}));
    document.exprs[3].op = ExprOp::kFloorDiv; // a quotient: largest where b is smallest
    document.profiles[0].ranges[1].min = makeDims({1});
    document.profiles[0].ranges[0].min = makeDims({6, 4});
    EXPECT_EQ(capacities(document)[2], 32U); // 8 / 1; the corners have 6 / 1 and 8 / 5
}

TEST(PlanShapes, CapacityOfADifferenceOfInputs) {
    plan::Document document = sample();
    document.exprs[3].op = ExprOp::kSub;
    document.profiles[0].ranges[0] = {0, makeDims({8, 4}), makeDims({8, 4}), makeDims({64, 4})};
    document.profiles[0].ranges[1] = {1, makeDims({0}), makeDims({0}), makeDims({8})};
    EXPECT_EQ(capacities(document)[2], 64U * sizeof(float));
    EXPECT_EQ(toText(shapesOver(document, document.profiles[0]).min[2]), "[0]");
}

TEST(PlanShapes, AnExtentScaledByARealNumber) {
    plan::Document document = sample();
    document.exprs.push_back({ExprOp::kReal, 0, 0, graph::realBits(1.7)});
    document.exprs.push_back({ExprOp::kToReal, 0, 0, 0});
    document.exprs.push_back({ExprOp::kRealProd, 4, 5, 0});
    document.exprs.push_back({ExprOp::kFloor, 6, 6, 0});
    document.tensors[2].shape.extent[0] = 7; // floor(1.7 a), a in 1..8
    ProfileShapes const shapes = shapesOver(document, document.profiles[0]);
    EXPECT_EQ(toText(shapes.min[2]), "[1]");
    EXPECT_EQ(toText(shapes.opt[2]), "[3]");
    EXPECT_EQ(toText(shapes.max[2]), "[13]");
    EXPECT_EQ(capacities(document)[2], 13U * sizeof(float));
    PlanExprs exprs(document);
    EXPECT_EQ(exprs.pool().toText(exprs.shapeOf(2)[0]), "floor((1.7 * real(in0.d0)))");
}

TEST(PlanShapes, TheLargestOfAllProfiles) {
    plan::Document document = sample();
    plan::ProfileRecord second = document.profiles[0];
    second.ranges[1].max = makeDims({100});
    document.profiles.push_back(second);
    EXPECT_EQ(capacities(document)[2], 432U);
}

TEST(PlanShapes, LeavesThatDoNotExist) {
    plan::Document document = sample();
    document.exprs[0].a = 7;
    EXPECT_THROW(capacities(document), Error);
    document.exprs[0] = {ExprOp::kInputExtent, 0, 9, 0};
    EXPECT_THROW(capacities(document), Error);
    document.exprs[0] = {ExprOp::kShapeValue, 0, 0, 0};
    EXPECT_THROW(shapesOver(document, document.profiles[0]), Error);
}

TEST(PlanShapes, NegativeShapesAreNamed) {
    plan::Document document = sample();
    document.exprs[3].op = ExprOp::kSub;
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [&] { shapesOver(document, document.profiles[0]); }),
        HasSubstr("tensor 'sum': the input shapes give it the negative shape [-1]"));
    document.profiles[0].ranges[1].min = makeDims({12}); // more than a is anywhere
    document.profiles[0].ranges[1].opt = document.profiles[0].ranges[1].max = makeDims({15});
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { capacities(document); }),
                HasSubstr("tensor 'sum', dimension 0: all shapes in the profile give it a negative "
                          "extent, at most -4"));
}

} // namespace
} // namespace kiln::runtime
