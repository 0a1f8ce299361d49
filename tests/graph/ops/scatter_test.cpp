// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/scatter.h"

#include <gmock/gmock.h>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::ScatterMode;
using testing::HasSubstr;

class ScatterOp : public OpTest {
protected:
    TensorFacts indices(std::initializer_list<int64_t> extents) {
        return input(DataType::kINT64, extents);
    }
    Scatter op;
};

TEST_F(ScatterOp, Shapes) {
    op.axis = -1;
    EXPECT_EQ(shape(op, {floats({3, 4}), indices({2, 9}), floats({2, 9})}), "[3,4]");
    EXPECT_EQ(shape(op, {floats({-1, 4}), indices({-2, 9}), floats({-2, 9})}), "[-1,4]");
    op.mode = ScatterMode::kND;
    EXPECT_EQ(shape(op, {floats({3, 4, 5}), indices({6, 2}), floats({6, 5})}), "[3,4,5]");
    EXPECT_EQ(shape(op, {floats({3, 4}), indices({2}), floats({})}), "[3,4]");
    EXPECT_EQ(static_cast<Scatter const&>(*throughPlan(op)).mode, ScatterMode::kND);
    EXPECT_EQ(op.typeRule(Scatter::kIndices, 3), TypeRule::kFixed);
    EXPECT_EQ(op.typeRule(Scatter::kUpdates, 3), TypeRule::kCompute);
}

TEST_F(ScatterOp, FollowsValuesOfShapes) {
    auto const values = [&](std::vector<int64_t> const& numbers) {
        TensorFacts facts = indices({static_cast<int64_t>(numbers.size())});
        facts.values.emplace();
        for (int64_t const number : numbers) {
            facts.values->push_back(pool.constant(number));
        }
        return facts;
    };
    TensorFacts const result =
        infer(op, {values({7, 8, 9}), values({-1, 5, 0}), values({1, 2, 3})});
    ASSERT_TRUE(result.values);
    EXPECT_EQ(pool.constantOr((*result.values)[0]), 3);
    EXPECT_EQ(pool.constantOr((*result.values)[1]), 8);
    EXPECT_EQ(pool.constantOr((*result.values)[2]), 1);
}

TEST_F(ScatterOp, Refusals) {
    TensorFacts const x = floats({3, 4});
    EXPECT_THAT(problem(op, {x, floats({2, 4}), floats({2, 4})}),
                HasSubstr("indices (input 1) of int32 or int64, got float32"));
    EXPECT_THAT(problem(op, {x, indices({2, 4}), indices({2, 4})}),
                HasSubstr("updates (input 2) of float32 like the data, got int64"));
    EXPECT_THAT(problem(op, {x, indices({2, 5}), floats({2, 5})}),
                HasSubstr("no larger than the data [3,4] but along axis 0, got [2,5] and [2,5]"));
    EXPECT_THAT(problem(op, {x, indices({2, 4}), floats({1, 4})}),
                HasSubstr("got [2,4] and [1,4]"));
    op.axis = 2;
    EXPECT_THAT(problem(op, {x, indices({2, 4}), floats({2, 4})}),
                HasSubstr("an axis from -2 to 1 for data [3,4], got 2"));
    op.mode = ScatterMode::kND;
    EXPECT_THAT(problem(op, {x, indices({2, 3}), floats({2})}),
                HasSubstr("last extent is known and from 1 to 2, got [2,3]"));
    EXPECT_THAT(problem(op, {x, indices({2, 1}), floats({2, 3})}),
                HasSubstr("then those of the data [3,4] from axis 1 on, got [2,3]"));
    op.axis = 8;
    EXPECT_THAT(op.problem(), HasSubstr("an axis from -8 to 7, got 8"));
    op.mode = static_cast<ScatterMode>(7);
    EXPECT_THAT(op.problem(), HasSubstr("a member of ScatterMode, got 7"));
}

TEST_F(ScatterOp, Reductions) {
    op.reduction = ScatterReduction::kMIN;
    EXPECT_EQ(shape(op, {floats({3, 4}), indices({2, 4}), floats({2, 4})}), "[3,4]");
    EXPECT_EQ(static_cast<Scatter const&>(*throughPlan(op)).reduction, ScatterReduction::kMIN);
    EXPECT_EQ(op.typeRule(Scatter::kUpdates, 3), TypeRule::kFixed);
    TensorFacts const narrow = input(DataType::kFP8, {3, 4});
    EXPECT_THAT(problem(op, {narrow, indices({3, 4}), narrow}),
                HasSubstr("expected data of a type with arithmetic for a reduction, got fp8."));
    op.reduction = static_cast<ScatterReduction>(5);
    EXPECT_THAT(problem(op, {floats({3}), indices({3}), floats({3})}),
                HasSubstr("expected a member of ScatterReduction, got 5."));
}

} // namespace
} // namespace kiln::graph
