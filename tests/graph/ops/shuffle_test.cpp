// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/shuffle.h"

#include "graph/op_fixture.h"

namespace kiln::graph {
namespace {

using testing::HasSubstr;

class ShuffleRule : public OpTest {
protected:
    static Shuffle reshape(std::initializer_list<int64_t> dims) {
        Shuffle op;
        op.reshape = makeDims(dims);
        return op;
    }
};

TEST_F(ShuffleRule, TransposesBeforeAndAfter) {
    Shuffle op = reshape({0, -1});
    op.firstTranspose = {2, 0, 1};
    op.secondTranspose = {1, 0};
    EXPECT_EQ(shape(op, {floats({2, 3, 5})}), "[6,5]");
    auto const loaded = throughPlan(op);
    EXPECT_EQ(shape(*loaded, {floats({2, 3, 5})}), "[6,5]");
    throughPlan(Shuffle{}); // no reshape at all
}

TEST_F(ShuffleRule, ZeroCopiesAndMinusOneFollows) {
    EXPECT_EQ(shape(reshape({0, 0, -1}), {floats({2, 3, 4, 5})}), "[2,3,20]");
    EXPECT_EQ(shape(reshape({-1}), {floats({2, 3})}), "[6]");
    EXPECT_EQ(shape(reshape({}), {floats({1, 1})}), "[]");
    EXPECT_EQ(shape(reshape({4, -1}), {floats({0, 8})}), "[4,0]");
    Shuffle empty = reshape({0, 5});
    empty.zeroIsPlaceholder = false;
    EXPECT_EQ(shape(empty, {floats({0, 3})}), "[0,5]");
}

TEST_F(ShuffleRule, UnknownExtentsCancel) {
    TensorFacts const x = floats({-1, 16, 2, 2});
    EXPECT_EQ(shape(reshape({0, -1}), {x}), "[-1,64]");
    EXPECT_EQ(infer(reshape({0, -1}), {x}).shape[0], x.shape[0]);
    EXPECT_EQ(infer(reshape({-1, 64}), {x}).shape[0], x.shape[0]);
    EXPECT_EQ(extent(reshape({-1, 32}), {x}, 0, {5}), 10);
    EXPECT_EQ(extent(reshape({-1, 128}), {x}, 0, {6}), 3);
    EXPECT_EQ(extent(reshape({-1}), {floats({-1, -2})}, 0, {5, 7}), 35);
    Shuffle op = reshape({0, 0, -1});
    op.firstTranspose = {1, 0, 2};
    EXPECT_EQ(shape(op, {floats({-1, -2, 3})}), "[-1,-1,3]");
}

TEST_F(ShuffleRule, CountsMustMatch) {
    EXPECT_THAT(problem(reshape({4, 2}), {floats({2, 3})}),
                HasSubstr("expected reshape dimensions for the elements of [2,3], got [4,2]"));
    EXPECT_THAT(problem(reshape({4, -1}), {floats({2, 3})}), HasSubstr("got [4,-1]"));
    EXPECT_THAT(problem(reshape({0, 5, -1}), {floats({-1, 3})}), HasSubstr("got [0,5,-1]"));
    Shuffle op = reshape({0, -1});
    op.zeroIsPlaceholder = false;
    EXPECT_THAT(problem(op, {floats({0, 3})}), HasSubstr("got [0,-1]")); // -1 could be anything
}

TEST_F(ShuffleRule, BadParameters) {
    EXPECT_THAT(problem(reshape({-1, -1}), {floats({2, 3})}), HasSubstr("one -1 at most"));
    EXPECT_THAT(problem(reshape({-2, 3}), {floats({2, 3})}), HasSubstr("got [-2,3]"));
    EXPECT_THAT(problem(reshape({2, 3, 0}), {floats({2, 3})}),
                HasSubstr("expected an input dimension 2 for the 0 in reshape dimensions"));
    Shuffle op;
    op.reshape.nbDims = 12;
    EXPECT_THAT(problem(op, {floats({2})}), HasSubstr("rank 0 to 8, got 12"));
    op = Shuffle{};
    op.firstTranspose = {0, 0};
    EXPECT_THAT(problem(op, {floats({2, 3})}),
                HasSubstr("first transpose: expected a permutation of 0 to 1, got 0 at 1"));
    op = Shuffle{};
    op.secondTranspose = {2, 0};
    EXPECT_THAT(problem(op, {floats({2, 3})}),
                HasSubstr("second transpose: expected a permutation"));
}

TEST_F(ShuffleRule, UnusedExtentsDoNotChangeTheBytes) {
    Shuffle a = reshape({2, 3});
    Shuffle b = a;
    b.reshape.d[5] = 77;
    EXPECT_EQ(saved(a), saved(b));
}

} // namespace
} // namespace kiln::graph
