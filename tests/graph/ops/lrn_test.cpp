// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/lrn.h"

#include <limits>

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class LRNOp : public OpTest {};

TEST_F(LRNOp, KeepsTypeAndShape) {
    EXPECT_EQ(shape(LRN(), {floats({-1, 6, -2, 4})}), "[-1,6,-1,4]");
    EXPECT_EQ(infer(LRN(), {input(DataType::kHALF, {2, 3, 1})}).type, DataType::kHALF);
}

TEST_F(LRNOp, ChecksParametersAndInput) {
    std::vector<TensorFacts> const tensors = {floats({2, 3, 4})};
    LRN wrong;
    wrong.window = 0;
    EXPECT_THAT(problem(wrong, tensors),
                HasSubstr("expected a window of 1 channel or more, got 0."));
    wrong = LRN();
    wrong.beta = std::numeric_limits<float>::infinity();
    EXPECT_THAT(problem(wrong, tensors), HasSubstr("expected a finite beta, got inf."));
    EXPECT_THAT(problem(LRN(), {floats({2, 3})}),
                HasSubstr("expected an input [..., channels, height, width] of rank 3 or more, got "
                          "rank 2. Reshape it."));
}

TEST_F(LRNOp, PlanesOfAnyRank) {
    auto const planes = LRN::planesOf(makeDims({2, 3, 5, 7, 11}));
    EXPECT_EQ(planes.outer, 6);
    EXPECT_EQ(planes.channels, 5);
    EXPECT_EQ(planes.inner, 77);
}

} // namespace
} // namespace kiln::graph
