// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/prune.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::trtexec {
namespace {

using testing::ElementsAre;

TEST(Prune, KeepsTheTwoLargestOfFour) {
    std::vector<float> values{1, -4, 3, 2, 5, 5, 5, -6, 9};
    pruneTwoOfFour(reinterpret_cast<std::byte*>(values.data()), 4, {1, {9}}, 0);
    EXPECT_THAT(values, ElementsAre(0, -4, 3, 0, 0, 0, 5, -6, 9));
}

TEST(Prune, GoesAlongTheAxis) {
    std::vector<float> values(2 * 5 * 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i + 1);
    }
    pruneTwoOfFour(reinterpret_cast<std::byte*>(values.data()), 4, {3, {2, 5, 2}}, 1);
    EXPECT_THAT(values, ElementsAre(0, 0, 0, 0, 5, 6, 7, 8, 9, 10, //
                                    0, 0, 0, 0, 15, 16, 17, 18, 19, 20));
}

TEST(Prune, ReadsHalves) {
    std::vector<uint16_t> halves{0x3c00, 0xc000, 0x3800, 0xb400}; // 1, -2, 0.5, -0.25
    pruneTwoOfFour(reinterpret_cast<std::byte*>(halves.data()), 2, {2, {4, 1}}, 0);
    EXPECT_THAT(halves, ElementsAre(0x3c00, 0xc000, 0, 0));
}

} // namespace
} // namespace kiln::trtexec
