// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/linear_form.h"

#include <limits>

#include <gtest/gtest.h>

#include "graph/expr.h"
#include "graph/shape_values.h"

namespace kiln::graph {
namespace {

/// Values of leaves: extent b of input 0 is 100 * b + 7.
class Leaves : public LeafValues {
public:
    int64_t leaf(ExprNode const& node) const override { return 100 * node.b + 7; }
};

TEST(LinearForm, SumsOfEqualFormAreOneNode) {
    ExprPool pool;
    ExprRef const x = pool.inputExtent(0, 0);
    ExprRef const y = pool.inputExtent(0, 1);
    auto const c = [&](int64_t value) { return pool.constant(value); };
    auto const op = [&](ExprOp op, ExprRef a, ExprRef b) { return pool.binary(op, a, b); };
    ExprRef const sum = op(ExprOp::kSum, x, c(3));
    EXPECT_EQ(op(ExprOp::kSub, sum, x), c(3));
    EXPECT_EQ(op(ExprOp::kSub, sum, c(3)), x);
    EXPECT_EQ(op(ExprOp::kSum, op(ExprOp::kSum, x, c(1)), c(2)), sum);
    EXPECT_EQ(op(ExprOp::kSum, op(ExprOp::kSub, x, y), y), x);
    EXPECT_EQ(op(ExprOp::kSum, x, x), op(ExprOp::kProd, x, c(2)));
    EXPECT_EQ(op(ExprOp::kProd, x, c(0)), c(0));
    EXPECT_EQ(op(ExprOp::kFloorDiv, op(ExprOp::kProd, x, c(4)), c(4)), x);
    EXPECT_NE(op(ExprOp::kFloorDiv, op(ExprOp::kProd, x, c(4)), c(3)), x);
    EXPECT_NE(op(ExprOp::kFloorDiv, op(ExprOp::kSum, x, c(4)), c(4)), x);
    EXPECT_EQ(op(ExprOp::kProd, op(ExprOp::kSum, x, y), c(2)),
              op(ExprOp::kSum, op(ExprOp::kSum, x, x), op(ExprOp::kSum, y, y)));
}

TEST(LinearForm, OrderedOperandsAreDecided) {
    ExprPool pool;
    ExprRef const x = pool.inputExtent(0, 0);
    ExprRef const next = pool.binary(ExprOp::kSum, x, pool.constant(1));
    EXPECT_EQ(pool.binary(ExprOp::kMax, x, next), next);
    EXPECT_EQ(pool.binary(ExprOp::kMin, next, x), x);
    EXPECT_EQ(pool.binary(ExprOp::kLess, x, next), pool.constant(1));
    EXPECT_EQ(pool.binary(ExprOp::kLess, next, x), pool.constant(0));
    EXPECT_EQ(pool.binary(ExprOp::kEqual, x, next), pool.constant(0));
}

TEST(LinearForm, ExtentsAreNeverNegative) {
    ExprPool pool;
    ExprRef const x = pool.inputExtent(0, 0);
    ExprRef const y = pool.inputExtent(0, 1);
    ExprRef const number = pool.shapeValue(0, 0);
    ExprRef const zero = pool.constant(0);
    EXPECT_EQ(pool.binary(ExprOp::kMax, x, zero), x);
    EXPECT_EQ(pool.binary(ExprOp::kMin, x, zero), zero);
    ExprRef const sum = pool.binary(ExprOp::kSum, x, y);
    EXPECT_EQ(pool.binary(ExprOp::kMax, y, sum), sum);
    EXPECT_EQ(pool.binary(ExprOp::kMin, sum, y), y);
    EXPECT_NE(pool.binary(ExprOp::kMax, number, zero), number);
    EXPECT_NE(pool.binary(ExprOp::kMax, x, y), x);
    EXPECT_NE(pool.binary(ExprOp::kMax, x, pool.constant(1)), x);
    EXPECT_EQ(pool.binary(ExprOp::kEqual, x, pool.constant(-1)), zero);
    EXPECT_FALSE(pool.isConstant(pool.binary(ExprOp::kEqual, x, sum)));
    EXPECT_FALSE(pool.isConstant(pool.binary(ExprOp::kEqual, x, pool.constant(1))));
}

TEST(LinearForm, AChoiceOfEqualNumbersIsEither) {
    ExprPool pool;
    ExprRef const x = pool.inputExtent(0, 0);
    ExprRef const one = pool.constant(1);
    ExprRef const isOne = pool.binary(ExprOp::kEqual, x, one);
    EXPECT_EQ(choose(pool, isOne, one, x), x); // as Expand writes it
    EXPECT_EQ(choose(pool, isOne, x, one), one);
    EXPECT_NE(choose(pool, isOne, pool.constant(5), x), x);
}

TEST(LinearForm, ManyTermsStayAsTheyAre) {
    ExprPool pool;
    ExprRef sum = pool.constant(0);
    int64_t expected = 0;
    for (int32_t axis = 0; axis < 40; ++axis) {
        sum = pool.binary(ExprOp::kSum, sum, pool.inputExtent(0, axis));
        expected += 100 * axis + 7;
    }
    std::vector<int64_t> values(pool.nodes().size());
    evaluate(pool.nodes(), Leaves{}, values);
    EXPECT_EQ(values[static_cast<std::size_t>(sum)], expected);
    EXPECT_LE(pool.forms().of(sum).terms.size(), 8U);
}

TEST(LinearForm, CoefficientsThatOverflowStayAsTheyAre) {
    ExprPool pool;
    ExprRef const x = pool.inputExtent(0, 0);
    ExprRef const many =
        pool.binary(ExprOp::kProd, x, pool.constant(std::numeric_limits<int64_t>::max()));
    ExprRef const more = pool.binary(ExprOp::kProd, many, pool.constant(3));
    EXPECT_EQ(pool.forms().of(more).terms.front().of, more);
    EXPECT_FALSE(pool.forms().difference(pool.binary(ExprOp::kSub, x, many), many).has_value());
}

} // namespace
} // namespace kiln::graph
