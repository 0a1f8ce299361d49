// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/host_inputs.h"

#include <gmock/gmock.h>

namespace kiln::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HostInputs, AreThoseWhoseValuesAreUsed) {
    graph::ExprPool pool;
    HostInputs inputs(pool);
    inputs.add(pool.binary(graph::ExprOp::kSum, pool.inputExtent(0, 1), pool.constant(3)));
    EXPECT_THAT(inputs.numbers(), IsEmpty());
    inputs.add(pool.binary(graph::ExprOp::kProd, pool.shapeValue(4, 0), pool.shapeValue(2, 1)));
    EXPECT_THAT(inputs.numbers(), ElementsAre(2, 4));
    inputs.add(pool.sizeTensor(0, pool.constant(1), pool.shapeValue(7, 0)));
    EXPECT_THAT(inputs.numbers(), ElementsAre(2, 4, 7));
}

TEST(HostInputs, WithinMeansNoOthers) {
    graph::ExprPool pool;
    graph::ShapeValues const values{pool.shapeValue(1, 0), pool.inputExtent(5, 0)};
    EXPECT_TRUE(HostInputs::within(pool, values, {0, 1}));
    EXPECT_FALSE(HostInputs::within(pool, values, {0, 5}));
    EXPECT_TRUE(HostInputs::within(pool, {pool.constant(2)}, {}));
}

} // namespace
} // namespace kiln::compiler
