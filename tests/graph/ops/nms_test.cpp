// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/nms.h"

#include <gmock/gmock.h>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class NmsOp : public OpTest {
protected:
    /// Also declares the size.
    std::vector<TensorFacts> inferAll(std::vector<TensorFacts> const& inputs,
                                      std::vector<Dims> const& given = {}) {
        std::vector<TensorFacts> outputs(2);
        std::vector<DeclaredSize> sizes(1);
        InferContext context{pool, "probe", inputs, outputs, given, sizes};
        expectPresent(context, op);
        op.infer(context);
        return outputs;
    }
    int64_t boundOf(std::vector<TensorFacts> const& inputs, std::vector<Dims> const& given = {}) {
        ExprNode const& node = pool.node(inferAll(inputs, given)[0].shape[0]);
        EXPECT_EQ(node.op, ExprOp::kSizeTensor);
        return pool.constantOr(node.b);
    }
    std::string problemOf(std::vector<TensorFacts> const& inputs) {
        return test::errorOf(ErrorKind::kInvalidArgument, [&] { inferAll(inputs); });
    }
    TensorFacts most() { return input(DataType::kINT32, {}); }
    TensorFacts most(int64_t value) {
        TensorFacts facts = most();
        facts.values = ShapeValues{pool.constant(value)};
        return facts;
    }
    Nms op;
};

TEST_F(NmsOp, RowsAndTheirNumber) {
    op.indexType = DataType::kINT64;
    auto const outputs = inferAll({floats({2, 50, 4}), floats({2, 50, 3}), most()});
    EXPECT_EQ(outputs[0].type, DataType::kINT64);
    EXPECT_EQ(pool.constantOr(outputs[0].shape[1]), 3);
    EXPECT_EQ(outputs[1].type, DataType::kINT32);
    EXPECT_EQ(outputs[1].shape.rank, 0);
    EXPECT_EQ(op.typeRule(0, 3), TypeRule::kFixed);
    EXPECT_EQ(static_cast<Nms const&>(*throughPlan(op)).limit, 5000);
}

TEST_F(NmsOp, Bounds) {
    TensorFacts const boxes = floats({2, 50, 1, 4});
    TensorFacts const scores = floats({2, 50, 3});
    EXPECT_EQ(boundOf({boxes, scores, most()}), 300);
    EXPECT_EQ(boundOf({boxes, scores, most(4)}), 24);
    EXPECT_EQ(boundOf({boxes, scores, most(-4)}), 0);
    EXPECT_EQ(boundOf({boxes, scores, most()}, {Dims{2, {77, 3}}, Dims{}}), 77);
    op.limit = 10;
    EXPECT_EQ(boundOf({boxes, scores, most()}), 20);
}

TEST_F(NmsOp, Shapes) {
    Dims const scores{3, {2, 50, 3}};
    EXPECT_TRUE(op.shapeFor(Dims{3, {2, 50, 4}}, scores).shared);
    EXPECT_TRUE(op.shapeFor(Dims{4, {2, 50, 1, 4}}, scores).shared);
    EXPECT_FALSE(op.shapeFor(Dims{4, {2, 50, 3, 4}}, scores).shared);
    EXPECT_EQ(op.shapeFor(Dims{3, {2, 50, 4}}, scores).candidates, 150);
}

TEST_F(NmsOp, Refusals) {
    TensorFacts const boxes = floats({2, 50, 4});
    TensorFacts const scores = floats({2, 50, 3});
    EXPECT_THAT(problemOf({boxes, floats({2, 49, 3}), most()}),
                HasSubstr("scores [batch, boxes, classes], got [2,50,4] and [2,49,3]"));
    EXPECT_THAT(problemOf({floats({2, 50, 2, 4}), scores, most()}),
                HasSubstr("got [2,50,2,4] and [2,50,3]"));
    EXPECT_THAT(problemOf({boxes, input(DataType::kHALF, {2, 50, 3}), most()}),
                HasSubstr("scores (input 1) of float32 like the boxes, got float16"));
    EXPECT_THAT(
        problemOf({boxes, scores, floats({})}),
        HasSubstr("maximum number of boxes (input 2): expected a scalar of int32 or int64"));
    EXPECT_THAT(
        problemOf({boxes, scores, most(), floats({2})}),
        HasSubstr("IoU threshold (input 3): expected a scalar of float32, got float32 [2]"));
    EXPECT_THAT(problemOf({boxes, scores, most(), none(), most()}),
                HasSubstr("score threshold (input 4): expected a scalar of float32, got int32 []"));
    op.limit = -1;
    EXPECT_THAT(op.problem(), HasSubstr("a limit of 0 boxes or more, got -1"));
    op = {};
    op.indexType = DataType::kHALF;
    EXPECT_THAT(op.problem(), HasSubstr("indices of int32 or int64, got float16"));
    op.format = static_cast<nvinfer1::BoundingBoxFormat>(5);
    EXPECT_THAT(op.problem(), HasSubstr("a member of BoundingBoxFormat, got 5"));
}

} // namespace
} // namespace kiln::graph
