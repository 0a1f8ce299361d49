// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cumulative.h"

#include <gmock/gmock.h>

#include "graph/op_fixture.h"
#include "graph/ops/region.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class CumulativeOp : public OpTest {
protected:
    TensorFacts axis(int64_t value) {
        TensorFacts facts = input(DataType::kINT32, {});
        facts.values = ShapeValues{pool.constant(value)};
        return facts;
    }
    Cumulative op;
};

TEST_F(CumulativeOp, TheAxisBecomesAParameter) {
    EXPECT_EQ(shape(op, {floats({3, -1}), axis(-1)}), "[3,-1]");
    std::vector<TensorFacts> const inputs{floats({3, 4, 5}), axis(-2)};
    InferContext const context{pool, "probe", inputs, {}};
    auto const parts = op.parts(context);
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->nodes().size(), 1U);
    auto const& whole = static_cast<Cumulative const&>(*parts->nodes()[0].op);
    EXPECT_EQ(whole.axis, 1);
    EXPECT_EQ(shape(whole, {floats({3, 4, 5})}), "[3,4,5]");
    std::vector<TensorFacts> const one{floats({3, 4, 5})};
    EXPECT_FALSE(whole.parts(InferContext{pool, "probe", one, {}}));
    op.reverse = true;
    EXPECT_TRUE(static_cast<Cumulative const&>(*throughPlan(op)).reverse);
}

TEST_F(CumulativeOp, Refusals) {
    EXPECT_THAT(problem(op, {floats({3, 4}), axis(2)}), HasSubstr("an axis from -2 to 1, got 2"));
    EXPECT_THAT(
        problem(op, {floats({3, 4}), input(DataType::kINT32, {})}),
        HasSubstr("axis (input 1): expected a constant scalar of int32 or int64, got int32"));
    EXPECT_THAT(problem(op, {input(DataType::kBOOL, {3}), axis(0)}), HasSubstr("got bool"));
    op.axis = 8;
    EXPECT_THAT(op.problem(), HasSubstr("an axis from 0 to 7, got 8"));
    op.operation = static_cast<nvinfer1::CumulativeOperation>(3);
    EXPECT_THAT(op.problem(), HasSubstr("a member of CumulativeOperation, got 3"));
}

} // namespace
} // namespace kiln::graph
