// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/permutation.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

Permutation transposed(Dims const& source, std::vector<int32_t> const& order) {
    return transposition(source, order.data());
}

std::string text(Permutation const& permutation) {
    std::string result;
    for (MovedAxis const& axis : permutation.axes) {
        result += (result.empty() ? "" : " ") + std::to_string(axis.extent.divisor) + ":" +
                  std::to_string(axis.from) + ">" + std::to_string(axis.to);
    }
    return result;
}

TEST(Permutation, AxesThatStayTogetherMerge) {
    EXPECT_EQ(text(transposed(makeDims({2, 3, 4, 5}), {0, 2, 3, 1})), "2:60>60 20:1>3 3:20>1");
    EXPECT_EQ(text(transposed(makeDims({2, 3, 4, 5}), {2, 3, 0, 1})), "20:1>6 6:20>1");
    EXPECT_EQ(text(transposed(makeDims({2, 3, 4, 5}), {1, 0, 2, 3})), "3:20>40 2:60>20 20:1>1");
}

TEST(Permutation, WhatMovesNothingIsACopy) {
    EXPECT_TRUE(transposed(makeDims({2, 3}), {0, 1}).copies());
    EXPECT_TRUE(transposed(makeDims({1, 3, 1, 4}), {1, 2, 0, 3}).copies());
    EXPECT_TRUE(transposed(makeDims({1, 1}), {1, 0}).copies());
    EXPECT_TRUE(transposed(makeDims({}), {}).copies());
    EXPECT_FALSE(transposed(makeDims({2, 3}), {1, 0}).copies());
    EXPECT_EQ(transposed(makeDims({0, 3}), {1, 0}).count(), 0);
}

TEST(Permutation, RowsThatStay) {
    Permutation const kept = transposed(makeDims({20, 30, 40}), {1, 0, 2});
    EXPECT_TRUE(kept.keepsRows());
    EXPECT_FALSE(tilesOf(kept, 4).has_value());
}

TEST(Tiles, LongAxesShareATile) {
    auto const plan = tilesOf(transposed(makeDims({7, 100, 200}), {0, 2, 1}), 4);
    ASSERT_TRUE(plan.has_value());
    EXPECT_FALSE(plan->pairs);
    EXPECT_EQ(plan->tiles.a.extent.divisor, 200);
    EXPECT_EQ(plan->tiles.b.extent.divisor, 100);
    EXPECT_EQ(plan->tiles.bitsA, 5);
    EXPECT_EQ(plan->tiles.bitsB, 6);
    EXPECT_EQ(plan->tiles.pitch, 65);
    EXPECT_EQ(plan->blocks, 7 * 7 * 2);
}

TEST(Tiles, AShortAxisMakesTheOtherLonger) {
    auto const toLast = tilesOf(transposed(makeDims({3, 10000}), {1, 0}), 4);
    ASSERT_TRUE(toLast.has_value());
    EXPECT_EQ(toLast->tiles.bitsA, 9);
    EXPECT_EQ(toLast->tiles.bitsB, 2);
    auto const toFirst = tilesOf(transposed(makeDims({10000, 3}), {1, 0}), 4);
    ASSERT_TRUE(toFirst.has_value());
    EXPECT_EQ(toFirst->tiles.bitsA, 2);
    EXPECT_EQ(toFirst->tiles.bitsB, 9);
    EXPECT_EQ(toFirst->tiles.pitch, 512 + 8);
}

TEST(Tiles, TwoShortAxesTakeAThird) {
    auto const plan = tilesOf(transposed(makeDims({4, 9, 32, 8, 64}), {0, 3, 1, 4, 2}), 2);
    ASSERT_TRUE(plan.has_value());
    EXPECT_TRUE(plan->pairs);
    EXPECT_EQ(plan->tiles.bitsA, 5); // in pairs
    EXPECT_EQ(plan->tiles.bitsB, 4);
    EXPECT_EQ(plan->tiles.c.extent.divisor, 8);
    EXPECT_EQ(plan->tiles.bitsC, 2);
    EXPECT_EQ(plan->tiles.tilesC.divisor, 2);
    EXPECT_EQ(plan->tiles.pitch, 64 + 17);
    EXPECT_EQ(plan->tiles.otherCount, 2);
    EXPECT_EQ(plan->blocks, 4 * 9 * 2);
}

TEST(Tiles, PairsWantEvenExtents) {
    EXPECT_TRUE(tilesOf(transposed(makeDims({64, 32}), {1, 0}), 2)->pairs);
    EXPECT_FALSE(tilesOf(transposed(makeDims({64, 33}), {1, 0}), 2)->pairs);
    EXPECT_FALSE(tilesOf(transposed(makeDims({63, 32}), {1, 0}), 2)->pairs);
    EXPECT_FALSE(tilesOf(transposed(makeDims({64, 32}), {1, 0}), 4)->pairs);
}

TEST(Blocks, LanesShareTheAxes) {
    auto const plan = blocksOf(transposed(makeDims({8, 8, 32, 8, 64}), {0, 3, 1, 4, 2}), 2);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->tiles.bitsA, 3);
    EXPECT_EQ(plan->tiles.bitsB, 2);
    EXPECT_EQ(plan->blocks, 8 * 8 * 8);
    auto const narrow = blocksOf(transposed(makeDims({2048, 512, 8}), {0, 2, 1}), 2);
    ASSERT_TRUE(narrow.has_value());
    EXPECT_EQ(narrow->tiles.bitsA, 0);
    EXPECT_EQ(narrow->tiles.bitsB, 5);
    EXPECT_EQ(narrow->blocks, 2048 * 2);
}

TEST(Blocks, WantWholeBlocksOfTwoBytesAndManyOfThem) {
    EXPECT_TRUE(blocksOf(transposed(makeDims({1024, 1024}), {1, 0}), 2).has_value());
    EXPECT_FALSE(blocksOf(transposed(makeDims({1024, 1024}), {1, 0}), 4).has_value());
    EXPECT_FALSE(blocksOf(transposed(makeDims({1028, 1024}), {1, 0}), 2).has_value());
    EXPECT_FALSE(blocksOf(transposed(makeDims({1024, 1028}), {1, 0}), 2).has_value());
    EXPECT_FALSE(blocksOf(transposed(makeDims({1016, 1024}), {1, 0}), 2).has_value());
    EXPECT_FALSE(blocksOf(transposed(makeDims({1024, 4, 1024}), {1, 0, 2}), 2).has_value());
    Permutation limited = transposed(makeDims({1024, 1024}), {1, 0});
    limited.readLimit = 1000;
    EXPECT_FALSE(blocksOf(limited, 2).has_value());
}

TEST(Tiles, ShortAxesHaveNone) {
    EXPECT_FALSE(tilesOf(transposed(makeDims({1000, 4, 4}), {0, 2, 1}), 4).has_value());
    EXPECT_FALSE(tilesOf(transposed(makeDims({0, 1000}), {1, 0}), 4).has_value());
}

} // namespace
} // namespace kiln::targets::cuda
