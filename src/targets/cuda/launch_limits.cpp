// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Limits: CUDA C++ Programming Guide, table of technical specifications per compute capability.
#include "targets/cuda/launch_limits.h"

#include <fmt/format.h>

namespace kiln::targets::cuda {
namespace {

constexpr char const* kGridNames[3] = {"grid_x", "grid_y", "grid_z"};
constexpr char const* kBlockNames[3] = {"block_x", "block_y", "block_z"};
constexpr int64_t kMostGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t kMostBlock[3] = {1024, 1024, 64};
constexpr int64_t kMostThreads = 1024;
constexpr int64_t kMostSharedBytes = 232448; // 227 KiB, for compute capability 9.0 and 10.0

std::string outside(char const* name, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) {
        return {};
    }
    return fmt::format("{}: expected {} to {}, got {}. Change the launch parameters", name, least,
                       most, value);
}

} // namespace

std::string problemOf(target::UserLaunch const& launch) {
    std::string problem = outside("shared_mem", launch.sharedBytes, 0, kMostSharedBytes);
    for (std::size_t axis = 0; axis < 3 && problem.empty(); ++axis) {
        problem = outside(kGridNames[axis], launch.grid[axis], 1, kMostGrid[axis]);
        if (problem.empty()) {
            problem = outside(kBlockNames[axis], launch.block[axis], 1, kMostBlock[axis]);
        }
    }
    if (!problem.empty()) {
        return problem;
    }
    int64_t const threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > kMostThreads) {
        return fmt::format("block_x, block_y, block_z: expected at most {} threads, got {} x {} x "
                           "{}. Use smaller blocks",
                           kMostThreads, launch.block[0], launch.block[1], launch.block[2]);
    }
    return {};
}

} // namespace kiln::targets::cuda
