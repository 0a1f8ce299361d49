// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/interval.h"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::graph {
namespace {

using test::errorOf;
using testing::HasSubstr;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// The range of extent b of input a is ranges[b].
class Ranges : public LeafRanges {
public:
    explicit Ranges(std::vector<Interval> ranges) : ranges_(std::move(ranges)) {}
    Interval leaf(ExprNode const& node) const override {
        return ranges_.at(static_cast<std::size_t>(node.b));
    }

private:
    std::vector<Interval> ranges_;
};

class Point : public LeafValues {
public:
    explicit Point(std::vector<int64_t> values) : values_(std::move(values)) {}
    int64_t leaf(ExprNode const& node) const override {
        return values_.at(static_cast<std::size_t>(node.b));
    }

private:
    std::vector<int64_t> values_;
};

/// A pool with leaves x, y and z.
struct Sample {
    ExprPool pool;
    ExprRef x = pool.inputExtent(0, 0);
    ExprRef y = pool.inputExtent(0, 1);
    ExprRef z = pool.inputExtent(0, 2);

    ExprRef c(int64_t value) { return pool.constant(value); }
    ExprRef op(ExprOp op, ExprRef a, ExprRef b) { return pool.binary(op, a, b); }
    ExprRef add(ExprRef a, ExprRef b) { return op(ExprOp::kSum, a, b); }
    ExprRef sub(ExprRef a, ExprRef b) { return op(ExprOp::kSub, a, b); }
    ExprRef mul(ExprRef a, ExprRef b) { return op(ExprOp::kProd, a, b); }
    ExprRef floorDiv(ExprRef a, ExprRef b) { return op(ExprOp::kFloorDiv, a, b); }

    Intervals over(std::vector<Interval> const& ranges) const {
        return {pool.nodes(), pool.forms(), Ranges(ranges)};
    }
    Interval of(ExprRef ref, std::vector<Interval> const& ranges) const {
        return over(ranges).of(ref);
    }
};

std::string describe(Interval interval) {
    return fmt::format("{} to {}", interval.low, interval.high);
}
#define EXPECT_INTERVAL(got, low, high) EXPECT_EQ(describe(got), describe(Interval{low, high}))

TEST(Intervals, ADifferenceIsLargestWhereNoCornerOfTheProfileIs) {
    Sample s;
    EXPECT_INTERVAL(s.of(s.sub(s.x, s.y), {{8, 64}, {0, 8}, {}}), 0, 64);
}

TEST(Intervals, SumsCollectTheirTerms) {
    Sample s;
    std::vector<Interval> const ranges{{1, 10}, {2, 5}, {0, 0}};
    ExprRef const more = s.mul(s.x, s.c(5));
    ExprRef const less = s.mul(s.x, s.c(3));
    EXPECT_INTERVAL(s.of(s.sub(more, less), ranges), 2, 20);
    EXPECT_INTERVAL(s.of(s.add(s.sub(s.x, s.y), s.y), ranges), 1, 10);
    // (x + y) - (x - y), which the pool does not know as a sum of leaves at once.
    EXPECT_INTERVAL(s.of(s.sub(s.add(s.x, s.y), s.sub(s.x, s.y)), ranges), 4, 10);
    EXPECT_INTERVAL(s.of(s.floorDiv(s.sub(s.mul(s.x, s.c(4)), s.c(8)), s.c(4)), ranges), -1, 8);
}

TEST(Intervals, ComparisonsUseTheDifference) {
    Sample s;
    std::vector<Interval> const ranges{{1, 10}, {2, 5}, {20, 30}};
    ExprRef const next = s.op(ExprOp::kMax, s.add(s.x, s.c(1)), s.y);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kLess, s.x, s.z), ranges), 1, 1);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kLess, s.z, s.x), ranges), 0, 0);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kLess, s.x, s.y), ranges), 0, 1);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kEqual, next, s.z), ranges), 0, 0);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kEqual, s.x, s.y), ranges), 0, 1);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kEqual, s.x, s.y), {{3, 3}, {3, 3}, {}}), 1, 1);
}

TEST(Intervals, AChoiceIsOneOfTheTwo) {
    Sample s;
    ExprRef const condition = s.op(ExprOp::kLess, s.x, s.c(0));
    ExprRef const rest = s.sub(s.c(1), condition);
    auto const choose = [&](ExprRef then, ExprRef otherwise) {
        return s.add(s.mul(condition, then), s.mul(rest, otherwise));
    };
    ExprRef const shifted = choose(s.add(s.x, s.y), s.x); // x < 0 ? x + y : x
    EXPECT_INTERVAL(s.of(shifted, {{-8, 8}, {10, 20}, {}}), -8, 28);
    EXPECT_INTERVAL(s.of(shifted, {{0, 8}, {10, 20}, {}}), 0, 8);
    EXPECT_INTERVAL(s.of(shifted, {{-8, -1}, {10, 20}, {}}), 2, 19);
    EXPECT_INTERVAL(s.of(choose(s.c(1), s.y), {{-8, 8}, {10, 20}, {}}), 1, 20);
    EXPECT_INTERVAL(s.of(choose(s.y, s.c(1)), {{-8, 8}, {10, 20}, {}}), 1, 20);
    EXPECT_INTERVAL(s.of(choose(s.c(5), s.c(3)), {{-8, 8}, {10, 20}, {}}), 3, 5);
}

TEST(Intervals, BoundsOutsideOf64BitsAreClamped) {
    Sample s;
    std::vector<Interval> const ranges{{0, kMost}, {1, kMost}, {-kMost - 1, kMost}};
    EXPECT_INTERVAL(s.of(s.add(s.x, s.y), ranges), 1, kMost);
    EXPECT_INTERVAL(s.of(s.mul(s.x, s.z), ranges), -kMost - 1, kMost);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kMin, s.mul(s.x, s.y), s.c(64)), ranges), 0, 64);
    // 2 x - most: the first term alone does not fit.
    ExprRef const twice = s.add(s.sub(s.x, s.c(kMost)), s.x);
    EXPECT_INTERVAL(s.of(twice, {{0, kMost}, {}, {}}), -kMost, kMost);
    EXPECT_INTERVAL(s.of(s.op(ExprOp::kTruncDiv, s.z, s.sub(s.c(0), s.y)), ranges), -kMost, kMost);
}

TEST(Intervals, ADivisorThatIsAlwaysZero) {
    Sample s;
    ExprRef const quotient = s.floorDiv(s.y, s.x);
    EXPECT_INTERVAL(s.of(quotient, {{0, 4}, {6, 9}, {}}), 1, 9);
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [&] { s.of(quotient, {{0, 0}, {6, 9}, {}}); }),
                HasSubstr("division of a number from 6 to 9 by an extent that is always 0"));
}

TEST(Intervals, SizesAreBetweenZeroAndTheirBound) {
    Sample s;
    ExprRef const size = s.pool.sizeTensor(0, s.c(3), s.mul(s.x, s.c(2)));
    EXPECT_INTERVAL(s.of(s.add(size, s.y), {{1, 10}, {1, 2}, {}}), 1, 22);
    EXPECT_INTERVAL(s.of(size, {{-5, -1}, {}, {}}), 0, 0);
}

TEST(Intervals, ElementsOfAReshapedTensor) {
    Sample s;
    std::vector<Interval> const ranges{{1, 1024}, {1, 1024}, {0, 8}};
    auto const most = [&](std::vector<ExprRef> const& extents) {
        ShapeExpr shape;
        shape.rank = static_cast<int32_t>(extents.size());
        std::copy(extents.begin(), extents.end(), shape.extent.begin());
        return s.over(ranges).mostElements(shape);
    };
    EXPECT_EQ(most({s.x, s.y}), 1024 * 1024);
    EXPECT_EQ(most({s.floorDiv(s.x, s.y), s.y}), 1024);
    EXPECT_EQ(most({s.y, s.floorDiv(s.mul(s.x, s.z), s.mul(s.y, s.c(6))), s.c(2), s.c(3)}),
              1024 * 8);
    EXPECT_EQ(most({s.c(4), s.floorDiv(s.x, s.c(4))}), 1024);
    EXPECT_EQ(most({s.c(0), s.x}), 0);
    EXPECT_EQ(most({}), 1);
    EXPECT_EQ(most({s.c(kMost), s.x}), kMost);
    EXPECT_EQ(most({s.c(kMost), s.c(kMost), s.floorDiv(s.x, s.c(4))}), kMost);
}

/// Random expressions: the value at every point of the ranges is within the interval.
TEST(Intervals, HoldEveryValue) {
    std::mt19937 random(7);
    auto const pick = [&](int64_t low, int64_t high) {
        return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    constexpr ExprOp kOps[] = {ExprOp::kSum,      ExprOp::kProd,    ExprOp::kMax,
                               ExprOp::kMin,      ExprOp::kSub,     ExprOp::kEqual,
                               ExprOp::kLess,     ExprOp::kSum,     ExprOp::kSub,
                               ExprOp::kFloorDiv, ExprOp::kCeilDiv, ExprOp::kTruncDiv};
    constexpr ExprOp kBoth[] = {ExprOp::kSum, ExprOp::kProd, ExprOp::kMax, ExprOp::kMin,
                                ExprOp::kSub};
    constexpr ExprOp kConversions[] = {ExprOp::kToReal, ExprOp::kFloor, ExprOp::kCeil,
                                       ExprOp::kRound, ExprOp::kSingle};
    for (int32_t round = 0; round < 300; ++round) {
        Sample s;
        std::vector<ExprRef> made{s.x, s.y, s.z, s.c(pick(-3, 3)), s.pool.real(0.75)};
        std::vector<ExprNode> plain(s.pool.nodes().begin(), s.pool.nodes().end());
        while (made.size() < 14) {
            auto const any = [&] {
                return made[static_cast<std::size_t>(pick(0, made.size() - 1))];
            };
            ExprRef const one = any();
            ExprRef const other = any();
            bool const reals = s.pool.isReal(one) || s.pool.isReal(other);
            int64_t const kind = pick(0, 9);
            try {
                made.push_back(kind == 0   ? s.pool.unary(kConversions[pick(0, 4)], one)
                               : kind == 1 ? s.op(ExprOp::kRealDiv, one, other)
                               : reals     ? s.op(kBoth[pick(0, std::size(kBoth) - 1)], one, other)
                                           : s.op(kOps[pick(0, std::size(kOps) - 1)], one, other));
            } catch (Error const&) { // a division by the constant 0
            }
        }
        std::vector<Interval> ranges;
        for (int32_t i = 0; i < 3; ++i) {
            int64_t const low = pick(-4, 3);
            ranges.push_back({low, pick(low, low + 3)});
        }
        std::optional<Intervals> intervals;
        try {
            intervals.emplace(s.over(ranges));
        } catch (Error const&) { // a division by what is always 0
            continue;
        }
        std::vector<int64_t> values(s.pool.nodes().size());
        for (int64_t a = ranges[0].low; a <= ranges[0].high; ++a) {
            for (int64_t b = ranges[1].low; b <= ranges[1].high; ++b) {
                for (int64_t c = ranges[2].low; c <= ranges[2].high; ++c) {
                    try {
                        evaluate(s.pool.nodes(), Point({a, b, c}), values);
                    } catch (Error const&) {
                        continue;
                    }
                    for (ExprRef const ref : made) {
                        if (s.pool.isReal(ref)) {
                            double const value = realOf(values[static_cast<std::size_t>(ref)]);
                            ASSERT_LE(realOf(intervals->of(ref).low), value) << s.pool.toText(ref);
                            ASSERT_GE(realOf(intervals->of(ref).high), value) << s.pool.toText(ref);
                            continue;
                        }
                        int64_t const value = values[static_cast<std::size_t>(ref)];
                        ASSERT_LE(intervals->of(ref).low, value) << s.pool.toText(ref);
                        ASSERT_GE(intervals->of(ref).high, value) << s.pool.toText(ref);
                    }
                }
            }
        }
    }
}

} // namespace
} // namespace kiln::graph
