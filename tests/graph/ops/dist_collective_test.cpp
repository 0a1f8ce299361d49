// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/dist_collective.h"

#include "graph/op_fixture.h"
#include "graph/ops/region.h"

namespace kiln::graph {
namespace {

using nvinfer1::CollectiveOperation;
using nvinfer1::ReduceOperation;
using testing::HasSubstr;

class DistCollectiveOp : public OpTest {
protected:
    static DistCollective of(CollectiveOperation operation, int32_t ranks) {
        DistCollective op;
        op.operation = operation;
        op.ranks = ranks;
        op.reduction = op.reduces() ? ReduceOperation::kSUM : ReduceOperation::kNONE;
        op.root = op.hasRoot() ? 0 : -1;
        return op;
    }
};

TEST_F(DistCollectiveOp, Shapes) {
    struct Row {
        CollectiveOperation operation;
        char const* shape;
    };
    for (auto const& [operation, want] : {Row{CollectiveOperation::kALL_REDUCE, "[4,3]"},
                                          {CollectiveOperation::kALL_GATHER, "[8,3]"},
                                          {CollectiveOperation::kBROADCAST, "[4,3]"},
                                          {CollectiveOperation::kREDUCE, "[4,3]"},
                                          {CollectiveOperation::kREDUCE_SCATTER, "[2,3]"},
                                          {CollectiveOperation::kALL_TO_ALL, "[4,3]"},
                                          {CollectiveOperation::kGATHER, "[8,3]"},
                                          {CollectiveOperation::kSCATTER, "[2,3]"}}) {
        EXPECT_EQ(shape(of(operation, 2), {floats({4, 3})}), want);
        EXPECT_EQ(shape(of(operation, 1), {floats({4, 3})}), "[4,3]");
    }
    EXPECT_EQ(extent(of(CollectiveOperation::kSCATTER, 2), {floats({-1, 3})}, 0, {10}), 5);
    EXPECT_THAT(problem(of(CollectiveOperation::kALL_TO_ALL, 2), {floats({3})}),
                HasSubstr("expected an input with an axis 0 of a multiple of 2, got [3]."));
}

TEST_F(DistCollectiveOp, ChecksParameters) {
    std::vector<TensorFacts> const x = {floats({4})};
    DistCollective op = of(CollectiveOperation::kALL_REDUCE, 2);
    op.reduction = ReduceOperation::kNONE;
    EXPECT_THAT(problem(op, x), HasSubstr("expected a reduction for this operation, got NONE."));
    op = of(CollectiveOperation::kBROADCAST, 2);
    op.root = -1;
    EXPECT_THAT(problem(op, x), HasSubstr("expected a root of 0 or more, got -1."));
    op.root = 0;
    op.reduction = ReduceOperation::kSUM;
    EXPECT_THAT(problem(op, x), HasSubstr("expected the reduction NONE"));
    op = of(CollectiveOperation::kALL_GATHER, 0);
    EXPECT_THAT(problem(op, x), HasSubstr("expected 1 to 64 ranks"));
    op.ranks = 1;
    op.groupSize = 1;
    op.group[0] = 99;
    EXPECT_THAT(problem(op, x), HasSubstr("expected ranks of 0 to 63 in the group, got others."));
}

TEST_F(DistCollectiveOp, OneDeviceNeedsNoKernel) {
    std::vector<TensorFacts> const x = {floats({4})};
    InferContext const context{pool, "probe", x, {}};
    EXPECT_NE(of(CollectiveOperation::kALL_REDUCE, 1).parts(context), nullptr);
    EXPECT_EQ(of(CollectiveOperation::kALL_REDUCE, 2).parts(context), nullptr);
    throughPlan(of(CollectiveOperation::kALL_REDUCE, 2));
}

} // namespace
} // namespace kiln::graph
