// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/ragged_softmax.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class RaggedSoftMaxOp : public OpTest {};

TEST_F(RaggedSoftMaxOp, KeepsTypeAndShape) {
    TensorFacts const bounds = input(DataType::kINT32, {-1, 3, 1});
    EXPECT_EQ(shape(RaggedSoftMax(), {floats({-1, 3, -2}), bounds}), "[-1,3,-1]");
    EXPECT_EQ(infer(RaggedSoftMax(), {input(DataType::kHALF, {-1, 3, 4}), bounds}).type,
              DataType::kHALF);
    throughPlan(RaggedSoftMax());
}

TEST_F(RaggedSoftMaxOp, ChecksBounds) {
    EXPECT_THAT(problem(RaggedSoftMax(), {floats({2, 3, 4}), floats({2, 3, 1})}),
                HasSubstr("expected rows of rank 2 or more and int32 or int64 bounds with one "
                          "entry for each of them, got [2,3,4] and float32 [2,3,1]. Reshape or "
                          "cast them."));
    EXPECT_THAT(problem(RaggedSoftMax(), {floats({2, 3, 4}), input(DataType::kINT32, {2, 3})}),
                HasSubstr("got [2,3,4] and int32 [2,3]."));
}

} // namespace
} // namespace kiln::graph
