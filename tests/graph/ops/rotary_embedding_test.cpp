// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/rotary_embedding.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class RotaryEmbeddingOp : public OpTest {
protected:
    std::vector<TensorFacts> tables(std::initializer_list<int64_t> data,
                                    std::initializer_list<int64_t> table) {
        return {floats(data), floats(table), floats(table)};
    }
};

TEST_F(RotaryEmbeddingOp, KeepsTypeAndShape) {
    EXPECT_EQ(shape(RotaryEmbedding(), tables({-1, 4, -2, 8}, {-1, -2, 4})), "[-1,4,-1,8]");
    EXPECT_EQ(shape(RotaryEmbedding(), tables({2, 4, 3, 8}, {1, 3, 4})), "[2,4,3,8]");
    std::vector<TensorFacts> const halves(3, input(DataType::kHALF, {1, 1, 1, 2}));
    EXPECT_THAT(problem(RotaryEmbedding(), halves), HasSubstr("expected float16 [1,1,1]"));
}

TEST_F(RotaryEmbeddingOp, TakesPositions) {
    std::vector<TensorFacts> tensors = tables({2, 4, 3, 8}, {100, 4});
    tensors.push_back(input(DataType::kINT64, {2, 3}));
    EXPECT_EQ(shape(RotaryEmbedding(), tensors), "[2,4,3,8]");
    tensors[3] = input(DataType::kINT32, {3, 2});
    EXPECT_THAT(problem(RotaryEmbedding(), tensors),
                HasSubstr("positions (input 3): expected int32 or int64 [2,3], got int32 [3,2]."));
    tensors[3] = floats({2, 3});
    EXPECT_THAT(problem(RotaryEmbedding(), tensors), HasSubstr("got float32 [2,3]."));
}

TEST_F(RotaryEmbeddingOp, ChecksSizes) {
    EXPECT_THAT(problem(RotaryEmbedding(), tables({2, 3, 8}, {2, 3, 4})),
                HasSubstr("expected an input [batch, heads, length, size]"));
    EXPECT_THAT(problem(RotaryEmbedding(), tables({2, 4, 3, 7}, {2, 3, 3})),
                HasSubstr("with an even size of 0 or more, got [2,4,3,7]."));
    RotaryEmbedding part;
    part.rotated = 6;
    EXPECT_EQ(shape(part, tables({2, 4, 3, 7}, {2, 3, 3})), "[2,4,3,7]");
    EXPECT_THAT(problem(part, tables({2, 4, 3, 4}, {2, 3, 3})), HasSubstr("of 6 or more"));
    EXPECT_THAT(problem(part, tables({2, 4, 3, 8}, {2, 3, 4})),
                HasSubstr("cosines (input 1): expected float32 [2,3,3], got float32 [2,3,4]."));
    part.rotated = 5;
    EXPECT_THAT(problem(part, tables({2, 4, 3, 8}, {2, 3, 4})),
                HasSubstr("expected an even number of rotated elements, or 0 for all, got 5."));
}

TEST_F(RotaryEmbeddingOp, GoesThroughPlans) {
    RotaryEmbedding op;
    op.interleaved = true;
    op.rotated = 4;
    throughPlan(op);
}

} // namespace
} // namespace kiln::graph
