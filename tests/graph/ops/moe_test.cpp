// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/moe.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class MoEOp : public OpTest {
protected:
    std::vector<TensorFacts> tokens() {
        return {floats({-1, -2, 8}), input(DataType::kINT32, {-1, -2, 2}), floats({-1, -2, 2})};
    }
    std::vector<TensorFacts> whole() {
        std::vector<TensorFacts> all = tokens();
        all.insert(all.end(), {floats({4, 8, 16}), floats({4, 8, 16}), floats({4, 16, 8})});
        return all;
    }
};

TEST_F(MoEOp, KeepsTypeAndShape) {
    EXPECT_EQ(shape(MoE(), whole()), "[-1,-1,8]");
    EXPECT_EQ(shape(MoE(), tokens()), "[-1,-1,8]");
    std::vector<TensorFacts> biased = whole();
    biased.insert(biased.end(), {floats({4, 16}), none(), floats({4, 8})});
    EXPECT_EQ(shape(MoE(), biased), "[-1,-1,8]");
}

TEST_F(MoEOp, ChecksOperands) {
    std::vector<TensorFacts> tensors = whole();
    tensors[1] = floats({-1, -2, 2});
    EXPECT_THAT(problem(MoE(), tensors),
                HasSubstr("selected experts (input 1): expected int32 [-1,-1,-1], got float32"));
    tensors = whole();
    tensors[2] = floats({-1, -2, 3});
    EXPECT_THAT(problem(MoE(), tensors),
                HasSubstr("scores (input 2): expected float32 [-1,-1,2], got float32 [-1,-1,3]."));
    tensors = whole();
    tensors[5] = floats({4, 8, 16});
    EXPECT_THAT(problem(MoE(), tensors),
                HasSubstr("down weights (input 5): expected float32 [4,16,8], got"));
    tensors = whole();
    tensors[4] = none();
    EXPECT_THAT(problem(MoE(), tensors), HasSubstr("got some of them. Set all of them."));
    EXPECT_THAT(problem(MoE(), {floats({8}), floats({2}), floats({2})}),
                HasSubstr("expected hidden states [batch, length, hidden], got [8]."));
}

TEST_F(MoEOp, ChecksParameters) {
    MoE op;
    op.alpha = std::numeric_limits<float>::infinity();
    EXPECT_THAT(problem(op, whole()), HasSubstr("expected a limit that is a number"));
    op = MoE();
    op.blockShape.nbDims = 9;
    EXPECT_THAT(problem(op, whole()), HasSubstr("expected a block shape of rank 0 to 8, got rank"));
    op = MoE();
    op.activation = static_cast<nvinfer1::MoEActType>(7);
    EXPECT_THAT(problem(op, whole()), HasSubstr("expected a member of MoEActType, got 7."));
}

TEST_F(MoEOp, KernelsRefuseWhatIsMissing) {
    EXPECT_EQ(moeRefusal(MoE(), {true, false, false}), "");
    EXPECT_THAT(moeRefusal(MoE(), {}), HasSubstr("Set the gated weights"));
    MoE quantized;
    quantized.quantizedType = DataType::kFP8;
    EXPECT_EQ(moeRefusal(quantized, {true, true, false}), "");
    EXPECT_THAT(moeRefusal(quantized, {true, false, true}),
                HasSubstr("by a given scale, got fp8 without a scale or a block shape"));
    quantized.quantizedType = DataType::kFP4;
    EXPECT_THAT(moeRefusal(quantized, {true, true, false}), HasSubstr("got fp4"));
    quantized.blockShape = {3, {1, 1, 16}};
    quantized.scaleType = DataType::kFP8;
    EXPECT_EQ(moeRefusal(quantized, {true, false, true}), "");
    EXPECT_THAT(moeRefusal(quantized, {true, true, false}), HasSubstr("(input 10), got none"));
    throughPlan(quantized);
    quantized.scaleType = DataType::kINT32;
    EXPECT_THAT(moeRefusal(quantized, {true, false, true}), HasSubstr("got fp4 with int32"));
    quantized.scaleType = DataType::kFP8;
    quantized.blockShape = {2, {2, 16}};
    EXPECT_THAT(moeRefusal(quantized, {true, false, true}),
                HasSubstr("expected a block shape such as [1,1,16], got [2,16]"));
}

} // namespace
} // namespace kiln::graph
