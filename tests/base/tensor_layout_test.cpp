// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_layout.h"

#include <gtest/gtest.h>

#include "base/error_matchers.h"

namespace kiln {
namespace {

TEST(TensorLayout, PaddedBytes) {
    Dims const image = makeDims({2, 5, 3, 4});
    auto const bytes = [&](DataType type, TensorFormat format) {
        return storageBytes(type, format, image, "x");
    };
    EXPECT_EQ(bytes(DataType::kFLOAT, TensorFormat::kLINEAR), 2U * 5 * 3 * 4 * 4);
    EXPECT_EQ(bytes(DataType::kFLOAT, TensorFormat::kHWC), 2U * 5 * 3 * 4 * 4);
    EXPECT_EQ(bytes(DataType::kHALF, TensorFormat::kCHW2), 2U * 6 * 3 * 4 * 2);
    EXPECT_EQ(bytes(DataType::kHALF, TensorFormat::kHWC8), 2U * 8 * 3 * 4 * 2);
    EXPECT_EQ(bytes(DataType::kINT8, TensorFormat::kCHW32), 2U * 32 * 3 * 4);
    EXPECT_EQ(bytes(DataType::kHALF, TensorFormat::kCDHW32), 32U * 5 * 3 * 4 * 2);
}

TEST(TensorLayout, FormatsNeedTheirRank) {
    EXPECT_TRUE(fitsFormat(TensorFormat::kLINEAR, DataType::kFLOAT, 0));
    EXPECT_TRUE(fitsFormat(TensorFormat::kCHW4, DataType::kFLOAT, 3));
    EXPECT_FALSE(fitsFormat(TensorFormat::kCHW4, DataType::kFLOAT, 2));
    EXPECT_FALSE(fitsFormat(TensorFormat::kDHWC8, DataType::kHALF, 3));
    EXPECT_FALSE(fitsFormat(TensorFormat::kDLA_LINEAR, DataType::kHALF, 4));
    EXPECT_FALSE(fitsFormat(TensorFormat::kHWC8, DataType::kINT4, 4));
}

TEST(TensorLayout, NamesWhatDoesNotFit) {
    std::string const text = test::errorOf(ErrorKind::kInvalidArgument, [] {
        storageBytes(DataType::kHALF, TensorFormat::kHWC8, makeDims({4}), "x");
    });
    EXPECT_THAT(text, ::testing::HasSubstr("[size] x: expected extents and a format that fit into "
                                           "memory, got"));
    uint64_t bytes = 0;
    EXPECT_FALSE(
        storageBytes(DataType::kFLOAT, TensorFormat::kHWC, makeDims({INT64_MAX / 2, 3, 1}), bytes));
}

std::vector<int64_t> strides(TensorFormat format, std::vector<int64_t> const& extents) {
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(extents.size());
    std::copy(extents.begin(), extents.end(), dims.d);
    Dims const result = stridesOf(format, dims);
    return {result.d, result.d + result.nbDims};
}

TEST(TensorLayout, StridesFollowTheFormat) {
    using Strides = std::vector<int64_t>;
    EXPECT_EQ(strides(TensorFormat::kLINEAR, {}), Strides{});
    EXPECT_EQ(strides(TensorFormat::kLINEAR, {2, 3, 4}), (Strides{12, 4, 1}));
    EXPECT_EQ(strides(TensorFormat::kLINEAR, {2, 0, 4}), (Strides{0, 4, 1}));
    EXPECT_EQ(strides(TensorFormat::kLINEAR, {2, -1, 4}), (Strides{-1, 4, 1}));
    EXPECT_EQ(strides(TensorFormat::kLINEAR, {2, INT64_MAX, 4}), (Strides{-1, 4, 1}));
    EXPECT_EQ(strides(TensorFormat::kHWC, {2, 3, 4, 5}), (Strides{60, 1, 15, 3}));
    EXPECT_EQ(strides(TensorFormat::kHWC8, {2, 3, 4, 5}), (Strides{160, 1, 40, 8}));
    EXPECT_EQ(strides(TensorFormat::kCHW4, {2, 6, 4, 5}), (Strides{160, 80, 20, 4}));
}

} // namespace
} // namespace kiln
