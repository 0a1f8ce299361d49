// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/bit_cast.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class BitCastOp : public OpTest {
protected:
    BitCastOp() { op.type = DataType::kINT32; }
    BitCast op;
};

TEST_F(BitCastOp, ChangesTheType) {
    TensorFacts const facts = infer(op, {floats({2, -1})});
    EXPECT_EQ(facts.type, DataType::kINT32);
    EXPECT_EQ(toText(knownDims(pool, facts.shape)), "[2,-1]");
    throughPlan(op);
}

TEST_F(BitCastOp, ChecksTypes) {
    EXPECT_THAT(problem(op, {input(DataType::kHALF, {2})}),
                HasSubstr("expected types of as many bits and of whole bytes, got float16 and "
                          "int32. Add a cast layer."));
    op.type = static_cast<DataType>(99);
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("expected a member of DataType, got 99."));
}

} // namespace
} // namespace kiln::graph
