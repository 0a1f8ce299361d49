// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <set>

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

TEST(Dtype, SizesOfElements) {
    EXPECT_EQ(bitsOf(DataType::kFLOAT), 32);
    EXPECT_EQ(bitsOf(DataType::kHALF), 16);
    EXPECT_EQ(bitsOf(DataType::kBF16), 16);
    EXPECT_EQ(bitsOf(DataType::kBOOL), 8);
    EXPECT_EQ(bitsOf(DataType::kINT64), 64);
    EXPECT_EQ(bitsOf(DataType::kINT4), 4);
}

TEST(Dtype, BytesRoundUpForTypesBelowAByte) {
    EXPECT_EQ(bytesFor(DataType::kINT4, 3), 2U);
    EXPECT_EQ(bytesFor(DataType::kHALF, 3), 6U);
    EXPECT_EQ(bytesFor(DataType::kFLOAT, 0), 0U);
}

TEST(Dtype, SizesAreChecked) {
    EXPECT_THAT(
        errorOf(ErrorKind::kInvalidArgument, [] { bytesFor(DataType::kFLOAT, int64_t{1} << 60); }),
        HasSubstr("overflows"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { bytesFor(DataType::kFLOAT, -1); }),
                HasSubstr("expected a count of 0 or more, got -1"));
    EXPECT_THAT(errorOf(ErrorKind::kInvalidArgument, [] { bitsOf(static_cast<DataType>(99)); }),
                HasSubstr("unknown element type 99"));
}

TEST(Dtype, NamesAreDistinct) {
    std::set<std::string> names;
    for (int32_t i = 0; i < nvinfer1::EnumMax<DataType>(); ++i) {
        names.insert(nameOf(static_cast<DataType>(i)));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(nvinfer1::EnumMax<DataType>()));
    EXPECT_STREQ(nameOf(static_cast<DataType>(99)), "unknown type");
    EXPECT_STREQ(nameOf(TensorFormat::kCHW32), "chw32");
}

TEST(Dtype, DispatchGivesTheTypeOrRefusesByName) {
    EXPECT_EQ(dispatchType(DataType::kINT8, "test", [](auto value) { return sizeof(value); }), 1U);
    EXPECT_EQ(dispatchFloat(DataType::kHALF, "test", [](auto value) { return sizeof(value); }), 2U);
    EXPECT_THAT(
        errorOf(ErrorKind::kUnsupported, [] { dispatchType(DataType::kFP8, "here", [](auto) {}); }),
        HasSubstr("[here] element type fp8 is not supported"));
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported,
                        [] { dispatchFloat(DataType::kINT32, "here", [](auto) {}); }),
                HasSubstr("[here] expected float32, float16 or bfloat16, got int32"));
}

} // namespace
} // namespace kiln::test
