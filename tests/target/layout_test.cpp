// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/layout.h"

#include <gmock/gmock.h>

namespace kiln::target {
namespace {

Layout const kPadded{3, "hwc padded to 4", TensorFormat::kHWC, {3, true, 4}};
OperandType const kType{DataType::kHALF, TensorFormat::kHWC, 3};

TEST(Layout, GivesTheBytesWithPadding) {
    EXPECT_EQ(bytesIn({&kPadded, 1}, kType, makeDims({2, 3, 5, 7}), "x"), 2U * 4 * 5 * 7 * 2);
    OperandType const plain{DataType::kHALF, TensorFormat::kHWC};
    EXPECT_EQ(bytesIn({&kPadded, 1}, plain, makeDims({2, 3, 5, 7}), "x"), 2U * 3 * 5 * 7 * 2);
}

TEST(Layout, IsFoundByTag) {
    EXPECT_EQ(findLayout({&kPadded, 1}, 3), &kPadded);
    EXPECT_EQ(findLayout({&kPadded, 1}, 4), nullptr);
    EXPECT_EQ(findLayout({&kPadded, 1}, 0), nullptr);
    EXPECT_EQ(traitsIn({&kPadded, 1}, kType, 4), kPadded.traits);
    EXPECT_EQ(traitsIn({&kPadded, 1}, kType, 2), std::nullopt); // too few dimensions
    EXPECT_EQ(traitsIn({}, kType, 4), std::nullopt);
    OperandType const linear{DataType::kHALF, TensorFormat::kLINEAR, 3};
    EXPECT_EQ(traitsIn({&kPadded, 1}, linear, 4), std::nullopt);
    EXPECT_THROW(bytesIn({}, kType, makeDims({2, 3, 5, 7}), "x"), Error);
}

TEST(Layout, ProblemsAreNamed) {
    EXPECT_EQ(layoutProblem(kPadded, DataType::kHALF, 4), "");
    EXPECT_THAT(layoutProblem(kPadded, DataType::kHALF, 2), testing::HasSubstr("axis of channels"));
    EXPECT_THAT(layoutProblem(kPadded, DataType::kINT4, 4), testing::HasSubstr("axis of channels"));
    Layout other = kPadded;
    other.traits.vector = kMostVector + 1;
    EXPECT_THAT(layoutProblem(other, DataType::kHALF, 4), testing::HasSubstr("1 to 1024"));
    other = kPadded;
    other.name.clear();
    EXPECT_THAT(layoutProblem(other, DataType::kHALF, 4), testing::HasSubstr("expected a tag"));
}

} // namespace
} // namespace kiln::target
