// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Limits: CUDA C++ Programming Guide, table of technical specifications per compute capability.
#include "base/error.h"
#include "plugin/code/check_kernel.h"

namespace kiln::plugin {
namespace {

constexpr char const* kGridNames[3] = {"grid_x", "grid_y", "grid_z"};
constexpr char const* kBlockNames[3] = {"block_x", "block_y", "block_z"};
constexpr int64_t kMostGrid[3] = {2147483647, 65535, 65535};
constexpr int64_t kMostBlock[3] = {1024, 1024, 64};
constexpr int64_t kMostThreads = 1024;
constexpr int64_t kMostSharedBytes = 232448; // 227 KiB, of compute capability 9.0 and 10.0

void checkBetween(char const* name, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most) {
        fail(ErrorKind::kInvalidArgument,
             "{}: expected {} to {}, got {}. Change the launch parameters.", name, least, most,
             value);
    }
}

} // namespace

void checkLaunch(std::array<int64_t, 3> const& grid, std::array<int64_t, 3> const& block,
                 int64_t sharedBytes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        checkBetween(kGridNames[axis], grid[axis], 1, kMostGrid[axis]);
        checkBetween(kBlockNames[axis], block[axis], 1, kMostBlock[axis]);
    }
    int64_t const threads = block[0] * block[1] * block[2];
    if (threads > kMostThreads) {
        fail(
            ErrorKind::kInvalidArgument,
            "block_x, block_y, block_z: expected at most {} threads, got {} x {} x {}. Use smaller "
            "blocks.",
            kMostThreads, block[0], block[1], block[2]);
    }
    checkBetween("shared_mem", sharedBytes, 0, kMostSharedBytes);
}

} // namespace kiln::plugin
