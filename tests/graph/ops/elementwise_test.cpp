// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::ElementWiseOperation;
using testing::HasSubstr;

class ElementWiseRule : public OpTest {};

TEST_F(ElementWiseRule, BroadcastsExtents) {
    ElementWise const op;
    EXPECT_EQ(shape(op, {floats({2, 1, 4}), floats({1, 3, 4})}), "[2,3,4]");
    EXPECT_EQ(shape(op, {floats({0, 1}), floats({1, 0})}), "[0,0]");
    EXPECT_EQ(shape(op, {floats({-1, 7}), floats({5, -2})}), "[5,7]");
    EXPECT_EQ(infer(op, {floats({-1}), floats({-1})}).shape[0], floats({-1}).shape[0]);
    EXPECT_EQ(infer(op, {floats({-1}), floats({1})}).shape[0], floats({-1}).shape[0]);
    EXPECT_EQ(shape(op, {floats({-1}), floats({0})}), "[0]");
}

TEST_F(ElementWiseRule, TwoUnknownExtentsAreExactForEveryPairThatFits) {
    for (auto const& [a, b, expected] : {std::array<int64_t, 3>{5, 1, 5},
                                         {1, 5, 5},
                                         {5, 5, 5},
                                         {1, 1, 1},
                                         {0, 1, 0},
                                         {1, 0, 0},
                                         {0, 0, 0}}) {
        EXPECT_EQ(extent(ElementWise{}, {floats({-1}), floats({-2})}, 0, {a, b}), expected)
            << a << " and " << b;
    }
}

TEST_F(ElementWiseRule, ComparisonsGiveBool) {
    ElementWise op;
    op.operation = ElementWiseOperation::kGREATER;
    EXPECT_EQ(infer(op, {floats({2}), floats({2})}).type, DataType::kBOOL);
    EXPECT_EQ(op.typeRule(2, 2), TypeRule::kFixed);
    EXPECT_EQ(op.typeRule(0, 2), TypeRule::kCompute);
    EXPECT_EQ(static_cast<ElementWise&>(*throughPlan(op)).operation, op.operation);
}

TEST_F(ElementWiseRule, LogicWantsBoolAndArithmeticDoesNot) {
    ElementWise op;
    TensorFacts const truth = input(DataType::kBOOL, {2});
    EXPECT_THAT(problem(op, {truth, truth}), HasSubstr("expected numeric inputs"));
    op.operation = ElementWiseOperation::kAND;
    EXPECT_EQ(infer(op, {truth, truth}).type, DataType::kBOOL);
    EXPECT_THAT(problem(op, {floats({2}), floats({2})}), HasSubstr("expected bool inputs"));
    op.operation = ElementWiseOperation::kEQUAL;
    EXPECT_EQ(infer(op, {truth, truth}).type, DataType::kBOOL);
}

TEST_F(ElementWiseRule, ErrorsNameWhatDoesNotFit) {
    ElementWise op;
    EXPECT_THAT(problem(op, {floats({2, 3}), floats({2, 4})}),
                HasSubstr("layer 'probe' (ElementWise), dimension 1: expected equal extents or 1, "
                          "got 3 and 4"));
    EXPECT_THAT(problem(op, {floats({2, 3}), floats({3})}),
                HasSubstr("expected inputs of equal rank, got 2 and 1"));
    EXPECT_THAT(problem(op, {floats({2}), input(DataType::kHALF, {2})}),
                HasSubstr("expected input 1 to be float32 like input 0, got float16"));
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected 2 inputs, got 1"));
    op.operation = static_cast<ElementWiseOperation>(14);
    EXPECT_THAT(problem(op, {floats({2}), floats({2})}),
                HasSubstr("expected a member of ElementWiseOperation, got 14"));
}

} // namespace
} // namespace kiln::graph
