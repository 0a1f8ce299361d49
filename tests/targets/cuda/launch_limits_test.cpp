// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "targets/cuda/launch_limits.h"

namespace kiln::targets::cuda {
namespace {

using testing::HasSubstr;

std::string problemOf(std::array<int64_t, 3> grid, std::array<int64_t, 3> block, int64_t shared) {
    return cuda::problemOf(target::UserLaunch{grid, block, shared, {}});
}

TEST(LaunchLimits, TakeWhatGpusTake) {
    EXPECT_EQ(problemOf({1, 1, 1}, {1, 1, 1}, 0), "");
    EXPECT_EQ(problemOf({2147483647, 65535, 65535}, {16, 1, 64}, 232448), "");
}

TEST(LaunchLimits, NameTheNumberThatIsWrong) {
    EXPECT_THAT(problemOf({0, 1, 1}, {1, 1, 1}, 0),
                HasSubstr("grid_x: expected 1 to 2147483647, got 0. Change the launch parameters"));
    EXPECT_THAT(problemOf({1, -2, 1}, {1, 1, 1}, 0), HasSubstr("grid_y: expected 1 to 65535"));
    EXPECT_THAT(problemOf({1, 1, 65536}, {1, 1, 1}, 0), HasSubstr("grid_z: expected 1 to 65535"));
    EXPECT_THAT(problemOf({1, 1, 1}, {2048, 1, 1}, 0), HasSubstr("block_x: expected 1 to 1024"));
    EXPECT_THAT(problemOf({1, 1, 1}, {1, 1, 65}, 0),
                HasSubstr("block_z: expected 1 to 64, got 65"));
    EXPECT_THAT(problemOf({1, 1, 1}, {64, 32, 1}, 0),
                HasSubstr("expected at most 1024 threads, got 64 x 32 x 1. Use smaller blocks"));
    EXPECT_THAT(problemOf({1, 1, 1}, {1, 1, 1}, 232449),
                HasSubstr("shared_mem: expected 0 to 232448, got 232449"));
    EXPECT_THAT(problemOf({1, 1, 1}, {1, 1, 1}, -1), HasSubstr("shared_mem: expected 0 to"));
}

} // namespace
} // namespace kiln::targets::cuda
