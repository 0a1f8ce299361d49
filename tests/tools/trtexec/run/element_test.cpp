// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/element.h"

#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::DataType;

template <typename T>
std::string textOf(DataType type, T value) {
    std::array<T, 2> const values{T{}, value};
    return elementText(type, values.data(), 1);
}

TEST(ElementText, WritesRealsSoThatTheyReadBack) {
    EXPECT_EQ(textOf(DataType::kFLOAT, 0.1F), "0.1");
    EXPECT_EQ(textOf(DataType::kFLOAT, 1.0F / 3.0F), "0.33333334");
    EXPECT_EQ(textOf(DataType::kFLOAT, -2.0F), "-2");
    EXPECT_EQ(textOf(DataType::kHALF, uint16_t{0x3555}), "0.33325");
    EXPECT_EQ(textOf(DataType::kBF16, uint16_t{0x3EAB}), "0.334");
}

TEST(ElementText, WritesWhatIsNoNumber) {
    EXPECT_EQ(textOf(DataType::kFLOAT, NAN), "NaN");
    EXPECT_EQ(textOf(DataType::kFLOAT, -INFINITY), "-Infinity");
    EXPECT_EQ(textOf(DataType::kHALF, uint16_t{0x7C00}), "Infinity");
    EXPECT_EQ(textOf(DataType::kBF16, uint16_t{0xFF80}), "-Infinity");
}

TEST(ElementText, WritesIntegersAndBooleans) {
    EXPECT_EQ(textOf(DataType::kINT8, int8_t{-128}), "-128");
    EXPECT_EQ(textOf(DataType::kUINT8, uint8_t{255}), "255");
    EXPECT_EQ(textOf(DataType::kINT32, std::numeric_limits<int32_t>::min()), "-2147483648");
    EXPECT_EQ(textOf(DataType::kINT64, std::numeric_limits<int64_t>::max()), "9223372036854775807");
    EXPECT_EQ(textOf(DataType::kBOOL, uint8_t{1}), "1");
    EXPECT_EQ(textOf(DataType::kBOOL, uint8_t{0}), "0");
}

TEST(ElementText, RefusesTypesWithoutText) {
    EXPECT_THAT(failureText([] { textOf(DataType::kFP8, uint8_t{0}); }),
                testing::HasSubstr("expected a type whose values can be written, got FP8"));
}

TEST(FromHalf, KnowsEveryKindOfNumber) {
    EXPECT_EQ(fromHalf(0x3C00), 1.0F);
    EXPECT_EQ(fromHalf(0xC000), -2.0F);
    EXPECT_EQ(fromHalf(0x7BFF), 65504.0F);
    EXPECT_EQ(fromHalf(0x0400), std::ldexp(1.0F, -14));
    EXPECT_EQ(fromHalf(0x0001), std::ldexp(1.0F, -24));
    EXPECT_TRUE(std::signbit(fromHalf(0x8000)));
    EXPECT_TRUE(std::isnan(fromHalf(0x7E00)));
}

TEST(BitsOf, CoversTheNarrowTypes) {
    EXPECT_EQ(bitsOf(DataType::kINT64), 64);
    EXPECT_EQ(bitsOf(DataType::kHALF), 16);
    EXPECT_EQ(bitsOf(DataType::kINT4), 4);
    EXPECT_EQ(bitsOf(DataType::kE8M0), 8);
}

} // namespace
} // namespace kiln::trtexec
