// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/broadcast.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

struct Launched {
    GridLaunch grid;
    BroadcastArguments<2> arguments{};
};

Launched launch(Dims const& result, Dims const& left, Dims const& right, int64_t width = 4) {
    Launched launched;
    auto const nest = target::broadcastNest<2>(result, {left, right}, result.nbDims);
    launched.grid = launchBroadcast(nest, width, launched.arguments);
    return launched;
}

TEST(Broadcast, EqualShapesAreFlat) {
    Dims const dims = makeDims({3, 1000, 5});
    auto const [grid, arguments] = launch(dims, dims, dims);
    EXPECT_EQ(grid.function, "flat");
    EXPECT_EQ(grid.gridX, 4); // 15000 elements, 16 per thread, 256 threads
    EXPECT_EQ(arguments.count, 15000);
    EXPECT_EQ(arguments.loops, 1);
    EXPECT_EQ(arguments.strides[0][0], 1);
    EXPECT_EQ(arguments.strides[1][0], 1);
}

TEST(Broadcast, OneElementForAllIsFlat) {
    auto const [grid, arguments] = launch(makeDims({2, 3}), makeDims({2, 3}), makeDims({1, 1}));
    EXPECT_EQ(grid.function, "flat");
    EXPECT_EQ(arguments.strides[0][0], 1);
    EXPECT_EQ(arguments.strides[1][0], 0);
}

TEST(Broadcast, RowsOfWholeVectors) {
    // One value per channel: batch and channel stay separate loops, and a plane is one row.
    auto const [grid, arguments] =
        launch(makeDims({2, 3, 4, 6}), makeDims({2, 3, 4, 6}), makeDims({1, 3, 1, 1}));
    EXPECT_EQ(grid.function, "rows");
    EXPECT_EQ(arguments.loops, 3);
    EXPECT_EQ(arguments.extents[2].divisor, 6); // 24 elements
    EXPECT_EQ(arguments.extents[1].divisor, 3);
    EXPECT_EQ(arguments.strides[0][0], 72);
    EXPECT_EQ(arguments.strides[1][1], 1);
    EXPECT_EQ(arguments.strides[1][2], 0);
}

TEST(Broadcast, RowsThatAreNoWholeVectors) {
    auto const [grid, arguments] = launch(makeDims({300, 7}), makeDims({300, 7}), makeDims({1, 7}));
    EXPECT_EQ(grid.function, "ragged_0");
    EXPECT_EQ(grid.gridX, 1); // 2100 elements, 16 per thread
    EXPECT_EQ(arguments.extents[1].divisor, 7);
    EXPECT_EQ(arguments.strides[1][0], 0);
    EXPECT_EQ(arguments.strides[1][1], 1);
    EXPECT_EQ(arguments.spans[0], 2100);
    EXPECT_EQ(arguments.spans[1], 7);
}

TEST(Broadcast, RowsOfTheSecondOperand) {
    auto const [grid, arguments] = launch(makeDims({300, 7}), makeDims({1, 7}), makeDims({300, 7}));
    EXPECT_EQ(grid.function, "ragged_1");
}

TEST(Broadcast, NoOperandIsDense) {
    auto const [grid, arguments] = launch(makeDims({9, 7}), makeDims({9, 1}), makeDims({1, 7}));
    EXPECT_EQ(grid.function, "elements");
}

TEST(Broadcast, RowsShorterThanAVector) {
    auto const [grid, arguments] = launch(makeDims({700, 3}), makeDims({700, 3}), makeDims({1, 3}));
    EXPECT_EQ(grid.function, "elements");
    EXPECT_EQ(grid.gridX, 3); // 2100 elements, 4 per thread
    EXPECT_EQ(arguments.extents[1].divisor, 3);
}

TEST(Broadcast, LargeResultsTakeWideIndices) {
    int64_t const rows = int64_t{1} << 20;
    auto const [grid, arguments] =
        launch(makeDims({rows, 2048}), makeDims({rows, 1}), makeDims({1, 2048}));
    EXPECT_EQ(grid.function, "wide");
    EXPECT_EQ(grid.gridX, rows * 2);
    EXPECT_EQ(arguments.extents[0].divisor, rows);
    EXPECT_EQ(arguments.extents[1].divisor, 2048);
}

TEST(Broadcast, EmptyResultsAndSingleElements) {
    EXPECT_EQ(launch(makeDims({0, 3, 4}), makeDims({0, 3, 4}), makeDims({1, 3, 1})).grid.gridX, 0);
    auto const [grid, arguments] = launch(makeDims({}), makeDims({}), makeDims({}));
    EXPECT_EQ(grid.function, "flat");
    EXPECT_EQ(grid.gridX, 1);
    EXPECT_EQ(arguments.count, 1);
}

} // namespace
} // namespace kiln::targets::cuda
