// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::runtime {
namespace {

using graph::ExprNode;
using graph::ExprOp;
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

TEST(PlanShapes, CornersOfAProfile) {
    plan::Document const document = sample();
    EXPECT_EQ(toText(shapesAt(document, 0, ProfileCorner::kMin)[2]), "[4]");
    EXPECT_EQ(toText(shapesAt(document, 0, ProfileCorner::kOpt)[2]), "[5]");
    std::vector<Dims> const most = shapesAt(document, 0, ProfileCorner::kMax);
    EXPECT_EQ(toText(most[0]), "[8,4]");
    EXPECT_EQ(toText(most[2]), "[13]");
}

TEST(PlanShapes, CapacityIsTheLargestCorner) {
    plan::Document document = sample();
    EXPECT_EQ(capacities(document), (std::vector<uint64_t>{128, 20, 52}));
    document.exprs[3].op = ExprOp::kFloorDiv; // a quotient: min gives the largest
    document.profiles[0].ranges[1].min = makeDims({1});
    document.profiles[0].ranges[0].min = makeDims({6, 4});
    EXPECT_EQ(capacities(document)[2], 24U);
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
    EXPECT_THROW(shapesAt(document, 0, ProfileCorner::kMin), Error);
    document.exprs[0] = {ExprOp::kInputExtent, 0, 9, 0};
    EXPECT_THROW(shapesAt(document, 0, ProfileCorner::kMin), Error);
    document.exprs[0] = {ExprOp::kShapeValue, 0, 0, 0};
    EXPECT_THROW(shapesAt(document, 0, ProfileCorner::kMin), Error);
}

TEST(PlanShapes, NegativeShapesAreNamed) {
    plan::Document document = sample();
    document.exprs[3].op = ExprOp::kSub;
    try {
        shapesAt(document, 0, ProfileCorner::kMin);
        FAIL() << "expected an error";
    } catch (Error const& error) {
        EXPECT_THAT(error.what(), HasSubstr("tensor 'sum': the input shapes give it the negative "
                                            "shape [-2]"));
    }
}

} // namespace
} // namespace kiln::runtime
