// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/broadcast.h"

#include <gtest/gtest.h>

namespace kiln::backends::cuda {
namespace {

struct Launched {
    GridLaunch grid;
    BroadcastArguments<2> arguments{};
};

Launched launch(Dims const& result, Dims const& left, Dims const& right, int64_t width = 4) {
    Launched launched;
    auto const nest = backend::broadcastNest<2>(result, {left, right}, result.nbDims);
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
    // A value for each channel: batch and channel stay apart, the plane is one row.
    auto const [grid, arguments] =
        launch(makeDims({2, 3, 4, 6}), makeDims({2, 3, 4, 6}), makeDims({1, 3, 1, 1}));
    EXPECT_EQ(grid.function, "rows");
    EXPECT_EQ(arguments.loops, 3);
    EXPECT_EQ(arguments.divisors[2].value, 6U); // 24 elements
    EXPECT_EQ(arguments.divisors[1].value, 3U);
    EXPECT_EQ(arguments.strides[0][0], 72);
    EXPECT_EQ(arguments.strides[1][1], 1);
    EXPECT_EQ(arguments.strides[1][2], 0);
}

TEST(Broadcast, RowsOfPartOfAVector) {
    auto const [grid, arguments] = launch(makeDims({300, 7}), makeDims({300, 7}), makeDims({1, 7}));
    EXPECT_EQ(grid.function, "elements");
    EXPECT_EQ(grid.gridX, 3); // 2100 elements, 4 per thread
    EXPECT_EQ(arguments.divisors[1].value, 7U);
    EXPECT_EQ(arguments.strides[1][0], 0);
    EXPECT_EQ(arguments.strides[1][1], 1);
}

TEST(Broadcast, LargeResultsTakeWideIndices) {
    int64_t const rows = int64_t{1} << 20;
    auto const [grid, arguments] =
        launch(makeDims({rows, 2048}), makeDims({rows, 1}), makeDims({1, 2048}));
    EXPECT_EQ(grid.function, "wide");
    EXPECT_EQ(grid.gridX, rows * 2);
    EXPECT_EQ(arguments.extents[0], rows);
    EXPECT_EQ(arguments.extents[1], 2048);
}

TEST(Broadcast, EmptyResultsAndSingleElements) {
    EXPECT_EQ(launch(makeDims({0, 3, 4}), makeDims({0, 3, 4}), makeDims({1, 3, 1})).grid.gridX, 0);
    auto const [grid, arguments] = launch(makeDims({}), makeDims({}), makeDims({}));
    EXPECT_EQ(grid.function, "flat");
    EXPECT_EQ(grid.gridX, 1);
    EXPECT_EQ(arguments.count, 1);
}

// As splitOff() in kernels/broadcast.cuh.
uint32_t quotient(uint32_t n, Divisor const& divisor) {
    auto const high = static_cast<uint32_t>(uint64_t{n} * divisor.multiplier >> 32U);
    return (high + n) >> divisor.shift;
}

TEST(Divisor, DividesEveryNumberBelowTheLimit) {
    constexpr uint32_t kLast = 0x7fffffffU;
    for (uint32_t const value : {1U, 2U, 3U, 5U, 6U, 7U, 12U, 49U, 641U, 1000U, 4095U, 4096U, 4097U,
                                 1U << 30U, (1U << 30U) + 1U, kLast - 1U, kLast}) {
        Divisor const divisor = divisorOf(value);
        ASSERT_EQ(divisor.value, value);
        for (uint32_t multiple = 0; multiple < 2000; ++multiple) {
            uint64_t const at = uint64_t{multiple} * (kLast / value / 1999 + 1) * value;
            for (uint64_t const n : {at, at + value - 1, at == 0 ? 0 : at - 1}) {
                if (n <= kLast) {
                    ASSERT_EQ(quotient(static_cast<uint32_t>(n), divisor), n / value)
                        << n << " / " << value;
                }
            }
        }
        ASSERT_EQ(quotient(kLast, divisor), kLast / value) << value;
    }
}

} // namespace
} // namespace kiln::backends::cuda
