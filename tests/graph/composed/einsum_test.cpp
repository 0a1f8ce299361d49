// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/composed/einsum.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class EinsumOp : public OpTest {
protected:
    static Einsum op(std::string const& equation) {
        Einsum op;
        op.equation = equation;
        return op;
    }
    /// The kinds of the operations that an equation becomes.
    std::string kinds(std::string const& equation, std::vector<TensorFacts> const& inputs) {
        std::string result;
        auto const region = op(equation).parts({pool, "probe", inputs, {}});
        for (auto const& node : region->nodes()) {
            result += (result.empty() ? "" : " ") + std::string(node.op->kind());
        }
        return result;
    }
};

TEST_F(EinsumOp, Shapes) {
    EXPECT_EQ(shape(op("ij,jk->ik"), {floats({2, -1}), floats({-1, 5})}), "[2,5]");
    EXPECT_EQ(shape(op("...ij->...ji"), {floats({-1, 3, 4, 5})}), "[-1,3,5,4]");
    EXPECT_EQ(shape(op("ba"), {floats({2, 3})}), "[3,2]");
    EXPECT_EQ(shape(op("i,i->"), {floats({2}), floats({2})}), "[]");
    EXPECT_EQ(extent(op("abc,cd->abd"), {floats({-1, -2, 4}), floats({4, 5})}, 1, {2, 7}), 7);
}

TEST_F(EinsumOp, TakesDiagonals) {
    EXPECT_EQ(shape(op("ii"), {floats({3, 3})}), "[]");
    EXPECT_EQ(shape(op("...ii->...i"), {floats({2, 3, 3})}), "[2,3]");
    EXPECT_EQ(shape(op("iiji->ji"), {floats({-1, -1, 4, -1})}), "[4,-1]");
}

TEST_F(EinsumOp, NeedsNoTranspositionThatAProductHas) {
    EXPECT_EQ(kinds("ij,jk->ik", {floats({2, 3}), floats({3, 4})}), "MatrixMultiply");
    EXPECT_EQ(kinds("ij,kj->ik", {floats({2, 3}), floats({4, 3})}), "MatrixMultiply");
    EXPECT_EQ(kinds("ij,jk->ki", {floats({2, 3}), floats({3, 4})}), "MatrixMultiply");
    EXPECT_EQ(kinds("bhqd,bhkd->bhqk", {floats({2, 3, 4, 5}), floats({2, 3, 6, 5})}),
              "MatrixMultiply");
    EXPECT_EQ(kinds("ij,ij->ij", {floats({2, 3}), floats({2, 3})}), "ElementWise");
    EXPECT_EQ(kinds("ijk->", {floats({2, 3, 4})}), "Reduce");
    EXPECT_EQ(kinds("ij->ij", {floats({2, 3})}), "Identity");
}

TEST_F(EinsumOp, ChecksTheEquation) {
    std::vector<TensorFacts> const square = {floats({3, 3})};
    EXPECT_THAT(problem(op("ij->ii"), square),
                HasSubstr("equation 'ij->ii': expected each axis once in 'ii', got 'i' twice."));
    EXPECT_THAT(problem(op("ii->i"), {floats({3, 4})}),
                HasSubstr("input 0: expected an extent of 3 or 1 for 'i'"));
    EXPECT_THAT(problem(op("ij->ik"), square),
                HasSubstr("expected an input with each axis of the output, got none with 'k'."));
    EXPECT_THAT(problem(op("i1->i"), square),
                HasSubstr("expected letters, ',', '->' and '...', got '1'."));
    EXPECT_THAT(problem(op("ijk->i"), square),
                HasSubstr("input 0: expected rank 3 as in the equation 'ijk->i', got 2. Change the "
                          "equation or reshape the input."));
}

TEST_F(EinsumOp, ChecksExtents) {
    EXPECT_THAT(problem(op("ij,jk->ik"), {floats({2, 3}), floats({4, 5})}),
                HasSubstr("input 1: expected an extent of 3 or 1 for 'j' of the equation "
                          "'ij,jk->ik', as another input has, got 4. Use another letter."));
    EXPECT_THAT(problem(op("...,...->..."), {floats({2, 3}), floats({2, 4})}),
                HasSubstr("for the 1th last axis of '...'"));
    EXPECT_THAT(
        problem(op("abcde,fghij->abcdefghij"), {floats({1, 2, 1, 2, 1}), floats({1, 2, 1, 2, 1})}),
        HasSubstr("expected an output of at most 8 axes, got 10."));
}

} // namespace
} // namespace kiln::graph
