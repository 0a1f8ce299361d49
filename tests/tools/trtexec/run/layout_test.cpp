// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/layout.h"

#include <set>

#include <gmock/gmock.h>

#include "tools/trtexec/failure_text.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::Dims;
using nvinfer1::TensorFormat;

constexpr Dims kShape{4, {2, 5, 2, 3}};

TEST(Layout, LinearIsCOrder) {
    Layout const layout("x", TensorFormat::kLINEAR, kShape);
    EXPECT_EQ(layout.elements(), 60U);
    EXPECT_EQ(layout.place(17), 17U);
    EXPECT_EQ(Layout("x", TensorFormat::kLINEAR, {0, {}}).elements(), 1U);
}

TEST(Layout, PacksChannelsBehindTheRest) {
    Layout const layout("x", TensorFormat::kCHW4, kShape);
    EXPECT_EQ(layout.elements(), 2U * 8 * 6);
    // Image 1, channel 4, row 1, column 2: the second vector of channels, its first component.
    EXPECT_EQ(layout.place(1 * 30 + 4 * 6 + 5), ((1U * 2 + 1) * 6 + 5) * 4 + 0);
    // Image 0, channel 3, row 0, column 1.
    EXPECT_EQ(layout.place(3 * 6 + 1), 1U * 4 + 3);
}

TEST(Layout, PutsChannelsLast) {
    EXPECT_EQ(Layout("x", TensorFormat::kHWC8, kShape).place(1 * 30 + 4 * 6 + 5), (6U + 5) * 8 + 4);
    Layout const tight("x", TensorFormat::kHWC, kShape);
    EXPECT_EQ(tight.elements(), 60U);
    EXPECT_EQ(tight.place(1 * 30 + 4 * 6 + 5), (6U + 5) * 5 + 4);
}

TEST(Layout, GivesEachElementAPlace) {
    for (TensorFormat const format :
         {TensorFormat::kCHW2, TensorFormat::kCHW32, TensorFormat::kHWC16, TensorFormat::kDHWC8}) {
        Layout const layout("x", format, kShape);
        std::set<size_t> places;
        for (size_t i = 0; i < 60; ++i) {
            places.insert(layout.place(i));
        }
        EXPECT_EQ(places.size(), 60U);
        EXPECT_LT(*places.rbegin(), layout.elements());
    }
}

TEST(Layout, RefusesWhatDoesNotFit) {
    EXPECT_EQ(failureText([] { Layout("x", TensorFormat::kHWC8, {2, {2, 3}}); }),
              "[run] tensor 'x': expected 3 or more dimensions for its format, got 2x3");
    EXPECT_EQ(failureText([] { Layout("x", TensorFormat::kDLA_HWC4, kShape); }),
              "[run] tensor 'x': expected a format that the cpu target has, got number 10");
    EXPECT_EQ(failureText([] { Layout("x", TensorFormat::kLINEAR, {1, {-1}}); }),
              "[run] tensor 'x': expected extents that fit into memory, got -1");
}

} // namespace
} // namespace kiln::trtexec
