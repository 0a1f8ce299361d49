// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/topk.h"

#include <gmock/gmock.h>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class TopKOp : public OpTest {
protected:
    TopKOp() {
        op.axes = 1U << 1;
        op.k = 2;
    }
    TensorFacts count(int64_t value) {
        TensorFacts facts = input(DataType::kINT64, {});
        facts.values = ShapeValues{pool.constant(value)};
        return facts;
    }
    TopK op;
};

TEST_F(TopKOp, Shapes) {
    EXPECT_EQ(shape(op, {floats({3, 7, 4})}), "[3,2,4]");
    EXPECT_EQ(shape(op, {floats({-1, -2})}), "[-1,2]");
    EXPECT_EQ(shape(op, {floats({3, 7}), count(5)}), "[3,5]");
    TensorFacts extent = input(DataType::kINT32, {1});
    extent.values = ShapeValues{pool.inputExtent(0, 0)};
    EXPECT_EQ(this->extent(op, {floats({-1, 9}), extent}, 1, {6, 1}), 6);
    EXPECT_EQ(static_cast<TopK const&>(*throughPlan(op)).axes, 2U);
}

TEST_F(TopKOp, Types) {
    std::vector<TensorFacts> outputs(2);
    std::vector<TensorFacts> const inputs{input(DataType::kHALF, {3, 4})};
    op.indexType = DataType::kINT64;
    InferContext context{pool, "probe", inputs, outputs};
    op.infer(context);
    EXPECT_EQ(outputs[0].type, DataType::kHALF);
    EXPECT_EQ(outputs[1].type, DataType::kINT64);
    EXPECT_EQ(op.typeRule(0, 1), TypeRule::kCompute);
    EXPECT_EQ(op.typeRule(1, 1), TypeRule::kCompute); // the values
    EXPECT_EQ(op.typeRule(2, 1), TypeRule::kFixed);
}

TEST_F(TopKOp, Refusals) {
    EXPECT_THAT(problem(op, {floats({3})}), HasSubstr("an axis below the input's rank 1, got 1"));
    EXPECT_THAT(problem(op, {floats({3, 1})}),
                HasSubstr("k from 0 to the extent 1 of axis 1, got 2"));
    EXPECT_THAT(problem(op, {floats({3, 4}), count(-1)}), HasSubstr("got -1"));
    EXPECT_THAT(problem(op, {floats({3, 4}), floats({})}),
                HasSubstr("k (input 1): expected a scalar of int32 or int64, got float32 []"));
    EXPECT_THAT(problem(op, {floats({3, 4}), input(DataType::kINT32, {})}),
                HasSubstr("k (input 1): expected a value that is known"));
    EXPECT_THAT(problem(op, {input(DataType::kBOOL, {3, 4})}), HasSubstr("got bool"));
    op.axes = 3;
    EXPECT_THAT(op.problem(), HasSubstr("one of the bits 0 to 7, got 0x3"));
    op.axes = 1U << 8;
    EXPECT_THAT(op.problem(), HasSubstr("got 0x100"));
    op = {};
    op.k = -1;
    EXPECT_THAT(op.problem(), HasSubstr("k of 0 or more, got -1"));
    op = {};
    op.indexType = DataType::kFLOAT;
    EXPECT_THAT(op.problem(), HasSubstr("indices of int32 or int64, got float32"));
    op = {};
    op.operation = static_cast<nvinfer1::TopKOperation>(9);
    EXPECT_THAT(op.problem(), HasSubstr("a member of TopKOperation, got 9"));
}

} // namespace
} // namespace kiln::graph
