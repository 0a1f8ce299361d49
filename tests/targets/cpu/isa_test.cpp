// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/isa.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::targets::cpu {
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
    std::vector<float> x{-inf, -1000.0F, -88.0F, 0.0F, 89.0F, 1000.0F, inf};
    std::vector<float> y(x.size());
    GetParam().exp(x.data(), 0.0F, y.data(), static_cast<int64_t>(x.size()));
    EXPECT_EQ(y, (std::vector<float>{0.0F, 0.0F, 0.0F, 1.0F, inf, inf, inf}));
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
        EXPECT_NEAR(sum, expected, 1e-5);
        EXPECT_EQ(isa.maximum(x.data(), count), largest);
    }
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
