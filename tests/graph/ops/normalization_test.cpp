// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/normalization.h"

#include <limits>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class NormalizationOp : public OpTest {
protected:
    static Normalization op(uint32_t axes, int64_t groups = 1) {
        Normalization result;
        result.axes = axes;
        result.groups = groups;
        return result;
    }
};

TEST_F(NormalizationOp, KeepsTypeAndShape) {
    EXPECT_EQ(shape(op(4), {floats({-1, -2, 8}), floats({1, 1, 8}), floats({1, 1, 8})}),
              "[-1,-1,8]");
    EXPECT_EQ(
        shape(op(12, 3), {floats({-1, 6, -2, 4}), floats({1, 6, 1, 1}), floats({1, 6, 1, 1})}),
        "[-1,6,-1,4]");
    TensorFacts const half = input(DataType::kHALF, {2, 3});
    EXPECT_EQ(infer(op(2), {half, half, half}).type, DataType::kHALF);
}

TEST_F(NormalizationOp, ChecksParameters) {
    std::vector<TensorFacts> const tensors(3, floats({2, 3}));
    EXPECT_THAT(problem(op(0), tensors), HasSubstr("expected axes with one bit or more, got 0."));
    EXPECT_THAT(problem(op(5), tensors), HasSubstr("input's rank 2, got the mask 0x5"));
    EXPECT_THAT(problem(op(2, 0), tensors), HasSubstr("expected 1 or more groups, got 0."));
    Normalization wrong = op(2);
    wrong.epsilon = -1.0F;
    EXPECT_THAT(problem(wrong, tensors), HasSubstr("expected an epsilon of 0 or more, got -1"));
    wrong.epsilon = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(problem(wrong, tensors), HasSubstr("expected an epsilon of 0 or more, got nan"));
    wrong = op(2);
    wrong.precision = DataType::kINT8;
    EXPECT_THAT(problem(wrong, tensors), HasSubstr("FLOAT, HALF or BF16, got 2."));
}

TEST_F(NormalizationOp, ChecksOperands) {
    TensorFacts const x = floats({2, 6, 4});
    TensorFacts const one = floats({1, 1, 1});
    EXPECT_THAT(problem(op(4), {x, one}), HasSubstr("expected 3 inputs, got 2"));
    EXPECT_THAT(problem(op(4), {x, floats({4}), one}),
                HasSubstr("scale (input 1): expected the rank of the input [2,6,4] and extents "
                          "that are equal or 1, got [4]"));
    EXPECT_THAT(problem(op(4), {x, one, floats({1, 3, 1})}), HasSubstr("bias (input 2): expected"));
    TensorFacts const whole = input(DataType::kINT32, {2, 6, 4});
    EXPECT_THAT(problem(op(4), {whole, whole, whole}), HasSubstr("float32"));
    EXPECT_NE(problem(op(4), {x, input(DataType::kHALF, {1, 1, 1}), one}), "");
}

TEST_F(NormalizationOp, ChecksGroups) {
    TensorFacts const x = floats({2, 6, 4});
    TensorFacts const byChannel = floats({1, 6, 1});
    TensorFacts const byGroup = floats({1, 3, 1});
    EXPECT_THAT(problem(op(6, 3), {x, byChannel, byChannel}),
                HasSubstr("all after the channels, got rank 3 and the mask 0x6"));
    EXPECT_THAT(problem(op(4, 4), {x, byChannel, byChannel}),
                HasSubstr("expected groups that divide the 6 channels, got 4"));
    EXPECT_THAT(problem(op(4, 3), {x, byGroup, byGroup}), HasSubstr("scale (input 1)"));
    Normalization first = op(4, 3);
    first.scalesChannels = false;
    EXPECT_EQ(shape(first, {x, byGroup, byGroup}), "[2,6,4]");
    EXPECT_EQ(shape(first, {x, byChannel, byChannel}), "[2,6,4]");
    EXPECT_THAT(problem(first, {x, floats({1, 2, 1}), byGroup}),
                HasSubstr("or 3 groups on axis 1"));
}

TEST_F(NormalizationOp, PassesThroughAPlan) {
    Normalization before = op(12, 3);
    before.epsilon = 0.25F;
    before.precision = DataType::kHALF;
    before.scalesChannels = false;
    auto const after = throughPlan(before);
    auto const& loaded = static_cast<Normalization const&>(*after);
    EXPECT_EQ(loaded.axes, 12U);
    EXPECT_EQ(loaded.groups, 3);
    EXPECT_EQ(loaded.epsilon, 0.25F);
    EXPECT_EQ(loaded.precision, DataType::kHALF);
    EXPECT_FALSE(loaded.scalesChannels);
}

} // namespace
} // namespace kiln::graph
