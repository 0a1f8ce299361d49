// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/matrix_multiply.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using nvinfer1::MatrixOperation;
using testing::HasSubstr;

class MatrixMultiplyRule : public OpTest {
protected:
    static MatrixMultiply opOf(MatrixOperation left, MatrixOperation right) {
        MatrixMultiply op;
        op.operation = {left, right};
        return op;
    }
};

constexpr auto kNone = MatrixOperation::kNONE;
constexpr auto kTranspose = MatrixOperation::kTRANSPOSE;
constexpr auto kVector = MatrixOperation::kVECTOR;

TEST_F(MatrixMultiplyRule, Shapes) {
    EXPECT_EQ(shape(opOf(kNone, kNone), {floats({2, 1, 3, 5}), floats({1, 4, 5, 7})}), "[2,4,3,7]");
    EXPECT_EQ(shape(opOf(kTranspose, kTranspose), {floats({5, 3}), floats({7, 5})}), "[3,7]");
    EXPECT_EQ(shape(opOf(kVector, kNone), {floats({2, 5}), floats({2, 5, 7})}), "[2,7]");
    EXPECT_EQ(shape(opOf(kNone, kVector), {floats({2, 3, 5}), floats({2, 5})}), "[2,3]");
    EXPECT_EQ(shape(opOf(kVector, kVector), {floats({5}), floats({5})}), "[]");
    EXPECT_EQ(shape(opOf(kNone, kNone), {floats({-1, 64}), floats({64, 10})}), "[-1,10]");
    auto const loaded = throughPlan(opOf(kVector, kTranspose));
    EXPECT_EQ(shape(*loaded, {floats({5}), floats({7, 5})}), "[7]");
}

TEST_F(MatrixMultiplyRule, Refusals) {
    EXPECT_THAT(problem(opOf(kNone, kNone), {floats({3, 5}), floats({6, 7})}),
                HasSubstr("expected equal extents along the summed axes, got 5 (dimension 1 of "
                          "[3,5]) and 6 (dimension 0 of [6,7])"));
    EXPECT_THAT(problem(opOf(kNone, kNone), {floats({2, 3, 5}), floats({5, 7})}),
                HasSubstr("expected inputs with equal numbers of batch axes"));
    EXPECT_THAT(problem(opOf(kNone, kNone), {floats({5}), floats({5})}),
                HasSubstr("batch axes before their matrices"));
    EXPECT_THAT(problem(opOf(kVector, kVector), {floats({}), floats({})}), HasSubstr("got []"));
    EXPECT_THAT(problem(opOf(kNone, kNone), {floats({2, 3, 5}), floats({3, 5, 7})}),
                HasSubstr("dimension 0: expected equal extents or 1, got 2 and 3"));
    EXPECT_THAT(
        problem(opOf(kNone, static_cast<MatrixOperation>(3)), {floats({3, 5}), floats({5})}),
        HasSubstr("expected a member of MatrixOperation, got 3"));
    EXPECT_THAT(problem(opOf(kNone, kNone), {input(DataType::kINT32, {2, 2}), floats({2, 2})}),
                HasSubstr("got int32"));
}

} // namespace
} // namespace kiln::graph
