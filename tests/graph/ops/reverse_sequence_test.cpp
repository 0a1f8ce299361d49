// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reverse_sequence.h"

#include <gmock/gmock.h>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class ReverseSequenceOp : public OpTest {
protected:
    TensorFacts lengths(int64_t count) { return input(DataType::kINT32, {count}); }
    ReverseSequence op;
};

TEST_F(ReverseSequenceOp, Shapes) {
    EXPECT_EQ(shape(op, {floats({7, 5, 3}), lengths(5)}), "[7,5,3]");
    EXPECT_EQ(shape(op, {floats({-1, -2}), lengths(5)}), "[-1,-1]");
    op.batchAxis = -3;
    op.sequenceAxis = -1;
    EXPECT_EQ(shape(op, {floats({5, 4, 6}), lengths(5)}), "[5,4,6]");
    ReverseSequence::Shape const shape = op.shapeFor(Dims{4, {2, 5, 4, 6}});
    EXPECT_EQ(shape.outer, 2);
    EXPECT_EQ(shape.middle, 4);
    EXPECT_FALSE(shape.sequenceFirst);
    EXPECT_EQ(static_cast<ReverseSequence const&>(*throughPlan(op)).batchAxis, -3);
}

TEST_F(ReverseSequenceOp, Refusals) {
    EXPECT_THAT(problem(op, {floats({7}), lengths(5)}),
                HasSubstr("two different axes from -1 to 0 for the input [7], got batch axis 1"));
    EXPECT_THAT(problem(op, {floats({7, 5}), lengths(4)}),
                HasSubstr("lengths (input 1) of int32 or int64 [5], got int32 [4]"));
    EXPECT_THAT(problem(op, {floats({7, 5}), floats({5})}), HasSubstr("got float32 [5]"));
    op.sequenceAxis = -1;
    EXPECT_THAT(problem(op, {floats({7, 5}), lengths(5)}), HasSubstr("sequence axis -1"));
    op.batchAxis = -9;
    EXPECT_THAT(op.problem(), HasSubstr("axes from -8 to 7, got batch axis -9"));
}

} // namespace
} // namespace kiln::graph
