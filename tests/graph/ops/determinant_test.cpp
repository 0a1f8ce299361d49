// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/determinant.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class DeterminantOp : public OpTest {};

TEST_F(DeterminantOp, HasAnElementForEachMatrix) {
    EXPECT_EQ(shape(Determinant(), {floats({2, -1, 5, 5})}), "[2,-1]");
    EXPECT_EQ(shape(Determinant(), {floats({5, 5})}), "[]");
    EXPECT_EQ(shape(Determinant(), {floats({4, -1, -2})}), "[4]");
    throughPlan(Determinant());
}

TEST_F(DeterminantOp, ChecksOperands) {
    EXPECT_THAT(problem(Determinant(), {floats({2, 4, 5})}),
                HasSubstr("expected square matrices in the last two axes, got [2,4,5]."));
    EXPECT_THAT(problem(Determinant(), {floats({5})}), HasSubstr("got [5]. Reshape or slice"));
}

} // namespace
} // namespace kiln::graph
