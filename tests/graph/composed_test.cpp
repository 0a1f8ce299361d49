// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Ops that others say: their checks, and what they are made of.
#include "graph/composed/one_hot.h"
#include "graph/composed/padding.h"
#include "graph/composed/parametric_relu.h"
#include "graph/composed/scale.h"
#include "graph/composed/squeeze.h"
#include "graph/composed/unsqueeze.h"
#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class ComposedOps : public OpTest {
protected:
    /// A shape tensor whose values are constants.
    TensorFacts constants(std::vector<int64_t> const& values) {
        TensorFacts facts = input(DataType::kINT64, {static_cast<int64_t>(values.size())});
        facts.values.emplace();
        for (int64_t const value : values) {
            facts.values->push_back(pool.constant(value));
        }
        return facts;
    }
};

TEST_F(ComposedOps, TakeTypesAndShapesFromTheirParts) {
    EXPECT_EQ(shape(Padding(), {floats({-1, 3, -2, 4})}), "[-1,3,-1,4]");
    EXPECT_EQ(shape(Unsqueeze(), {floats({-1, 3}), constants({0, -1})}), "[1,-1,3,1]");
    EXPECT_EQ(shape(Squeeze(), {floats({-1, 1, 3}), constants({-2})}), "[-1,3]");
    OneHot hot;
    hot.axis = 1;
    std::vector<TensorFacts> const operands = {input(DataType::kINT32, {-1, 4}),
                                               input(DataType::kHALF, {2}), constants({7})};
    EXPECT_EQ(shape(hot, operands), "[-1,7,4]");
    EXPECT_EQ(infer(hot, operands).type, DataType::kHALF);
}

TEST_F(ComposedOps, SqueezeAndUnsqueezeFollowValues) {
    TensorFacts const kept =
        infer(Squeeze(), {infer(Unsqueeze(), {constants({5, 6}), constants({0})}), constants({0})});
    ASSERT_TRUE(kept.values.has_value());
    EXPECT_EQ(pool.constantOr(kept.values->at(1)), 6);
}

TEST_F(ComposedOps, CheckAxes) {
    EXPECT_THAT(problem(Squeeze(), {floats({1, 3}), constants({1})}),
                HasSubstr("axes (input 1): expected axes of extent 1, got axis 1 of extent 3."));
    EXPECT_THAT(problem(Squeeze(), {floats({1, 3}), constants({0, -2})}),
                HasSubstr("expected different axes, got -2 twice."));
    EXPECT_THAT(problem(Squeeze(), {floats({1, 3}), constants({2})}),
                HasSubstr("expected an axis from -2 to 1, got 2."));
    EXPECT_THAT(problem(Unsqueeze(), {floats({1, 3}), input(DataType::kINT64, {1})}),
                HasSubstr("expected int32 or int64 constants of rank 0 or 1, got int64 of rank 1 "
                          "that are no constants."));
    EXPECT_THAT(problem(Unsqueeze(), {floats({1, 2, 3, 4, 5, 6, 7}), constants({0, 1})}),
                HasSubstr("expected an output of at most 8 axes, got 9."));
}

TEST_F(ComposedOps, ScaleChecksItsWeights) {
    float const numbers[4] = {1.0F, 2.0F, 3.0F, 4.0F};
    Scale op;
    op.mode = nvinfer1::ScaleMode::kCHANNEL;
    op.scale = {DataType::kFLOAT, numbers, 4};
    EXPECT_EQ(shape(op, {floats({2, 4, 3})}), "[2,4,3]");
    EXPECT_THAT(problem(op, {floats({2, 3, 4})}),
                HasSubstr("scale weights: expected 3 values, got 4."));
    EXPECT_THAT(problem(op, {floats({4})}),
                HasSubstr("expected a channel axis below the input's rank 1, got 1."));
    op.mode = nvinfer1::ScaleMode::kELEMENTWISE;
    EXPECT_THAT(problem(op, {floats({2, 4, -1})}),
                HasSubstr("expected known extents from axis 1 on"));
    op.channelAxis = -1;
    EXPECT_THAT(op.problem(), HasSubstr("expected a channel axis of 0 or more, got -1."));
}

TEST_F(ComposedOps, OneHotChecksItsOperands) {
    TensorFacts const indices = input(DataType::kINT32, {3});
    EXPECT_THAT(problem(OneHot(), {floats({3}), floats({2}), constants({4})}),
                HasSubstr("indices (input 0): expected int32 or int64"));
    EXPECT_THAT(problem(OneHot(), {indices, floats({3}), constants({4})}),
                HasSubstr("values (input 1): expected [2]"));
    EXPECT_THAT(problem(OneHot(), {indices, floats({2}), input(DataType::kINT32, {})}),
                HasSubstr("whose value is not known before the engine runs."));
    OneHot far;
    far.axis = 2;
    EXPECT_THAT(problem(far, {indices, floats({2}), constants({4})}),
                HasSubstr("expected an axis from -2 to 1, got 2."));
}

TEST_F(ComposedOps, PaddingAndSlopesFitTheInput) {
    Padding cut;
    cut.before = makeDims({-3, 0});
    cut.after = makeDims({-2, 0});
    EXPECT_THAT(problem(cut, {floats({1, 4, 4})}),
                HasSubstr("expected paddings that leave axis 1 an extent of 0 or more, got -3 and "
                          "-2 around 4."));
    EXPECT_THAT(problem(Padding(), {floats({4})}), HasSubstr("rank 2 or more, got rank 1."));
    EXPECT_THAT(problem(ParametricReLU(), {floats({2, 3}), floats({3})}),
                HasSubstr("slopes (input 1): expected the rank of the input [2,3]"));
}

} // namespace
} // namespace kiln::graph
