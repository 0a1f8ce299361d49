// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/bfloat16.h"

namespace kiln {
namespace {

/// The value of the bits by the definition of binary16.
double definition(uint16_t bits) {
    int const exponent = bits >> 10 & 31;
    double const fraction = (bits & 1023) / 1024.0;
    double const sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction == 0.0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    }
    return exponent == 0 ? sign * std::ldexp(fraction, -14)
                         : sign * std::ldexp(1.0 + fraction, exponent - 15);
}

TEST(Half, EveryValueToFloat) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        auto const half = static_cast<uint16_t>(bits);
        double const expected = definition(half);
        float const got = halfToFloat(half);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(got)) << bits;
        } else {
            EXPECT_EQ(static_cast<double>(got), expected) << bits;
            EXPECT_EQ(std::signbit(got), std::signbit(expected)) << bits;
        }
    }
}

TEST(Half, EveryValueSurvivesTheWayThere) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        auto const half = static_cast<uint16_t>(bits);
        if (!std::isnan(definition(half))) {
            EXPECT_EQ(floatToHalf(halfToFloat(half)), half);
        }
    }
    EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(std::nanf("")))));
}

TEST(Half, RoundsToNearestEvenBetweenNeighbours) {
    for (uint16_t bits = 0; bits < 0x7BFF; ++bits) { // all positive values but the largest
        auto const low = definition(bits);
        auto const high = definition(static_cast<uint16_t>(bits + 1));
        auto const middle = static_cast<float>((low + high) / 2); // exact: 12 bits
        uint16_t const even = bits % 2 == 0 ? bits : static_cast<uint16_t>(bits + 1);
        EXPECT_EQ(floatToHalf(middle), even) << bits;
        EXPECT_EQ(floatToHalf(std::nextafter(middle, 1e9F)), bits + 1) << bits;
        EXPECT_EQ(floatToHalf(std::nextafter(middle, -1e9F)), bits) << bits;
    }
}

TEST(Half, TooLargeIsInfinity) {
    EXPECT_EQ(floatToHalf(65519.0F), 0x7BFF);
    EXPECT_EQ(floatToHalf(65520.0F), 0x7C00);
    EXPECT_EQ(floatToHalf(-1e30F), 0xFC00);
}

TEST(BFloat16, RoundsToNearestEven) {
    EXPECT_EQ(BFloat16(1.0F).bits, 0x3F80);
    EXPECT_EQ(BFloat16(1.0F + 0x1p-8F).bits, 0x3F80);
    EXPECT_EQ(BFloat16(1.0F + 3 * 0x1p-8F).bits, 0x3F82);
    EXPECT_EQ(BFloat16(-std::numeric_limits<float>::infinity()).bits, 0xFF80);
    EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
    EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nanf("")))));
}

} // namespace
} // namespace kiln
