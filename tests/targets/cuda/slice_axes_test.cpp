// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/slice_axes.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

using graph::Slice;
using nvinfer1::SampleMode;

SliceLoops loopsOf(Dims const& input, Dims const& start, Dims const& size, Dims const& stride,
                   SampleMode mode = SampleMode::kSTRICT_BOUNDS) {
    Slice op;
    op.start = start;
    op.size = size;
    op.stride = stride;
    op.mode = mode;
    return mergeAxes(axesOf(op, false, input, size), mode);
}

std::string text(SliceLoops const& loops) {
    std::string result = std::to_string(loops.offset);
    for (SliceAxis const& axis : loops.axes) {
        result += " " + std::to_string(axis.start) + "+" + std::to_string(axis.size.divisor) + "*" +
                  std::to_string(axis.stride) + "/" + std::to_string(axis.extent) + "@" +
                  std::to_string(axis.step);
    }
    return result;
}

Dims const kOnes = makeDims({1, 1, 1});

TEST(SliceAxes, TheWholeTensorIsOneRow) {
    SliceLoops const loops =
        loopsOf(makeDims({2, 3, 4}), makeDims({0, 0, 0}), makeDims({2, 3, 4}), kOnes);
    EXPECT_EQ(text(loops), "0 0+24*1/24@1");
    EXPECT_TRUE(loops.contiguousRows());
    EXPECT_TRUE(loops.narrow());
}

TEST(SliceAxes, WholeAxesGoIntoTheOneOutside) {
    EXPECT_EQ(text(loopsOf(makeDims({2, 3, 4}), makeDims({0, 1, 0}), makeDims({2, 2, 4}), kOnes)),
              "0 0+2*1/2@12 4+8*1/12@1");
    EXPECT_EQ(text(loopsOf(makeDims({2, 3, 4}), makeDims({0, 0, 1}), makeDims({2, 3, 2}), kOnes)),
              "0 0+6*1/6@4 1+2*1/4@1");
}

TEST(SliceAxes, OneCoordinateIsAnOffset) {
    EXPECT_EQ(text(loopsOf(makeDims({2, 3, 4}), makeDims({1, 0, 2}), makeDims({1, 3, 1}), kOnes)),
              "14 0+3*1/3@4");
    EXPECT_EQ(text(loopsOf(makeDims({2, 3, 4}), makeDims({1, 2, 3}), kOnes, kOnes)),
              "23 0+1*1/1@1");
}

TEST(SliceAxes, AnOffsetSeparatesAxes) {
    EXPECT_EQ(text(loopsOf(makeDims({2, 3, 4}), makeDims({0, 1, 0}), makeDims({2, 1, 4}), kOnes)),
              "4 0+2*1/2@12 0+4*1/4@1");
}

TEST(SliceAxes, OtherStridesStay) {
    SliceLoops const loops = loopsOf(makeDims({4, 3, 4}), makeDims({0, 0, 3}), makeDims({2, 3, 4}),
                                     makeDims({2, 1, -1}));
    EXPECT_EQ(text(loops), "0 0+2*2/4@12 0+3*1/3@4 3+4*-1/4@1");
    EXPECT_FALSE(loops.contiguousRows());
}

TEST(SliceAxes, OutsideOnlyWhatIsLinearMerges) {
    auto const rows = [](SampleMode mode) {
        return loopsOf(makeDims({3, 4}), makeDims({-1, 0}), makeDims({5, 4}), makeDims({1, 1}),
                       mode)
            .axes.size();
    };
    EXPECT_EQ(rows(SampleMode::kWRAP), 1);
    EXPECT_EQ(rows(SampleMode::kFILL), 1);
    EXPECT_EQ(rows(SampleMode::kCLAMP), 2);
    EXPECT_EQ(rows(SampleMode::kREFLECT), 2);
}

TEST(SliceAxes, FarCoordinatesAreWide) {
    Dims const far = makeDims({int64_t{1} << 33});
    EXPECT_FALSE(
        loopsOf(makeDims({4}), far, makeDims({2}), makeDims({1}), SampleMode::kFILL).narrow());
    EXPECT_FALSE(
        loopsOf(makeDims({4}), makeDims({0}), makeDims({2}), far, SampleMode::kWRAP).narrow());
    Dims const most = makeDims({INT64_MAX});
    EXPECT_FALSE(loopsOf(makeDims({4}), most, makeDims({2}), most, SampleMode::kWRAP).narrow());
}

TEST(SliceAxes, WhetherAllShapesAreNarrow) {
    auto const narrow = [](Dims const& largest, int64_t start, int64_t size) {
        Slice op;
        op.axes = makeDims({0});
        op.start = makeDims({start});
        op.size = makeDims({size});
        op.stride = makeDims({1});
        return alwaysNarrow(op, largest);
    };
    EXPECT_TRUE(narrow(makeDims({100, 1000, 1000}), -1, 102));
    EXPECT_FALSE(narrow(makeDims({100, 1000, 1000}), -5000, 102)); // -5000 rows of 10^6 elements
    EXPECT_FALSE(narrow(makeDims({2000, 1000, 1000}), 0, 2000));
    EXPECT_FALSE(narrow(makeDims({4}), INT64_MAX, 3));
}

} // namespace
} // namespace kiln::targets::cuda
