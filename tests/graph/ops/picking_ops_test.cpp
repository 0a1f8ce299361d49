// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Gather, slice, concatenation, select, reduce and unary: shapes, types and what they refuse.
#include "graph/op_fixture.h"
#include "graph/ops/concatenation.h"
#include "graph/ops/gather.h"
#include "graph/ops/reduce.h"
#include "graph/ops/select.h"
#include "graph/ops/slice.h"
#include "graph/ops/unary.h"

namespace kiln::graph {
namespace {

using nvinfer1::GatherMode;
using nvinfer1::ReduceOperation;
using nvinfer1::SampleMode;
using nvinfer1::UnaryOperation;
using testing::HasSubstr;

class PickingOps : public OpTest {
protected:
    TensorFacts indices(std::initializer_list<int64_t> extents) {
        return input(DataType::kINT32, extents);
    }
    static Slice slice(Dims const& start, Dims const& size, Dims const& stride) {
        Slice op;
        op.start = start;
        op.size = size;
        op.stride = stride;
        return op;
    }
};

TEST_F(PickingOps, GatherShapes) {
    Gather op;
    op.axis = 1;
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({5, 6})}), "[2,5,6,4]");
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({})}), "[2,4]");
    op.sharedAxes = 1;
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({2, 6})}), "[2,6,4]");
    op.mode = GatherMode::kELEMENT;
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({1, 7, 4})}), "[1,7,4]");
    op.mode = GatherMode::kND;
    op.sharedAxes = 0;
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({5, 2})}), "[5,4]");
    op.sharedAxes = 1;
    EXPECT_EQ(shape(op, {floats({2, 3, 4}), indices({2, 5, 1})}), "[2,5,4]");
    auto const kept = throughPlan(op);
    EXPECT_EQ(static_cast<Gather const&>(*kept).sharedAxes, 1);
}

TEST_F(PickingOps, GatherRefusals) {
    Gather op;
    op.axis = 3;
    TensorFacts const x = floats({2, 3, 4});
    EXPECT_THAT(problem(op, {x, indices({2})}),
                HasSubstr("an axis below the data's rank 3, got 3"));
    op.axis = 1;
    EXPECT_THAT(problem(op, {x, floats({2})}), HasSubstr("indices (input 1) of int32 or int64"));
    EXPECT_THAT(problem(op, {floats({1, 1, 1, 1, 1}), indices({1, 1, 1, 1, 1})}),
                HasSubstr("an output of rank 8 at most, got 9"));
    op.sharedAxes = 2;
    EXPECT_THAT(problem(op, {x, indices({2, 3})}),
                HasSubstr("expected at most 1 elementwise dimensions"));
    op.sharedAxes = 1;
    EXPECT_THAT(problem(op, {x, indices({5})}),
                HasSubstr("dimension 0: expected equal extents of data and indices, got 2 and 5"));
    op.mode = GatherMode::kELEMENT;
    EXPECT_THAT(problem(op, {x, indices({3, 3, 4})}),
                HasSubstr("no larger than the data [2,3,4] but along axis 1, got [3,3,4]"));
    op.mode = GatherMode::kND;
    op.sharedAxes = 0;
    EXPECT_THAT(problem(op, {x, indices({5, 4})}),
                HasSubstr("last extent is known and from 1 to 3, got [5,4]"));
    EXPECT_THAT(problem(op, {floats({1, 1, 1, 1, 1, 1, 1}), indices({1, 1, 1, 1, 1})}),
                HasSubstr("an output of rank 8 at most, got 10"));
    op.axis = -1;
    EXPECT_THAT(problem(op, {x, indices({5, 4})}), HasSubstr("from 0 to 7, got -1 and 0"));
    op.mode = static_cast<GatherMode>(7);
    EXPECT_THAT(problem(op, {x, indices({5, 4})}), HasSubstr("member of GatherMode, got 7"));
}

TEST_F(PickingOps, SliceShapes) {
    Slice op = slice(makeDims({1, 3}), makeDims({1, 4}), makeDims({1, -1}));
    EXPECT_EQ(shape(op, {floats({2, 4})}), "[1,4]");
    EXPECT_EQ(shape(op, {floats({-1, -2})}), "[1,4]"); // bounds are checked at run time
    op.axes = makeDims({-1, 0});
    EXPECT_EQ(shape(op, {floats({8, 9, 4})}), "[4,9,1]");
    auto const kept = throughPlan(op);
    EXPECT_EQ(static_cast<Slice const&>(*kept).axes.d[0], -1);
}

TEST_F(PickingOps, SliceRefusals) {
    Slice op = slice(makeDims({1, 3}), makeDims({2, 4}), makeDims({1, -1}));
    EXPECT_THAT(problem(op, {floats({2, 4})}),
                HasSubstr("axis 0: expected elements from 0 to 1, got 1 to 2"));
    op.mode = SampleMode::kCLAMP;
    EXPECT_EQ(shape(op, {floats({2, 4})}), "[2,4]");
    EXPECT_THAT(problem(op, {floats({0, 4})}), HasSubstr("axis 0: expected elements"));
    EXPECT_THAT(problem(op, {floats({2, 4, 5})}),
                HasSubstr("start: expected 3 entries, one for each sliced axis, got 2"));
    op.axes = makeDims({1, -1});
    EXPECT_THAT(problem(op, {floats({2, 4})}),
                HasSubstr("axes: expected different ones from -2 to 1, got -1"));
    op.axes = Dims{-1, {}};
    op.size = makeDims({2, -4});
    EXPECT_THAT(problem(op, {floats({2, 4})}),
                HasSubstr("extents of 0 or more, got -4 for axis 1"));
    op.size.nbDims = 9;
    EXPECT_THAT(problem(op, {floats({2, 4})}), HasSubstr("a size with 0 to 8 entries, got 9"));
    op = slice(makeDims({0}), makeDims({1}), makeDims({1}));
    op.mode = static_cast<SampleMode>(8);
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("member of SampleMode, got 8"));
    op.mode = SampleMode::kFILL;
    EXPECT_THAT(problem(op, {floats({2}), none(), none(), none(), indices({1})}),
                HasSubstr("fill value (input 4): expected one float32 like the data, got int32"));
}

TEST_F(PickingOps, Coordinates) {
    EXPECT_EQ(sampleCoordinate(SampleMode::kWRAP, -1, 3), 2);
    EXPECT_EQ(sampleCoordinate(SampleMode::kWRAP, 7, 3), 1);
    EXPECT_EQ(sampleCoordinate(SampleMode::kCLAMP, 7, 3), 2);
    EXPECT_EQ(sampleCoordinate(SampleMode::kREFLECT, -1, 3), 1);
    EXPECT_EQ(sampleCoordinate(SampleMode::kREFLECT, 3, 3), 1);
    EXPECT_EQ(sampleCoordinate(SampleMode::kREFLECT, -4, 1), 0);
    EXPECT_EQ(sampleCoordinate(SampleMode::kFILL, 3, 3), -1);
}

TEST_F(PickingOps, ConcatenationShapes) {
    Concatenation op;
    EXPECT_EQ(op.axisFor(4), 1);
    EXPECT_EQ(op.axisFor(2), 0);
    EXPECT_EQ(shape(op, {floats({2, 3}), floats({4, 3})}), "[6,3]");
    EXPECT_EQ(shape(op, {floats({2, -1}), floats({4, 3})}), "[6,3]");
    op.axis = 1;
    EXPECT_EQ(extent(op, {floats({2, -1}), floats({2, -2})}, 1, {3, 4}), 7);
    throughPlan(op);
    EXPECT_THAT(problem(op, {floats({2, 3}), floats({4, 3})}),
                HasSubstr("dimension 0: expected extent 2 of input 1 as of input 0, got 4"));
    EXPECT_THAT(problem(op, {floats({2}), floats({2})}),
                HasSubstr("below the inputs' rank 1, got 1"));
    EXPECT_THAT(problem(op, {floats({2, 3}), floats({2})}),
                HasSubstr("expected input 1 of rank 2 like input 0, got [2]"));
    op.axis = 8;
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("an axis from 0 to 7, got 8"));
}

TEST_F(PickingOps, SelectShapes) {
    TensorFacts const condition = input(DataType::kBOOL, {1, 3});
    EXPECT_EQ(shape(Select{}, {condition, floats({2, 1}), floats({2, 3})}), "[2,3]");
    throughPlan(Select{});
    EXPECT_THAT(problem(Select{}, {floats({1}), floats({1}), floats({1})}),
                HasSubstr("expected a bool condition and two inputs of one type, got float32"));
    EXPECT_THAT(problem(Select{}, {condition, floats({1}), floats({1, 3})}),
                HasSubstr("equal rank, got 2, 1 and 2"));
}

TEST_F(PickingOps, ReduceShapes) {
    Reduce op;
    op.axes = 5;
    EXPECT_EQ(shape(op, {floats({2, -1, 4})}), "[-1]");
    op.keepsAxes = true;
    EXPECT_EQ(shape(op, {floats({2, -1, 4})}), "[1,-1,1]");
    throughPlan(op);
    EXPECT_THAT(problem(op, {floats({2, 3})}),
                HasSubstr("below the input's rank 2, got the mask 0x5"));
    EXPECT_THAT(problem(op, {input(DataType::kBOOL, {2, 3, 4})}), HasSubstr("got bool"));
    op.axes = 0;
    EXPECT_THAT(problem(op, {floats({2, 3})}), HasSubstr("axes with one bit or more, got 0"));
    op.operation = ReduceOperation::kNONE;
    EXPECT_THAT(problem(op, {floats({2, 3})}), HasSubstr("combines elements, got NONE"));
    op.operation = static_cast<ReduceOperation>(9);
    EXPECT_THAT(problem(op, {floats({2, 3})}), HasSubstr("member of ReduceOperation, got 9"));
}

TEST_F(PickingOps, UnaryTypes) {
    Unary op;
    EXPECT_EQ(infer(op, {input(DataType::kBF16, {2, -1})}).type, DataType::kBF16);
    EXPECT_THAT(problem(op, {indices({2})}), HasSubstr("got int32"));
    op.operation = UnaryOperation::kISNAN;
    EXPECT_EQ(infer(op, {floats({2})}).type, DataType::kBOOL);
    throughPlan(op);
    op.operation = UnaryOperation::kABS;
    EXPECT_EQ(infer(op, {indices({2})}).type, DataType::kINT32);
    op.operation = UnaryOperation::kNOT;
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected a bool input, got float32"));
    op.operation = static_cast<UnaryOperation>(55);
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("member of UnaryOperation, got 55"));
}

} // namespace
} // namespace kiln::graph
