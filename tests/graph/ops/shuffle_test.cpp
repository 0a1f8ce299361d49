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

/// Reshape dimensions are host values of another input: 0 and -1 are known at run time only.
class ShuffleByValues : public ShuffleRule {
protected:
    TensorFacts shapeInput(int32_t count) {
        TensorFacts facts = input(DataType::kINT64, {count});
        facts.values.emplace();
        for (int32_t i = 0; i < count; ++i) {
            facts.values->push_back(pool.shapeValue(1, i));
        }
        return facts;
    }
    /// The output's extents for these values.
    std::vector<int64_t> extents(Shuffle const& op, TensorFacts const& data,
                                 std::vector<int64_t> const& values) {
        TensorFacts const dims = shapeInput(static_cast<int32_t>(values.size()));
        std::vector<int64_t> result;
        for (int32_t axis = 0; axis < static_cast<int32_t>(values.size()); ++axis) {
            std::vector<int64_t> all = values;
            all.resize(8, 1); // for expressions of earlier calls in the pool
            result.push_back(extent(op, {data, dims}, axis, all));
        }
        return result;
    }
};

TEST_F(ShuffleByValues, ZeroCopiesAndMinusOneFollows) {
    using Extents = std::vector<int64_t>;
    TensorFacts const x = floats({4, 3, 2});
    EXPECT_EQ(extents(Shuffle{}, x, {2, 3, 4}), (Extents{2, 3, 4}));
    EXPECT_EQ(extents(Shuffle{}, x, {0, -1, 2}), (Extents{4, 3, 2}));
    EXPECT_EQ(extents(Shuffle{}, x, {-1, 0, 1}), (Extents{8, 3, 1}));
    EXPECT_EQ(extents(Shuffle{}, x, {0, -1}), (Extents{4, 6}));
    EXPECT_EQ(extents(Shuffle{}, x, {-1}), (Extents{24}));
    EXPECT_EQ(extents(Shuffle{}, x, {2, 2, 3, -1}), (Extents{2, 2, 3, 2}));
    EXPECT_EQ(extents(Shuffle{}, floats({0, 3}), {0, 5}), (Extents{0, 5}));
    EXPECT_EQ(extents(Shuffle{}, floats({0, 3}), {-1, 3}), (Extents{0, 3}));
    Shuffle swapped;
    swapped.firstTranspose = {2, 0, 1};
    EXPECT_EQ(extents(swapped, x, {0, -1}), (Extents{2, 12}));
    Shuffle zeros;
    zeros.zeroIsPlaceholder = false;
    EXPECT_EQ(extents(zeros, floats({0, 3}), {3, 0}), (Extents{3, 0}));
    EXPECT_EQ(extents(zeros, x, {-1, 2}), (Extents{12, 2}));
}

TEST_F(ShuffleByValues, BesideConstants) {
    TensorFacts const x = floats({4, 3, 2});
    TensorFacts dims = shapeInput(1);
    dims.shape[0] = pool.constant(2);
    dims.values->push_back(pool.constant(-1));
    EXPECT_EQ(extent(Shuffle{}, {x, dims}, 1, {8}), 3);
    EXPECT_EQ(extent(Shuffle{}, {x, dims}, 0, {0}), 4);
    EXPECT_EQ(extent(Shuffle{}, {x, dims}, 1, {0}), 6);
    dims.values->back() = pool.constant(0);
    EXPECT_EQ(extent(Shuffle{}, {x, dims}, 0, {-1}), 8);
    EXPECT_EQ(extent(Shuffle{}, {x, dims}, 1, {-1}), 3);
}

TEST_F(ShuffleByValues, ExtentsStayWhatTheyAre) {
    TensorFacts const x = floats({-1, 6});
    TensorFacts dims = input(DataType::kINT64, {2});
    dims.values = ShapeValues{x.shape[0], pool.constant(-1)};
    EXPECT_EQ(infer(Shuffle{}, {x, dims}).shape[0], x.shape[0]);
    EXPECT_EQ(infer(Shuffle{}, {x, dims}).shape[1], pool.constant(6));
}

// The extents of a slice with computed bounds depend on comparisons.
TEST_F(ShuffleByValues, ExtentsThatCarryValuesCancel) {
    TensorFacts x = floats({-1, 32});
    ExprRef const last = x.shape[0];
    ExprRef const isLess = pool.binary(ExprOp::kLess, last, pool.constant(64));
    x.shape[0] = pool.binary(ExprOp::kProd, last, isLess);
    TensorFacts dims = input(DataType::kINT64, {3});
    dims.values = ShapeValues{x.shape[0], pool.constant(4), pool.constant(-1)};
    EXPECT_EQ(shape(Shuffle{}, {x, dims}), "[-1,4,8]");
    ExprRef const all = pool.binary(ExprOp::kProd, x.shape[0], pool.constant(4));
    dims.values = ShapeValues{pool.constant(1), all, pool.constant(-1)};
    EXPECT_EQ(shape(Shuffle{}, {x, dims}), "[1,-1,8]");
    dims.values = ShapeValues{pool.constant(1), isLess, pool.constant(-1)}; // may be 0
    EXPECT_EQ(shape(Shuffle{}, {x, dims}), "[1,-1,-1]");
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
