// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/fill.h"

#include <limits>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::FillOperation;
using testing::HasSubstr;

class FillRule : public OpTest {
protected:
    TensorFacts vector(std::initializer_list<int64_t> values) {
        TensorFacts facts = input(DataType::kINT64, {static_cast<int64_t>(values.size())});
        facts.values.emplace();
        for (int64_t const value : values) {
            facts.values->push_back(pool.constant(value));
        }
        return facts;
    }
};

TEST_F(FillRule, ConstantsOrOperands) {
    Fill op;
    op.dims = makeDims({5});
    EXPECT_EQ(shape(op, {}), "[5]");
    EXPECT_EQ(infer(op, {}).type, DataType::kFLOAT);
    EXPECT_EQ(shape(op, {vector({3})}), "[3]");
    EXPECT_EQ(shape(op, {vector({3, 4}), none(), floats({2})}), "[3,4]");
    EXPECT_EQ(shape(op, {none(), floats({})}), "[5]");
    throughPlan(op);
}

TEST_F(FillRule, IntegersAreKnown) {
    Fill op;
    op.type = DataType::kINT64;
    op.dims = makeDims({3});
    op.wholeAlpha = 4;
    op.wholeBeta = -2;
    op.isWhole = true;
    TensorFacts const facts = infer(op, {});
    ASSERT_TRUE(facts.values.has_value());
    EXPECT_EQ(pool.constantOr(facts.values->at(2)), 0);
}

TEST_F(FillRule, Refusals) {
    Fill op;
    op.dims = makeDims({2, 3});
    EXPECT_THAT(problem(op, {}), HasSubstr("expected rank 1 for one constant beta, got 2"));
    EXPECT_THAT(problem(op, {none(), none(), floats({3})}),
                HasSubstr("beta (input 2): expected float32 [2], got float32 [3]"));
    EXPECT_THAT(problem(op, {none(), vector({3})}),
                HasSubstr("alpha (input 1): expected float32 [], got int64 [1]"));
    EXPECT_THAT(problem(op, {vector({1, 1, 1, 1, 1, 1, 1, 1, 1})}),
                HasSubstr("dimensions (input 0): expected at most 8 entries, got 9"));
    op.dims = makeDims({2, -3});
    EXPECT_THAT(problem(op, {}), HasSubstr("expected known dimensions, got [2,-3]"));
    op.alpha = std::numeric_limits<double>::infinity();
    EXPECT_THAT(problem(op, {}), HasSubstr("expected finite alpha and beta, got inf and 1"));
    op.type = DataType::kBOOL;
    EXPECT_THAT(problem(op, {}),
                HasSubstr("expected a floating-point type, int32 or int64, got bool"));
    op.operation = FillOperation::kRANDOM_NORMAL;
    op.type = DataType::kINT32;
    EXPECT_THAT(problem(op, {}),
                HasSubstr("expected a floating-point type for random values, got int32"));
    op.operation = static_cast<FillOperation>(7);
    EXPECT_THAT(problem(op, {}), HasSubstr("member of FillOperation, got 7"));
}

TEST_F(FillRule, RandomNumbersTakeScalarBounds) {
    Fill op;
    op.operation = FillOperation::kRANDOM_UNIFORM;
    op.dims = makeDims({2, 3});
    EXPECT_EQ(shape(op, {}), "[2,3]");
    EXPECT_EQ(shape(op, {none(), floats({}), floats({})}), "[2,3]");
    EXPECT_THAT(problem(op, {none(), floats({}), floats({2})}),
                HasSubstr("beta (input 2): expected float32 [], got float32 [2]"));
    op.seed = 7;
    EXPECT_EQ(static_cast<Fill const&>(*throughPlan(op)).seed, 7U);
}

} // namespace
} // namespace kiln::graph
