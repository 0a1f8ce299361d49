// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/roi_align.h"

#include <limits>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class RoiAlignOp : public OpTest {
protected:
    std::vector<TensorFacts> operands() {
        return {floats({2, 3, -1, -2}), floats({-3, 4}), input(DataType::kINT64, {-3})};
    }
};

TEST_F(RoiAlignOp, HasAnElementForEachBin) {
    RoiAlign op;
    op.params.height = 7;
    op.params.width = 5;
    EXPECT_EQ(shape(op, operands()), "[-1,3,7,5]");
    throughPlan(op);
}

TEST_F(RoiAlignOp, ChecksOperands) {
    auto few = operands();
    few[1] = floats({6, 3});
    EXPECT_THAT(problem(RoiAlign(), few),
                HasSubstr("boxes [boxes, 4] and the image of each [boxes], got [2,3,-1,-1], [6,3] "
                          "and [-1]. Reshape them."));
    auto other = operands();
    other[1] = floats({6, 4});
    other[2] = input(DataType::kINT64, {5});
    EXPECT_THAT(problem(RoiAlign(), other),
                HasSubstr("expected an image for each of 6 boxes, got 5. Pass as many."));
    other[2] = floats({6});
    EXPECT_THAT(problem(RoiAlign(), other), HasSubstr("got float32 and float32. Cast them."));
}

TEST_F(RoiAlignOp, ChecksParameters) {
    RoiAlign op;
    op.params.width = 0;
    EXPECT_THAT(problem(op, operands()), HasSubstr("rows and columns, got 1 and 0."));
    op = {};
    op.params.samplingRatio = -1;
    EXPECT_THAT(problem(op, operands()), HasSubstr("expected a sampling ratio from 0 to 65536"));
    op = {};
    op.params.pooling = static_cast<RoiPooling>(3);
    EXPECT_THAT(problem(op, operands()), HasSubstr("expected a member of RoiPooling, got 3."));
    op = {};
    op.params.scale = std::numeric_limits<float>::infinity();
    EXPECT_THAT(problem(op, operands()), HasSubstr("expected a finite scale, got inf."));
}

} // namespace
} // namespace kiln::graph
