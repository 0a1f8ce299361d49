// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/host_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::compiler {
namespace {

using testing::ElementsAre;

TEST(HostInputs, FindsValuesBehindOperations) {
    graph::ExprPool pool;
    HostInputs inputs(pool);
    inputs.add(pool.binary(graph::ExprOp::kSum, pool.shapeValue(3, 0), pool.inputExtent(1, 0)));
    EXPECT_THAT(inputs.numbers(), ElementsAre(3));
}

// A model of 10 MB can nest expressions this deep.
TEST(HostInputs, DeepExpressionsNeedNoStack) {
    graph::ExprPool pool;
    graph::ExprRef sum = pool.shapeValue(2, 0);
    for (int i = 0; i < 300000; ++i) {
        sum = pool.binary(graph::ExprOp::kSum, sum, pool.inputExtent(0, 0));
    }
    HostInputs inputs(pool);
    inputs.add(sum);
    EXPECT_THAT(inputs.numbers(), ElementsAre(2));
}

TEST(HostExprs, ContainWhatTheInputsDetermine) {
    graph::ExprPool pool;
    graph::ExprRef const extent = pool.inputExtent(0, 0);
    graph::ExprRef const first = pool.shapeValue(1, 0);
    graph::ExprRef const second = pool.shapeValue(2, 0);
    graph::ExprRef const sum = pool.binary(graph::ExprOp::kSum, extent, first);
    graph::ExprRef const both = pool.binary(graph::ExprOp::kSum, sum, second);
    graph::ExprRef const size = pool.sizeTensor(0, first, second);
    HostExprs exprs(pool, {1});
    EXPECT_TRUE(exprs.contain({}));
    EXPECT_TRUE(exprs.contain({extent, sum}));
    EXPECT_FALSE(exprs.contain({sum, both}));
    EXPECT_FALSE(exprs.contain({size}));
    EXPECT_TRUE(exprs.contain({pool.binary(graph::ExprOp::kProd, sum, sum)})); // added later
}

} // namespace
} // namespace kiln::compiler
