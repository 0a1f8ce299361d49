// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/narrow_numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace kiln {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Every code means a number that has this code, and numbers between two codes get the nearer one,
// or of two equally near ones the even one.
TEST(Float8, RoundsToTheNearest) {
    for (unsigned code = 0; code < 0x7EU; ++code) {
        float const number = fp8ToFloat(static_cast<uint8_t>(code));
        float const next = fp8ToFloat(static_cast<uint8_t>(code + 1));
        float const middle = (number + next) / 2.0F;
        EXPECT_LT(number, next);
        EXPECT_EQ(floatToFp8(number), code);
        EXPECT_EQ(floatToFp8(-next), (code + 1) | 0x80U);
        EXPECT_EQ(floatToFp8(middle), code + code % 2) << number;
        EXPECT_EQ(floatToFp8(std::nextafter(middle, 0.0F)), code);
        EXPECT_EQ(floatToFp8(std::nextafter(middle, kInfinity)), code + 1);
    }
    EXPECT_EQ(fp8ToFloat(0x7E), 448.0F);
    EXPECT_EQ(fp8ToFloat(1), 0x1p-9F);
    EXPECT_EQ(floatToFp8(1e9F), 0x7E);
    EXPECT_EQ(floatToFp8(-kInfinity), 0xFE);
    EXPECT_TRUE(std::isnan(fp8ToFloat(floatToFp8(kNan))));
}

TEST(Float4, RoundsToTheNearest) {
    for (unsigned code = 0; code < 7U; ++code) {
        float const number = fp4ToFloat(static_cast<uint8_t>(code));
        float const next = fp4ToFloat(static_cast<uint8_t>(code + 1));
        float const middle = (number + next) / 2.0F;
        EXPECT_EQ(floatToFp4(number), code);
        EXPECT_EQ(floatToFp4(-next), (code + 1) | 8U);
        EXPECT_EQ(floatToFp4(middle), code + code % 2) << number;
        EXPECT_EQ(floatToFp4(std::nextafter(middle, 0.0F)), code);
        EXPECT_EQ(floatToFp4(std::nextafter(middle, kInfinity)), code + 1);
    }
    EXPECT_EQ(floatToFp4(100.0F), 7);
    EXPECT_EQ(floatToFp4(kNan), 7);
}

TEST(PowerOfTwo8, RoundsUp) {
    for (int exponent = -127; exponent <= 127; ++exponent) {
        float const number = std::ldexp(1.0F, exponent);
        auto const code = static_cast<uint8_t>(exponent + 127);
        EXPECT_EQ(e8m0ToFloat(code), number);
        EXPECT_EQ(floatToE8m0(number), code);
        if (exponent > -127) {
            EXPECT_EQ(floatToE8m0(number * 0.51F), code);
        }
    }
    EXPECT_EQ(floatToE8m0(0.0F), 0);
    EXPECT_EQ(floatToE8m0(3e38F), 254);
    EXPECT_TRUE(std::isnan(e8m0ToFloat(floatToE8m0(kNan))));
}

TEST(Nibbles, AreSignedAndInOrder) {
    uint8_t const bytes[] = {0x8F, 0x07};
    EXPECT_EQ(int4ToInt(nibbleAt(bytes, 0)), -1);
    EXPECT_EQ(int4ToInt(nibbleAt(bytes, 1)), -8);
    EXPECT_EQ(int4ToInt(nibbleAt(bytes, 2)), 7);
    EXPECT_EQ(int4ToInt(nibbleAt(bytes, 3)), 0);
}

} // namespace
} // namespace kiln
