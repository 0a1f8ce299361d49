// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/isa.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::targets::cpu {

/// For the messages of failed tests.
void PrintTo(Isa const& isa, std::ostream* out) {
    *out << isa.name;
}

namespace {

std::vector<float> randomFloats(std::size_t count) {
    static std::mt19937 engine(7);
    std::uniform_real_distribution<float> pick(-2.0F, 2.0F);
    std::vector<float> values(count);
    for (float& value : values) {
        value = pick(engine);
    }
    return values;
}

/// Runs for every instruction set of this machine, not for the best one only.
class IsaFunctions : public testing::TestWithParam<Isa> {};

TEST_P(IsaFunctions, TileProductsOfEverySize) {
    Isa const& isa = GetParam();
    for (int64_t rows = 1; rows <= 26; ++rows) {
        for (int64_t const columns : {1, 8, 31, 32, 33, 64}) {
            int64_t const depth = 1 + rows * 5 % 17;
            auto const a = randomFloats(static_cast<std::size_t>(rows * (depth + 3)));
            auto const b = randomFloats(static_cast<std::size_t>(depth * (kTileColumns + 1)));
            auto c = randomFloats(static_cast<std::size_t>((rows + 1) * kTileColumns));
            auto const before = c;
            isa.tileProduct(rows, columns, depth, a.data(), depth + 3, b.data(), kTileColumns + 1,
                            c.data());
            for (int64_t row = 0; row <= rows; ++row) {
                for (int64_t column = 0; column < kTileColumns; ++column) {
                    auto const at = static_cast<std::size_t>(row * kTileColumns + column);
                    double expected = before[at];
                    for (int64_t k = 0; k < depth && row < rows; ++k) {
                        expected += double{a[static_cast<std::size_t>(row * (depth + 3) + k)]} *
                                    b[static_cast<std::size_t>(k * (kTileColumns + 1) + column)];
                    }
                    if (row < rows && column < columns) {
                        ASSERT_NEAR(c[at], expected, 1e-5) << rows << "x" << columns;
                    } else if (row == rows || column >= (columns + 31) / 32 * 32) {
                        ASSERT_EQ(c[at], before[at]) << "outside of " << rows << "x" << columns;
                    }
                }
            }
        }
    }
}

TEST_P(IsaFunctions, StreamProductsOfEverySize) {
    Isa const& isa = GetParam();
    for (int64_t rows = 1; rows <= 26; ++rows) {
        for (int64_t pieces = 1; pieces <= 6; ++pieces) {
            int64_t const depth = 1 + rows * 5 % 17;
            int64_t const step = depth * kStreamColumns + 7;
            auto const a = randomFloats(static_cast<std::size_t>(rows * (depth + 3)));
            auto const b = randomFloats(static_cast<std::size_t>(pieces * step));
            auto c = randomFloats(static_cast<std::size_t>((pieces * rows + 1) * kStreamColumns));
            auto const before = c;
            isa.streamProduct(rows, pieces, depth, a.data(), depth + 3, b.data(), step, c.data());
            for (std::size_t i = 0; i < c.size(); ++i) {
                auto const at = static_cast<int64_t>(i) / kStreamColumns;
                double expected = before[i];
                for (int64_t k = 0; k < depth && at < pieces * rows; ++k) {
                    int64_t const from = at / rows * step + k * kStreamColumns +
                                         static_cast<int64_t>(i) % kStreamColumns;
                    expected += double{a[static_cast<std::size_t>(at % rows * (depth + 3) + k)]} *
                                b[static_cast<std::size_t>(from)];
                }
                ASSERT_NEAR(c[i], expected, at < pieces * rows ? 1e-5 : 0.0)
                    << rows << " rows, " << pieces << " pieces, element " << i;
            }
        }
    }
}

TEST_P(IsaFunctions, StridedProductsOfEverySize) {
    Isa const& isa = GetParam();
    for (int64_t rows = 1; rows <= 26; ++rows) {
        for (int64_t const columns : {1, 32, 33, 64}) {
            int64_t const depth = 1 + rows * 5 % 17;
            for (bool const adds : {false, true}) {
                // Rows of the left operand, or its columns, are dense.
                int64_t const rowStep = adds ? 1 : depth + 2;
                int64_t const depthStep = adds ? rows + 3 : 1;
                auto const a = randomFloats(static_cast<std::size_t>((rows + 3) * (depth + 2)));
                auto const b = randomFloats(static_cast<std::size_t>(depth * kTileColumns));
                auto c = randomFloats(static_cast<std::size_t>(rows * kTileColumns));
                auto const before = c;
                isa.stridedProduct[adds ? 1 : 0](rows, columns, depth, a.data(), rowStep, depthStep,
                                                 b.data(), c.data());
                for (int64_t i = 0; i < rows * kTileColumns; ++i) {
                    auto const at = static_cast<std::size_t>(i);
                    int64_t const row = i / kTileColumns;
                    int64_t const column = i % kTileColumns;
                    double expected = adds ? before[at] : 0.0;
                    for (int64_t k = 0; k < depth; ++k) {
                        expected +=
                            double{a[static_cast<std::size_t>(row * rowStep + k * depthStep)]} *
                            b[static_cast<std::size_t>(k * kTileColumns + column)];
                    }
                    if (column < columns) {
                        ASSERT_NEAR(c[at], expected, 1e-5) << rows << "x" << columns;
                    } else if (column >= (columns + 31) / 32 * 32) {
                        ASSERT_EQ(c[at], before[at]) << "outside of " << rows << "x" << columns;
                    }
                }
            }
        }
    }
}

TEST_P(IsaFunctions, StepsOfASoftmaxAreOneSoftmax) {
    Isa const& isa = GetParam();
    constexpr int64_t kKeys = 23;
    std::vector<float> scores = randomFloats(kKeys * kTileColumns);
    auto const numbers = randomFloats(kKeys);
    auto const plain = scores;
    isa.addToRows(kKeys, kTileColumns, numbers.data(), scores.data());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        ASSERT_EQ(scores[i], plain[i] + numbers[i / kTileColumns]);
    }
    scores[0] = scores[1] = -std::numeric_limits<float>::infinity();
    for (std::size_t key = 0; key < 9; ++key) { // no key in the first steps
        scores[key * kTileColumns + 5] = -std::numeric_limits<float>::infinity();
    }
    auto const original = scores;
    std::vector<float> maxima(kTileColumns, -std::numeric_limits<float>::infinity());
    std::vector<float> sums(kTileColumns, 0.0F);
    std::vector<float> factors(kTileColumns);
    for (int64_t first = 0; first < kKeys; first += 6) {
        int64_t const count = std::min<int64_t>(6, kKeys - first);
        isa.softmaxStep(count, kTileColumns, scores.data() + first * kTileColumns, maxima.data(),
                        sums.data(), factors.data());
        isa.scaleColumns(first, kTileColumns, factors.data(), scores.data());
    }
    for (std::size_t column = 0; column < kTileColumns; ++column) {
        double sum = 0.0;
        for (std::size_t key = 0; key < kKeys; ++key) {
            sum += std::exp(double{original[key * kTileColumns + column]});
        }
        for (std::size_t key = 0; key < kKeys; ++key) {
            std::size_t const at = key * kTileColumns + column;
            ASSERT_NEAR(scores[at] / sums[column], std::exp(double{original[at]}) / sum, 1e-6)
                << key << ", " << column;
        }
    }
}

TEST_P(IsaFunctions, DotsAndWeightedSumsOfEverySize) {
    Isa const& isa = GetParam();
    for (int64_t size = 1; size <= 70; ++size) {
        int64_t const count = 1 + size * 7 % 19;
        int64_t const step = size + 3;
        auto const x = randomFloats(static_cast<std::size_t>(std::max(size, count)));
        auto const y = randomFloats(static_cast<std::size_t>(count * step));
        auto dots = randomFloats(static_cast<std::size_t>(count) + 1);
        auto sums = randomFloats(static_cast<std::size_t>(size) + 1);
        auto const dotsBefore = dots;
        auto const sumsBefore = sums;
        isa.dots(x.data(), y.data(), step, size, count, dots.data());
        isa.weightedSum(x.data(), count, y.data(), step, size, sums.data());
        std::vector<double> expected(sumsBefore.begin(), sumsBefore.end());
        for (int64_t row = 0; row < count; ++row) {
            double dot = 0.0;
            for (int64_t i = 0; i < size; ++i) {
                double const factor = y[static_cast<std::size_t>(row * step + i)];
                dot += x[static_cast<std::size_t>(i)] * factor;
                expected[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(row)] * factor;
            }
            ASSERT_NEAR(dots[static_cast<std::size_t>(row)], dot, 1e-5 * double(size)) << size;
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            ASSERT_NEAR(sums[i], expected[i], 1e-4) << size;
        }
        ASSERT_EQ(dots.back(), dotsBefore.back());
    }
}

TEST_P(IsaFunctions, HalvesAreConvertedAsByTheDefinition) {
    Isa const& isa = GetParam();
    std::vector<Half> halves(0x10000);
    for (std::size_t i = 0; i < halves.size(); ++i) {
        halves[i].bits = static_cast<uint16_t>(i);
    }
    std::vector<float> floats(halves.size());
    isa.halfToFloat(halves.data(), floats.data(), static_cast<int64_t>(halves.size()));
    for (std::size_t i = 0; i < halves.size(); ++i) {
        float const expected = static_cast<float>(halves[i]);
        ASSERT_TRUE(floats[i] == expected || (std::isnan(floats[i]) && std::isnan(expected))) << i;
    }
    // The floats around the middle between two halves: the middle and its neighbours.
    std::vector<float> between;
    for (uint16_t bits = 0; bits < 0x7BFF; ++bits) {
        float const middle = (halfToFloat(bits) + halfToFloat(static_cast<uint16_t>(bits + 1))) / 2;
        for (float const value :
             {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, 1e9F)}) {
            between.push_back(value);
            between.push_back(-value);
        }
    }
    between.insert(between.end(), {65519.0F, 65520.0F, 1e30F, -INFINITY, 0.0F, -0.0F});
    std::vector<Half> back(between.size());
    isa.floatToHalf(between.data(), back.data(), static_cast<int64_t>(between.size()));
    for (std::size_t i = 0; i < between.size(); ++i) {
        ASSERT_EQ(back[i].bits, floatToHalf(between[i])) << between[i];
    }
}

TEST_P(IsaFunctions, ConversionsOfAnyLength) {
    Isa const& isa = GetParam();
    for (int64_t count = 0; count < 20; ++count) {
        std::vector<float> const from = randomFloats(20);
        std::vector<Half> to(20, Half(9.0F));
        isa.floatToHalf(from.data(), to.data(), count);
        std::vector<float> again(20, 9.0F);
        isa.halfToFloat(to.data(), again.data(), count);
        for (int64_t i = 0; i < 20; ++i) {
            auto const at = static_cast<std::size_t>(i);
            EXPECT_NEAR(again[at], i < count ? from[at] : 9.0F, 1e-3) << count;
            EXPECT_EQ(to[at].bits == Half(9.0F).bits, i >= count);
        }
    }
}

TEST_P(IsaFunctions, ExponentialsAreGoodToTwoUnits) {
    Isa const& isa = GetParam();
    std::vector<float> x;
    for (int i = -87000; i <= 88700; i += 7) {
        x.push_back(static_cast<float>(i) / 1000.0F);
    }
    std::vector<float> y(x.size());
    isa.exp(x.data(), 0.0F, y.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const expected = std::exp(static_cast<double>(x[i]));
        ASSERT_NEAR(y[i] / expected, 1.0, 2.5e-7) << x[i];
    }
}

TEST_P(IsaFunctions, ExponentialsOfExtremes) {
    float const inf = INFINITY;
    std::vector<float> x{-inf, -1000.0F, -104.0F, 0.0F, 89.0F, 1000.0F, inf, -100.0F};
    std::vector<float> y(x.size());
    GetParam().exp(x.data(), 0.0F, y.data(), static_cast<int64_t>(x.size()));
    float const subnormal = std::exp(-100.0F);
    EXPECT_EQ(y, (std::vector<float>{0.0F, 0.0F, 0.0F, 1.0F, inf, inf, inf, subnormal}));
    std::vector<float> nan(20, std::nanf(""));
    GetParam().exp(nan.data(), 1.0F, nan.data(), 20);
    for (float const value : nan) {
        EXPECT_TRUE(std::isnan(value));
    }
}

TEST_P(IsaFunctions, ExponentialsAndMaximumOfAnyLength) {
    Isa const& isa = GetParam();
    for (int64_t count = 0; count < 40; ++count) {
        std::vector<float> const x = randomFloats(40);
        std::vector<float> y(40, 9.0F);
        float const sum = isa.exp(x.data(), 0.5F, y.data(), count);
        double expected = 0.0;
        float largest = -INFINITY;
        for (int64_t i = 0; i < 40; ++i) {
            auto const at = static_cast<std::size_t>(i);
            double const value = i < count ? std::exp(double{x[at]} - 0.5) : 9.0;
            EXPECT_NEAR(y[at], value, 1e-6 * value) << count;
            expected += i < count ? value : 0.0;
            largest = i < count ? std::max(largest, x[at]) : largest;
        }
        EXPECT_NEAR(sum, expected, 1e-6 * expected); // a few roundings of float32
        EXPECT_EQ(isa.maximum(x.data(), count), largest);
    }
}

/// Distance between neighbouring floats at a value.
double ulpAt(double value) {
    auto const magnitude = std::min(static_cast<float>(std::fabs(value)), 3e38F);
    return static_cast<double>(std::nextafter(magnitude, INFINITY)) -
           static_cast<double>(magnitude);
}

struct Precision {
    MapFunction function;
    double (*exact)(double);
    double units; ///< largest error, in units in the last place
    float a = 1.0F;
};

/// One float in 4001, of either sign and every magnitude, and the special ones.
std::vector<float> floatsOfEverySize() {
    std::vector<float> x{0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e-45F, -1e-45F, 1e5F, 99999.0F};
    for (uint64_t bits = 0; bits < uint64_t{1} << 32U; bits += 4001) {
        x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    return x;
}

TEST_P(IsaFunctions, FunctionsAreAsExactAsTheySay) {
    Precision const functions[] = {
        {MapFunction::kExp, std::exp, 2},
        {MapFunction::kElu, [](double x) { return x < 0 ? std::expm1(x) : x; }, 3},
        {MapFunction::kLog, std::log, 2},
        {MapFunction::kTanh, std::tanh, 7},
        {MapFunction::kSigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, 4},
        {MapFunction::kSoftplus,
         [](double x) {
             return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : std::isnan(x) ? x : 0.0);
         },
         4},
        {MapFunction::kErf, std::erf, 4},
        {MapFunction::kSin, std::sin, 2},
        {MapFunction::kCos, std::cos, 2},
        {MapFunction::kSqrt, std::sqrt, 1},
        {MapFunction::kRecip, [](double x) { return 1.0 / x; }, 1},
        {MapFunction::kFloor, std::floor, 0},
        {MapFunction::kCeil, std::ceil, 0},
        {MapFunction::kRound, std::nearbyint, 0},
        {MapFunction::kPower, [](double x) { return std::pow(x, 0.75); }, 1, 0.75F},
        {MapFunction::kPower, [](double x) { return std::pow(x, -3.0); }, 1, -3.0F},
        {MapFunction::kRootOfPower, [](double x) { return std::pow(x, 0.5); }, 1},
    };
    static std::vector<float> const x = floatsOfEverySize();
    std::vector<float> y(x.size());
    for (Precision const& test : functions) {
        auto const number = static_cast<std::size_t>(test.function);
        GetParam().maps[number](x.data(), y.data(), static_cast<int64_t>(x.size()), test.a, 1.0F);
        for (std::size_t i = 0; i < x.size(); ++i) {
            double const exact = test.exact(static_cast<double>(x[i]));
            if (std::isnan(exact)) {
                ASSERT_TRUE(std::isnan(y[i])) << number << " of " << x[i];
            } else if (std::isinf(static_cast<float>(exact))) {
                ASSERT_EQ(y[i], static_cast<float>(exact)) << number << " of " << x[i];
            } else {
                ASSERT_LE(std::fabs(y[i] - exact), test.units * ulpAt(exact))
                    << number << " of " << x[i] << ": got " << y[i];
            }
        }
    }
}

TEST_P(IsaFunctions, GelusAreExactToTheirArgument) {
    std::vector<float> x{0.0F, INFINITY, -1e30F, -6.5F, 7.0F};
    for (float value = -8.0F; value < 8.0F; value += 1e-4F) {
        x.push_back(value);
    }
    std::vector<float> y(x.size());
    for (bool const erf : {true, false}) {
        auto const function = erf ? MapFunction::kGeluErf : MapFunction::kGeluTanh;
        GetParam().maps[static_cast<std::size_t>(function)](
            x.data(), y.data(), static_cast<int64_t>(x.size()), 0.0F, 0.0F);
        for (std::size_t i = 0; i < x.size(); ++i) {
            double const wide = x[i];
            double const u =
                std::sqrt(2.0 / std::acos(-1.0)) * (wide + 0.044715 * wide * wide * wide);
            double const exact = wide < -1e3 ? 0.0
                                 : erf       ? 0.5 * wide * std::erfc(-wide * std::sqrt(0.5))
                                             : wide / (1.0 + std::exp(-2.0 * u));
            double const limit = wide > -1.0 ? 4.0 * ulpAt(exact) : 0x1p-23 * -wide;
            ASSERT_TRUE(std::fabs(y[i] - exact) <= limit || (std::isinf(wide) && y[i] == wide))
                << wide << ": expected " << exact << ", got " << y[i];
        }
    }
}

TEST_P(IsaFunctions, PowersOfTwoArrays) {
    std::vector<float> x;
    std::vector<float> y;
    for (float const base : {0.0F, -0.0F, 1.0F, -1.0F, 2.5F, -2.5F, 1e-40F, 3e38F, INFINITY,
                             -INFINITY, NAN, 0.9F, 1.1F, 1e-20F}) {
        for (float const exponent : {0.0F, 1.0F, -1.0F, 0.5F, 2.0F, 3.0F, -7.0F, 80.5F, -300.0F,
                                     1e30F, INFINITY, -INFINITY, NAN}) {
            x.push_back(base);
            y.push_back(exponent);
        }
    }
    std::vector<float> z(x.size());
    auto const number = static_cast<std::size_t>(CombineFunction::kPower);
    GetParam().combines[number][0](x.data(), y.data(), z.data(), static_cast<int64_t>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto const exact = std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
        if (std::isnan(exact) || std::isinf(static_cast<float>(exact))) {
            ASSERT_TRUE(std::isnan(exact) ? std::isnan(z[i]) : z[i] == static_cast<float>(exact))
                << x[i] << "^" << y[i] << ": got " << z[i];
        } else {
            ASSERT_LE(std::fabs(z[i] - exact), ulpAt(exact)) << x[i] << "^" << y[i];
        }
    }
}

TEST_P(IsaFunctions, FoldsAndMomentsOfAnyLength) {
    Isa const& isa = GetParam();
    for (int64_t count = 1; count < 300; count += count < 80 ? 1 : 13) {
        std::vector<float> const x = randomFloats(static_cast<std::size_t>(count));
        double expected[4] = {0.0, 1.0, -INFINITY, INFINITY};
        double squares = 0.0;
        for (float const value : x) {
            expected[0] += value;
            expected[1] *= value;
            expected[2] = std::fmax(expected[2], value);
            expected[3] = std::fmin(expected[3], value);
            squares += double{value} * value;
        }
        for (std::size_t fold = 0; fold < 4; ++fold) {
            // Sums of four elements are floats.
            EXPECT_NEAR(isa.folds[fold](x.data(), count), expected[fold],
                        fold == 0 ? 1e-7 * static_cast<double>(count)
                                  : 1e-12 * (1.0 + std::fabs(expected[fold])));
            std::vector<double> totals(x.size(), 0.5);
            isa.accumulates[fold](totals.data(), x.data(), count);
            double const last = x.back();
            double const combined[4] = {0.5 + last, 0.5 * last, std::fmax(0.5, last),
                                        std::fmin(0.5, last)};
            EXPECT_EQ(totals.back(), combined[fold]);
        }
        RowMoments const moments = isa.moments(x.data(), count);
        double const mean = expected[0] / static_cast<double>(count);
        EXPECT_NEAR(moments.mean, mean, 1e-12);
        EXPECT_NEAR(moments.variance, squares / static_cast<double>(count) - mean * mean, 1e-12);
        EXPECT_NEAR(isa.sumOfSquares(x.data(), count), squares, 1e-12 * squares);
        std::vector<float> y(x.size());
        isa.normalize(x.data(), 0.5, 2.0, x.data(), nullptr, y.data(), count);
        EXPECT_NEAR(y.back(), (x.back() - 0.5F) * 2.0F * x.back(), 1e-5);
    }
    float const numbers[] = {1.0F, NAN, 2.0F};
    EXPECT_TRUE(std::isnan(isa.folds[2](numbers, 3)));
    std::vector<float> const large(256, 3e38F);
    EXPECT_NEAR(isa.folds[0](large.data(), 256), 256 * double{3e38F}, 1e32);
}

TEST_P(IsaFunctions, SlidesOfAnyWindow) {
    std::vector<float> const x = randomFloats(600);
    for (int64_t const stride : {1, 2, 3}) {
        for (int64_t const taps : {1, 2, 5}) {
            for (int64_t const spacing : {1, 7}) {
                for (int64_t const count : {1, 15, 16, 40}) {
                    std::vector<float> sums(200);
                    std::vector<float> largest(200);
                    GetParam().slideSum(x.data(), taps, spacing, stride, sums.data(), count);
                    GetParam().slideMaximum(x.data(), taps, spacing, stride, largest.data(), count);
                    for (int64_t i = 0; i < count; ++i) {
                        float sum = 0.0F;
                        float most = -INFINITY;
                        for (int64_t k = 0; k < taps; ++k) {
                            float const value =
                                x[static_cast<std::size_t>(i * stride + k * spacing)];
                            sum += value;
                            most = std::max(most, value);
                        }
                        ASSERT_NEAR(sums[static_cast<std::size_t>(i)], sum, 1e-5);
                        ASSERT_EQ(largest[static_cast<std::size_t>(i)], most);
                    }
                    if (stride == 1) {
                        ASSERT_EQ(sums[static_cast<std::size_t>(count)], 0.0F);
                    }
                }
            }
        }
    }
}

TEST_P(IsaFunctions, IntegersSaturate) {
    std::vector<float> const x{NAN,   INFINITY,      -INFINITY,      127.9F,  -128.9F,  300.0F,
                               -0.9F, 2147483520.0F, -2147483648.0F, 9.3e18F, -9.3e18F, 0.0F,
                               -0.0F, 1e-9F,         255.5F,         17.0F,   5.5F};
    auto const check = [&]<typename Whole>(WholeType type, Whole) {
        std::vector<Whole> whole(x.size());
        GetParam().floatToWhole[static_cast<std::size_t>(type)](x.data(), whole.data(),
                                                                static_cast<int64_t>(x.size()));
        std::vector<float> back(x.size());
        GetParam().wholeToFloat[static_cast<std::size_t>(type)](whole.data(), back.data(),
                                                                static_cast<int64_t>(x.size()));
        using Limits = std::numeric_limits<Whole>;
        for (std::size_t i = 0; i < x.size(); ++i) {
            auto const wide = static_cast<long double>(x[i]);
            Whole const expected = std::isnan(x[i])                                  ? Whole{0}
                                   : wide >= static_cast<long double>(Limits::max()) ? Limits::max()
                                   : wide <= static_cast<long double>(Limits::min())
                                       ? Limits::min()
                                       : static_cast<Whole>(x[i]);
            EXPECT_EQ(whole[i], expected) << x[i];
            EXPECT_EQ(back[i], static_cast<float>(expected));
        }
    };
    check(WholeType::kInt8, int8_t{});
    check(WholeType::kUint8, uint8_t{});
    check(WholeType::kInt32, int32_t{});
    check(WholeType::kInt64, int64_t{});
}

TEST_P(IsaFunctions, TransposesOfAnySize) {
    for (int64_t const rows : {1, 3, 8, 17, 24}) {
        for (int64_t const columns : {1, 7, 8, 16, 19}) {
            std::vector<uint32_t> from(static_cast<std::size_t>(rows * (columns + 2)));
            std::vector<uint16_t> narrow(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) {
                from[i] = static_cast<uint32_t>(i);
                narrow[i] = static_cast<uint16_t>(i);
            }
            std::vector<uint32_t> to(static_cast<std::size_t>(columns * rows));
            std::vector<uint16_t> narrowTo(to.size());
            GetParam().transpose32(from.data(), columns + 2, to.data(), rows, rows, columns);
            GetParam().transpose16(narrow.data(), columns + 2, narrowTo.data(), rows, rows,
                                   columns);
            for (int64_t i = 0; i < rows * columns; ++i) {
                auto const expected = i % rows * (columns + 2) + i / rows;
                ASSERT_EQ(to[static_cast<std::size_t>(i)], expected);
                ASSERT_EQ(narrowTo[static_cast<std::size_t>(i)], expected);
            }
        }
    }
}

TEST_P(IsaFunctions, StoresPastCachesGiveTheSame) {
    Isa const& isa = GetParam();
    constexpr int64_t kMost = 70;
    std::vector<float> const x = randomFloats(kMost);
    std::vector<float> const y = randomFloats(kMost);
    int functions = 0;
    auto const check = [&](auto const& usual, auto const& pastCaches) {
        ++functions;
        for (int64_t first = 0; first < 17; ++first) { // any place within a cache line
            for (int64_t const count : {0, 1, 3, 15, 16, 17, 40, 53}) {
                std::vector<float> expected(kMost, -7.0F);
                alignas(64) std::array<float, kMost> got;
                got.fill(-7.0F);
                usual(x.data(), y.data(), expected.data() + first, count);
                pastCaches(x.data(), y.data(), got.data() + first, count);
                isa.endPastCaches();
                for (std::size_t i = 0; i < kMost; ++i) { // the neighbours stay as they are
                    ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(expected[i]))
                        << first << " " << count << " " << i;
                }
            }
        }
    };
    for (std::size_t function = 0; function < kMapFunctions; ++function) {
        if (isa.mapsPastCaches[function] != nullptr) {
            auto const with = [&](Map map) {
                return [map](float const* from, float const*, float* to, int64_t count) {
                    map(from, to, count, 0.5F, 1.5F);
                };
            };
            check(with(isa.maps[function]), with(isa.mapsPastCaches[function]));
        }
    }
    for (std::size_t function = 0; function < kCombineFunctions; ++function) {
        for (std::size_t form = 0; form < 3; ++form) {
            if (isa.combinesPastCaches[function][form] != nullptr) {
                check(isa.combines[function][form], isa.combinesPastCaches[function][form]);
            }
        }
    }
    EXPECT_GT(functions, 20);
}

INSTANTIATE_TEST_SUITE_P(Usable, IsaFunctions,
                         testing::ValuesIn(usableIsas().begin(), usableIsas().end()),
                         [](auto const& info) {
                             std::string name = info.param.name;
                             for (char& c : name) {
                                 c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                             }
                             return name;
                         });

TEST(UsableIsas, BeginWithTheBaselineAndEndWithTheBest) {
    ASSERT_FALSE(usableIsas().empty());
    EXPECT_EQ(isa().name, usableIsas().back().name);
}

} // namespace
} // namespace kiln::targets::cpu
