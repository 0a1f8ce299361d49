// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace kiln::runtime {

/// A block of the arena that is in use from step `first` to step `last`, both included.
struct Block {
    uint64_t bytes = 0;
    int32_t first = 0;
    int32_t last = 0;
    uint64_t offset = 0; ///< decided by planMemory, a multiple of kArenaAlignment
};

constexpr uint64_t kArenaAlignment = 64;

/// Gives each block an offset such that blocks that live at the same time do not overlap, and
/// returns the size of the arena. Greedy by size, lowest fitting offset: within a few percent of
/// the lower bound on networks (Pisarchyk and Lee, "Efficient memory management for deep neural
/// net inference", 2020).
uint64_t planMemory(std::span<Block> blocks);

} // namespace kiln::runtime
