// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/real_operation.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::graph {
namespace {

using test::errorOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Every leaf has the same value.
class Leaf : public LeafValues {
public:
    explicit Leaf(int64_t value) : value_(value) {}
    int64_t leaf(ExprNode const&) const override { return value_; }

private:
    int64_t value_;
};

class LeafRange : public LeafRanges {
public:
    explicit LeafRange(Interval range) : range_(range) {}
    Interval leaf(ExprNode const&) const override { return range_; }

private:
    Interval range_;
};

struct Sample {
    ExprPool pool;
    ExprRef x = pool.inputExtent(0, 0);

    ExprRef scaled(double factor) { return pool.binary(ExprOp::kProd, x, pool.real(factor)); }
    int64_t at(ExprRef ref, int64_t value) const {
        std::vector<int64_t> values(pool.nodes().size());
        evaluate(pool.nodes(), Leaf(value), values);
        return values[static_cast<std::size_t>(ref)];
    }
    Interval over(ExprRef ref, int64_t low, int64_t high) const {
        return Intervals(pool.nodes(), pool.forms(), LeafRange({low, high})).of(ref);
    }
};

TEST(RealOperation, RoundsToIntegers) {
    Sample s;
    ExprRef const half = s.scaled(0.5);
    EXPECT_TRUE(s.pool.isReal(half));
    ExprRef const floor = s.pool.unary(ExprOp::kFloor, half);
    ExprRef const ceil = s.pool.unary(ExprOp::kCeil, half);
    ExprRef const round = s.pool.unary(ExprOp::kRound, half);
    EXPECT_FALSE(s.pool.isReal(floor));
    for (int64_t const value : {-5, -3, -1, 0, 1, 3, 5, 6}) {
        double const exact = static_cast<double>(value) / 2;
        EXPECT_EQ(s.at(floor, value), std::floor(exact));
        EXPECT_EQ(s.at(ceil, value), std::ceil(exact));
        EXPECT_EQ(s.at(round, value), std::nearbyint(exact));
    }
}

TEST(RealOperation, FoldsConstantsAndConversions) {
    Sample s;
    ExprPool& pool = s.pool;
    EXPECT_EQ(pool.binary(ExprOp::kRealDiv, pool.constant(1), pool.constant(4)), pool.real(0.25));
    EXPECT_EQ(pool.unary(ExprOp::kFloor, pool.real(2.75)), pool.constant(2));
    EXPECT_EQ(pool.unary(ExprOp::kFloor, pool.unary(ExprOp::kToReal, s.x)), s.x);
    EXPECT_EQ(pool.unary(ExprOp::kFloor, s.x), s.x);
    EXPECT_EQ(pool.unary(ExprOp::kFloor, s.scaled(1.0)), s.x);
    EXPECT_EQ(pool.real(-0.0), pool.real(0.0));
    EXPECT_EQ(pool.unary(ExprOp::kSingle, pool.real(0.1)), pool.real(0.1F));
    ExprRef const single = pool.unary(ExprOp::kSingle, s.scaled(0.1));
    EXPECT_EQ(pool.unary(ExprOp::kSingle, single), single);
    EXPECT_EQ(pool.toText(single), "float32((real(in0.d0) * 0.1))");
}

TEST(RealOperation, FloatProductsRoundAsInFloat) {
    // 10 * 0.7f is 6.99999988 in double and 7 in float, which is what ONNX Runtime computes.
    Sample s;
    ExprRef const product = s.scaled(0.7F);
    EXPECT_EQ(s.at(s.pool.unary(ExprOp::kFloor, product), 10), 6);
    ExprRef const single = s.pool.unary(ExprOp::kSingle, product);
    EXPECT_EQ(s.at(s.pool.unary(ExprOp::kFloor, single), 10), 7);
}

TEST(RealOperation, HostileNumbers) {
    Sample s;
    auto const errorAt = [&](ExprRef ref, int64_t value) {
        return errorOf(ErrorKind::kInvalidArgument, [&] { s.at(ref, value); });
    };
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { s.pool.real(std::nan("")); }),
                HasSubstr("expected a finite number, got nan"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { s.pool.real(-kInfinity); }),
                HasSubstr("expected a finite number, got -inf"));
    EXPECT_THAT(errorAt(s.pool.unary(ExprOp::kFloor, s.scaled(1e300)), 1),
                HasSubstr("expected an integer of 64 bits, got 1e+300"));
}

TEST(RealOperation, NumbersThatAreNotFiniteFailWhenEvaluated) {
    Sample s;
    ExprRef const one = s.pool.real(1.0);
    s.pool.binary(ExprOp::kRealDiv, one, s.x);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { s.at(one, 0); }),
                HasSubstr("expected a finite number, got inf"));
    EXPECT_THROW(applyReal(ExprOp::kRealProd, realBits(1e300), realBits(1e300)), Error);
    EXPECT_THROW(applyReal(ExprOp::kSingle, realBits(1e300), realBits(1e300)), Error);
    EXPECT_THROW(applyReal(ExprOp::kFloor, realBits(0x1p63), realBits(0x1p63)), Error);
    EXPECT_EQ(applyReal(ExprOp::kFloor, realBits(-0x1p63), realBits(-0x1p63)),
              std::numeric_limits<int64_t>::min());
}

TEST(RealOperation, Bounds) {
    Sample s;
    auto const floorOver = [&](ExprRef ref, int64_t low, int64_t high) {
        Interval const found = s.over(s.pool.unary(ExprOp::kFloor, ref), low, high);
        return fmt::format("{} to {}", found.low, found.high);
    };
    EXPECT_EQ(floorOver(s.scaled(1.5), -3, 7), "-5 to 10");
    EXPECT_EQ(floorOver(s.scaled(-1.5), -3, 7), "-11 to 4");
    ExprRef const inverse = s.pool.binary(ExprOp::kRealDiv, s.pool.real(9.0), s.x);
    EXPECT_EQ(floorOver(inverse, 2, 4), "2 to 4");
    EXPECT_EQ(floorOver(inverse, -4, -2), "-5 to -3");
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(floorOver(inverse, 0, 4), fmt::format("0 to {}", kMost));
    EXPECT_EQ(floorOver(inverse, -1, 4), fmt::format("{} to {}", -kMost - 1, kMost));
    EXPECT_EQ(floorOver(s.scaled(1e308), -100, 100), fmt::format("{} to {}", -kMost - 1, kMost));
    ExprRef const limited = s.pool.binary(ExprOp::kMin, s.scaled(2.5), s.pool.real(20.5));
    EXPECT_EQ(floorOver(limited, 1, 100), "2 to 20");
    EXPECT_EQ(floorOver(s.pool.binary(ExprOp::kSub, s.scaled(0.5), s.scaled(0.25)), 0, 8),
              "-2 to 4");
}

} // namespace
} // namespace kiln::graph
