// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Identity, cast, constant, activation and softmax.
#include "graph/op_fixture.h"
#include "graph/ops/activation.h"
#include "graph/ops/cast.h"
#include "graph/ops/constant.h"
#include "graph/ops/counted_copy.h"
#include "graph/ops/identity.h"
#include "graph/ops/softmax.h"

namespace kiln::graph {
namespace {

using nvinfer1::ActivationType;
using testing::HasSubstr;

class SimpleOps : public OpTest {};

TEST_F(SimpleOps, IdentityKeepsTypeAndShape) {
    TensorFacts const x = input(DataType::kINT4, {2, -1});
    TensorFacts const y = infer(Identity{}, {x});
    EXPECT_EQ(y.type, x.type);
    EXPECT_EQ(y.shape, x.shape);
    EXPECT_THAT(problem(Identity{}, {}),
                HasSubstr("layer 'probe' (Identity): expected 1 inputs, got 0"));
    throughPlan(Identity{});
}

TEST_F(SimpleOps, CountedCopyKeepsTypeAndShape) {
    CountedCopy op;
    op.axis = 1;
    TensorFacts const count = input(DataType::kINT64, {});
    EXPECT_EQ(shape(op, {floats({2, -1}), count}), "[2,-1]");
    EXPECT_EQ(op.entryVolume(makeDims({2, 5})), 2);
    EXPECT_EQ(op.typeRule(1, 2), TypeRule::kFixed);
    EXPECT_EQ(static_cast<CountedCopy&>(*throughPlan(op)).axis, 1);
    std::string const text =
        "expected data of more than 1 dimensions and an int32 or int64 number, "
        "got data of ";
    EXPECT_THAT(problem(op, {floats({2}), count}), HasSubstr(text + "1 and int64 of 0 dimensions"));
    EXPECT_THAT(problem(op, {floats({2, 2}), floats({})}), HasSubstr("2 and float32 of 0"));
    EXPECT_THAT(problem(op, {floats({2, 2}), input(DataType::kINT32, {1})}),
                HasSubstr("2 and int32 of 1 dimensions"));
    op.axis = 8;
    EXPECT_THAT(problem(op, {floats({2, 2}), count}), HasSubstr("axis: expected 0 to 7, got 8."));
}

TEST_F(SimpleOps, CastGivesItsType) {
    Cast op;
    op.toType = DataType::kHALF;
    EXPECT_EQ(infer(op, {floats({2, -1})}).type, DataType::kHALF);
    EXPECT_EQ(op.typeRule(0, 1), TypeRule::kFixed);
    EXPECT_EQ(static_cast<Cast&>(*throughPlan(op)).toType, DataType::kHALF);
    op.toType = static_cast<DataType>(44);
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected a member of DataType, got 44"));
}

TEST_F(SimpleOps, ConstantCountsItsWeights) {
    std::vector<float> const values(6);
    Constant op;
    op.dims = makeDims({2, 3});
    op.value = {DataType::kFLOAT, values.data(), 6};
    EXPECT_EQ(shape(op, {}), "[2,3]");
    ASSERT_EQ(op.weights(0).size(), 1U);
    EXPECT_EQ(op.weights(0)[0].role, "value");
    throughPlan(op);
    op.value.count = 5;
    EXPECT_THAT(problem(op, {}), HasSubstr("layer 'probe' (Constant), weights: expected 6 values "
                                           "([2,3]), got 5"));
    op.value = {DataType::kFLOAT, nullptr, 6};
    EXPECT_THAT(problem(op, {}), HasSubstr("got none"));
    op.dims = makeDims({2, -1});
    EXPECT_THAT(problem(op, {}), HasSubstr("expected known extents of 0 or more, got [2,-1]"));
}

TEST_F(SimpleOps, ActivationTakesFloatsAndSomeIntegers) {
    Activation op;
    op.type = ActivationType::kSIGMOID;
    op.alpha = 0.5F;
    EXPECT_EQ(infer(op, {input(DataType::kBF16, {2})}).type, DataType::kBF16);
    EXPECT_THAT(problem(op, {input(DataType::kINT32, {2})}),
                HasSubstr("expected input 0 to be float32, float16 or bfloat16, got int32"));
    EXPECT_EQ(static_cast<Activation&>(*throughPlan(op)).alpha, 0.5F);
    op.type = ActivationType::kRELU;
    EXPECT_EQ(infer(op, {input(DataType::kINT32, {2})}).type, DataType::kINT32);
    op.alpha = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected finite alpha and beta, got nan"));
    op.type = static_cast<ActivationType>(-1);
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected a member of ActivationType"));
}

TEST_F(SimpleOps, SoftMaxAxis) {
    SoftMax op;
    EXPECT_EQ(op.axesFor(4), 2U);
    EXPECT_EQ(op.axesFor(2), 1U);
    op.axes = 4;
    EXPECT_EQ(op.axisFor(3), 2);
    EXPECT_EQ(shape(op, {floats({2, -1, 5})}), "[2,-1,5]");
    EXPECT_EQ(static_cast<SoftMax&>(*throughPlan(op)).axes, 4U);
    EXPECT_THAT(problem(op, {floats({2, 3})}),
                HasSubstr("expected axes to select a dimension below 2, got bit 2"));
    EXPECT_THAT(problem(SoftMax{}, {floats({})}), HasSubstr("a dimension below 0"));
    EXPECT_THAT(problem(op, {input(DataType::kINT32, {2, 3, 5})}), HasSubstr("got int32"));
    op.axes = 5;
    EXPECT_THAT(problem(op, {floats({2, 3, 5})}),
                HasSubstr("expected axes with one bit set, got 0x5"));
}

} // namespace
} // namespace kiln::graph
