// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/quantize.h"

#include "graph/op_fixture.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/dynamic_quantize.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class QuantizeOp : public OpTest {
protected:
    static Quantize along(int32_t axis) {
        Quantize op;
        op.axis = axis;
        return op;
    }
};

TEST_F(QuantizeOp, TakesOneScaleOneForAnAxisOrBlocks) {
    EXPECT_EQ(shape(Quantize(), {floats({-1, 6, 4}), floats({})}), "[-1,6,4]");
    EXPECT_EQ(shape(Quantize(), {floats({2, 6, 4}), floats({1})}), "[2,6,4]");
    EXPECT_EQ(shape(along(1), {floats({-1, 6, 4}), floats({6})}), "[-1,6,4]");
    EXPECT_EQ(shape(Quantize(), {floats({2, 6, 4}), floats({1, 6, 1})}), "[2,6,4]");
    EXPECT_EQ(shape(Quantize(), {floats({2, 64}), floats({2, 4})}), "[2,64]");
    EXPECT_EQ(infer(Quantize(), {floats({2}), floats({})}).type, DataType::kINT8);
}

TEST_F(QuantizeOp, ChecksScaleAndTypes) {
    EXPECT_THAT(problem(along(1), {floats({2, 6, 4}), floats({5})}),
                HasSubstr("scale (input 1): expected 1 number, or 6 along axis 1, got [5]."));
    EXPECT_THAT(problem(along(3), {floats({2, 6, 4}), floats({5})}),
                HasSubstr("expected an axis below the rank 3 of the input, got 3."));
    EXPECT_THAT(problem(Quantize(), {floats({2, 6, 4}), floats({2, 6})}),
                HasSubstr("expected 1 number, or the rank 3 of the input, got [2,6]."));
    EXPECT_THAT(problem(Quantize(), {floats({2, 6}), floats({3, 6})}),
                HasSubstr("expected extents up to those of the input [2,6], got [3,6]."));
    EXPECT_THAT(problem(Quantize(), {floats({2}), input(DataType::kINT32, {})}),
                HasSubstr("expected float32, float16, bfloat16, fp8 or e8m0, got int32."));
    EXPECT_THAT(problem(Quantize(), {floats({2}), floats({}), floats({})}),
                HasSubstr("zero point (input 2): expected int8 [], got float32 []."));
    Quantize op;
    op.blockShape = makeDims({1, 32});
    EXPECT_THAT(problem(op, {floats({2, 64}), floats({2, 4})}),
                HasSubstr("expected one number for each block of [1,32] elements of [2,64], got "
                          "[2,4]."));
    EXPECT_THAT(problem(op, {floats({64}), floats({4})}),
                HasSubstr("expected a block shape of the rank 1 of the input, got [1,32]."));
    op.blockShape = makeDims({1, 0});
    EXPECT_THAT(op.problem(), HasSubstr("expected extents of a block of 1 or more, or -1"));
    op = Quantize();
    op.toType = DataType::kHALF;
    EXPECT_THAT(op.problem(), HasSubstr("expected an output type of INT8, UINT8, FP8, INT4 or FP4, "
                                        "got float16."));
    EXPECT_THAT(along(8).problem(),
                HasSubstr("expected an axis of 0 .. 7, or -1 for none, got 8."));
}

TEST_F(QuantizeOp, DequantizesQuantizedTypes) {
    EXPECT_EQ(infer(Dequantize(), {input(DataType::kINT4, {3}), floats({})}).type,
              DataType::kFLOAT);
    EXPECT_THAT(problem(Dequantize(), {floats({3}), floats({})}),
                HasSubstr("expected an input of int8, uint8, fp8, int4, fp4 or int32, got"));
    Dequantize op;
    op.toType = DataType::kINT8;
    EXPECT_THAT(op.problem(), HasSubstr("expected an output type of FLOAT, HALF or BF16"));
}

TEST_F(QuantizeOp, BlocksJoinLoops) {
    ScaleBlocks const whole = scaleBlocks(makeDims({2, 3, 4}), Dims{0, {}}, {});
    EXPECT_EQ(whole.rank, 1);
    EXPECT_EQ(whole.scaleOf(23), 0);
    ScaleBlocks const axis = scaleBlocks(makeDims({2, 3, 4}), makeDims({3}), {1, {0, {}}});
    for (int64_t i = 0; i < 24; ++i) {
        EXPECT_EQ(axis.scaleOf(i), i / 4 % 3);
    }
    ScaleBlocks const blocks =
        scaleBlocks(makeDims({3, 5}), makeDims({2, 2}), {-1, makeDims({2, 3})});
    for (int64_t i = 0; i < 15; ++i) {
        EXPECT_EQ(blocks.scaleOf(i), i / 5 / 2 * 2 + i % 5 / 3);
    }
    ScaleBlocks const following =
        scaleBlocks(makeDims({3, 6}), makeDims({3, 2}), {-1, makeDims({1, 3})});
    EXPECT_EQ(following.rank, 1);
    for (int64_t i = 0; i < 18; ++i) {
        EXPECT_EQ(following.scaleOf(i), i / 3);
    }
}

class DynamicQuantizeOp : public OpTest {};

TEST_F(DynamicQuantizeOp, GivesAScaleForEachBlock) {
    DynamicQuantize op;
    op.blockShape = makeDims({2, -1});
    std::vector<TensorFacts> const inputs{floats({5, 7})};
    std::vector<TensorFacts> outputs(2);
    InferContext context{pool, "dynamic", inputs, outputs};
    op.infer(context);
    EXPECT_EQ(toText(knownDims(pool, outputs[0].shape)), "[5,7]");
    EXPECT_EQ(toText(knownDims(pool, outputs[1].shape)), "[3,1]");
    EXPECT_EQ(outputs[1].type, DataType::kFP8);
}

TEST_F(DynamicQuantizeOp, ChecksParameters) {
    DynamicQuantize op;
    EXPECT_THAT(op.problem(), HasSubstr("expected an axis of 0 .. 7 and a block size"));
    op.axis = 0;
    op.blockSize = 16;
    EXPECT_EQ(op.problem(), "");
    op.scaleType = DataType::kINT8;
    EXPECT_THAT(op.problem(), HasSubstr("expected a scale type of FP8, E8M0"));
    op.toType = DataType::kHALF;
    EXPECT_THAT(op.problem(), HasSubstr("expected an output type of FP4, FP8, INT8 or INT4"));
}

} // namespace
} // namespace kiln::graph
