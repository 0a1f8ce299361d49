// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Limits: CUDA C++ Programming Guide, table of technical specifications per compute capability.
#include "backends/cuda/launch_limits.h"

#include <fmt/format.h>

namespace kiln::backends::cuda {
namespace {

constexpr std::array<int64_t, 3> kMostBlocks{INT32_MAX, 65535, 65535};
constexpr std::array<int64_t, 3> kMostThreads{1024, 1024, 64};
constexpr int64_t kMostThreadsInBlock = 1024;
constexpr int64_t kMostSharedBytes = 227 * 1024;
constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};

} // namespace

std::string problemOf(backend::UserLaunch const& launch) {
    auto const outside = [](char const* what, std::array<int64_t, 3> const& numbers,
                            std::array<int64_t, 3> const& limits) -> std::string {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (numbers[axis] < 1 || numbers[axis] > limits[axis]) {
                return fmt::format("{} {}: expected 1 to {}, got {}", what, kAxes[axis],
                                   limits[axis], numbers[axis]);
            }
        }
        return {};
    };
    if (std::string problem = outside("grid", launch.grid, kMostBlocks); !problem.empty()) {
        return problem;
    }
    if (std::string problem = outside("block", launch.block, kMostThreads); !problem.empty()) {
        return problem;
    }
    int64_t const threads = launch.block[0] * launch.block[1] * launch.block[2];
    if (threads > kMostThreadsInBlock) {
        return fmt::format("block: expected at most {} threads, got {}", kMostThreadsInBlock,
                           threads);
    }
    if (launch.sharedBytes < 0 || launch.sharedBytes > kMostSharedBytes) {
        return fmt::format("shared memory: expected 0 to {} bytes, got {}", kMostSharedBytes,
                           launch.sharedBytes);
    }
    return {};
}

} // namespace kiln::backends::cuda
