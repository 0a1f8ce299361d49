// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/launch_timer.h"

#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

struct Timed {
    double milliseconds = 0.0;
    std::size_t workspaceBytes = 0;
};

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

TEST(BestOf, PrefersLittleWorkspaceAmongThoseThatAreAlmostAsFast) {
    std::vector<Timed> all{{1.00, 32 * kMegabyte}, {1.02, 2 * kMegabyte}, {1.20, 0}};
    EXPECT_EQ(bestOf(all), &all[1]);
}

TEST(BestOf, TakesTheFastestWhereTheWorkspaceIsSmall) {
    std::vector<Timed> all{{1.02, 1000}, {1.00, 100000}, {1.01, 1000}};
    EXPECT_EQ(bestOf(all), &all[1]);
}

TEST(BestOf, NeedsOne) {
    std::vector<Timed> all;
    EXPECT_EQ(bestOf(all), nullptr);
}

} // namespace
} // namespace kiln::targets::cuda
