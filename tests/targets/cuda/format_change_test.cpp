// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/format_change.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

FormatChange changeOf(TensorFormat from, TensorFormat to, Dims const& dims) {
    return {*traitsOf(from), *traitsOf(to), dims};
}

TEST(FormatChange, ChannelsAreCutIntoVectors) {
    FormatChange const change =
        changeOf(TensorFormat::kLINEAR, TensorFormat::kCHW4, makeDims({2, 6, 10, 10}));
    EXPECT_EQ(change.padded, 8);
    Permutation const moved = *change.permutation();
    ASSERT_EQ(moved.axes.size(), 4); // batch, vectors, positions, channels of a vector
    EXPECT_EQ(moved.axes[1].extent.divisor, 2);
    EXPECT_EQ(moved.axes[1].from, 400);
    EXPECT_EQ(moved.axes[1].to, 400);
    EXPECT_EQ(moved.axes[1].channels, 4);
    EXPECT_EQ(moved.axes[3].from, 100);
    EXPECT_EQ(moved.axes[3].to, 1);
    EXPECT_EQ(moved.readLimit, 6);
    EXPECT_EQ(moved.writeLimit, INT64_MAX);
}

TEST(FormatChange, BackAgainCutsThePaddingOff) {
    Permutation const moved =
        *changeOf(TensorFormat::kCHW4, TensorFormat::kLINEAR, makeDims({2, 6, 10, 10}))
             .permutation();
    EXPECT_EQ(moved.readLimit, INT64_MAX);
    EXPECT_EQ(moved.writeLimit, 6);
}

TEST(FormatChange, FullVectorsNeedNoLimit) {
    Permutation const moved =
        *changeOf(TensorFormat::kLINEAR, TensorFormat::kHWC8, makeDims({2, 16, 10, 10}))
             .permutation();
    EXPECT_EQ(moved.readLimit, INT64_MAX);
    EXPECT_EQ(moved.writeLimit, INT64_MAX);
    EXPECT_TRUE(tilesOf(moved, 2)->pairs);
}

TEST(FormatChange, PaddedVectorsStillMovePairs) {
    Permutation const moved =
        *changeOf(TensorFormat::kLINEAR, TensorFormat::kHWC8, makeDims({2, 3, 10, 10}))
             .permutation();
    EXPECT_EQ(moved.readLimit, 3);
    EXPECT_TRUE(tilesOf(moved, 2)->pairs); // channels are read one by one
}

TEST(FormatChange, TwoKindsOfVectorsAreNoPermutation) {
    EXPECT_FALSE(changeOf(TensorFormat::kCHW2, TensorFormat::kCHW32, makeDims({64, 4, 4}))
                     .permutation()
                     .has_value());
    EXPECT_TRUE(changeOf(TensorFormat::kCHW32, TensorFormat::kHWC8, makeDims({64, 4, 4}))
                    .permutation()
                    .has_value());
}

} // namespace
} // namespace kiln::targets::cuda
