// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/expr.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::graph {
namespace {

using test::errorOf;
using testing::HasSubstr;

/// Values of leaves: extent b of input a is 10 * a + b.
class Leaves : public LeafValues {
public:
    int64_t leaf(ExprNode const& node) const override { return 10 * node.a + node.b; }
};

int64_t valueOf(ExprPool const& pool, ExprRef ref) {
    std::vector<int64_t> values(pool.nodes().size());
    evaluate(pool.nodes(), Leaves{}, values);
    return values[static_cast<std::size_t>(ref)];
}

constexpr ExprOp kBinary[] = {ExprOp::kSum,  ExprOp::kProd,     ExprOp::kMax,
                              ExprOp::kMin,  ExprOp::kSub,      ExprOp::kEqual,
                              ExprOp::kLess, ExprOp::kFloorDiv, ExprOp::kCeilDiv};

TEST(ExprPool, EqualExpressionsAreOneNode) {
    ExprPool pool;
    ExprRef const n = pool.inputExtent(0, 1);
    ExprRef const two = pool.constant(2);
    EXPECT_EQ(pool.inputExtent(0, 1), n);
    EXPECT_NE(pool.inputExtent(1, 0), n);
    EXPECT_NE(pool.shapeValue(0, 1), n);
    EXPECT_EQ(pool.binary(ExprOp::kSum, n, two), pool.binary(ExprOp::kSum, two, n));
    EXPECT_NE(pool.binary(ExprOp::kSub, n, two), pool.binary(ExprOp::kSub, two, n));
}

TEST(ExprPool, SomeNodesAreEvaluatedWithTheValuesOfTheOthers) {
    ExprPool pool;
    ExprRef const n = pool.inputExtent(0, 1);
    ExprRef const sum = pool.binary(ExprOp::kSum, n, pool.constant(2));
    ExprRef const product = pool.binary(ExprOp::kProd, sum, sum);
    std::vector<int64_t> values(pool.nodes().size(), 5);
    std::vector<ExprRef> const which{sum, product};
    evaluate(pool.nodes(), Leaves{}, values, which);
    EXPECT_EQ(values[static_cast<std::size_t>(n)], 5);
    EXPECT_EQ(values[static_cast<std::size_t>(product)], 100); // 5 + 5, since no constant was set
}

TEST(ExprPool, ConstantsAreFolded) {
    ExprPool pool;
    auto const fold = [&](ExprOp op, int64_t a, int64_t b) {
        return pool.constantOr(pool.binary(op, pool.constant(a), pool.constant(b)), -999);
    };
    EXPECT_EQ(fold(ExprOp::kSum, 7, -3), 4);
    EXPECT_EQ(fold(ExprOp::kProd, 7, -3), -21);
    EXPECT_EQ(fold(ExprOp::kMax, 7, -3), 7);
    EXPECT_EQ(fold(ExprOp::kMin, 7, -3), -3);
    EXPECT_EQ(fold(ExprOp::kSub, 7, -3), 10);
    EXPECT_EQ(fold(ExprOp::kEqual, 7, 7), 1);
    EXPECT_EQ(fold(ExprOp::kLess, 7, 7), 0);
    EXPECT_EQ(fold(ExprOp::kFloorDiv, 7, 2), 3);
    EXPECT_EQ(fold(ExprOp::kFloorDiv, -7, 2), -4);
    EXPECT_EQ(fold(ExprOp::kCeilDiv, 7, 2), 4);
    EXPECT_EQ(fold(ExprOp::kCeilDiv, -7, 2), -3);
}

TEST(ExprPool, NeutralOperandsVanish) {
    ExprPool pool;
    ExprRef const n = pool.inputExtent(0, 1);
    ExprRef const zero = pool.constant(0);
    ExprRef const one = pool.constant(1);
    EXPECT_EQ(pool.binary(ExprOp::kSum, zero, n), n);
    EXPECT_EQ(pool.binary(ExprOp::kProd, n, one), n);
    EXPECT_EQ(pool.binary(ExprOp::kSub, n, zero), n);
    EXPECT_EQ(pool.binary(ExprOp::kFloorDiv, n, one), n);
    EXPECT_EQ(pool.binary(ExprOp::kCeilDiv, n, one), n);
    EXPECT_EQ(pool.binary(ExprOp::kMax, n, n), n);
    EXPECT_EQ(pool.binary(ExprOp::kSub, n, n), zero);
    EXPECT_EQ(pool.binary(ExprOp::kEqual, n, n), one);
}

TEST(ExprPool, SimplifiedAndPlainAgree) {
    // Every operation on a leaf and a small constant must agree with the folded constants.
    for (ExprOp const op : kBinary) {
        for (int64_t const constant : {-2, -1, 0, 1, 2, 3}) {
            for (bool const constantFirst : {false, true}) {
                ExprPool pool;
                ExprRef const leaf = pool.inputExtent(1, 4); // 14
                ExprRef const c = pool.constant(constant);
                bool const divides = op == ExprOp::kFloorDiv || op == ExprOp::kCeilDiv;
                if (divides && !constantFirst && constant == 0) {
                    continue;
                }
                ExprRef const symbolic =
                    constantFirst ? pool.binary(op, c, leaf) : pool.binary(op, leaf, c);
                ExprRef const fourteen = pool.constant(14);
                ExprRef const folded =
                    constantFirst ? pool.binary(op, c, fourteen) : pool.binary(op, fourteen, c);
                EXPECT_EQ(valueOf(pool, symbolic), pool.constantOr(folded, -999))
                    << pool.toText(symbolic);
            }
        }
    }
}

TEST(ExprPool, ErrorsOfArithmetic) {
    ExprPool pool;
    ExprRef const most = pool.constant(std::numeric_limits<int64_t>::max());
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { pool.binary(ExprOp::kProd, most, pool.constant(2)); }),
                HasSubstr("overflows"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { pool.binary(ExprOp::kSum, most, pool.constant(1)); }),
                HasSubstr("overflows"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { pool.binary(ExprOp::kFloorDiv, most, pool.constant(0)); }),
                HasSubstr("division of 9223372036854775807 by an extent that is 0"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument,
                        [&] { pool.binary(ExprOp::kInputExtent, most, most); }),
                HasSubstr("unknown dimension operation"));
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument,
                [&] { pool.binary(static_cast<nvinfer1::DimensionOperation>(99), most, most); }),
        HasSubstr("unknown dimension operation"));
}

TEST(ExprPool, DividingByAnExtentOfZeroFailsWhenEvaluated) {
    ExprPool pool;
    ExprRef const zero = pool.inputExtent(0, 0);
    pool.binary(ExprOp::kCeilDiv, pool.constant(5), zero);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { valueOf(pool, zero); }),
                HasSubstr("division of 5 by an extent that is 0"));
}

TEST(ExprPool, DimensionOperationsOfTheApi) {
    ExprPool pool;
    ExprRef const seven = pool.constant(7);
    ExprRef const two = pool.constant(2);
    auto const apply = [&](nvinfer1::DimensionOperation op) {
        return pool.constantOr(pool.binary(op, seven, two), -999);
    };
    using nvinfer1::DimensionOperation;
    EXPECT_EQ(apply(DimensionOperation::kSUM), 9);
    EXPECT_EQ(apply(DimensionOperation::kPROD), 14);
    EXPECT_EQ(apply(DimensionOperation::kMAX), 7);
    EXPECT_EQ(apply(DimensionOperation::kMIN), 2);
    EXPECT_EQ(apply(DimensionOperation::kSUB), 5);
    EXPECT_EQ(apply(DimensionOperation::kEQUAL), 0);
    EXPECT_EQ(apply(DimensionOperation::kLESS), 0);
    EXPECT_EQ(apply(DimensionOperation::kFLOOR_DIV), 3);
    EXPECT_EQ(apply(DimensionOperation::kCEIL_DIV), 4);
}

TEST(ShapeExpr, KnownDimsShowUnknownExtents) {
    ExprPool pool;
    ShapeExpr shape = constantShape(pool, makeDims({2, 3}));
    EXPECT_EQ(toText(knownDims(pool, shape)), "[2,3]");
    shape[0] = pool.inputExtent(0, 0);
    EXPECT_EQ(toText(knownDims(pool, shape)), "[-1,3]");
    EXPECT_FALSE(shape == constantShape(pool, makeDims({2, 3})));
    EXPECT_EQ(pool.toText(pool.binary(ExprOp::kSum, shape[0], shape[1])), "(3 + in0.d0)");
}

} // namespace
} // namespace kiln::graph
