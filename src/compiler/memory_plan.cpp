// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/checked.h"

namespace kiln::compiler {
namespace {

bool liveTogether(Block const& a, Block const& b) {
    return a.first <= b.last && b.first <= a.last;
}

constexpr std::string_view kArena = "bytes of the arena";

/// The end of a block, rounded up to the alignment of the next one.
uint64_t endOf(Block const& block) {
    uint64_t const end = checkedAdd(block.offset, block.bytes, kArena);
    return checkedAdd(end, kArenaAlignment - 1, kArena) / kArenaAlignment * kArenaAlignment;
}

} // namespace

uint64_t planMemory(std::span<Block> blocks) {
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks[a].bytes > blocks[b].bytes;
    });
    uint64_t arena = 0;
    std::vector<Block const*> placed; // by offset
    for (std::size_t const index : order) {
        Block& block = blocks[index];
        if (block.bytes == 0) {
            continue;
        }
        uint64_t offset = 0;
        for (Block const* other : placed) {
            if (!liveTogether(block, *other)) {
                continue;
            }
            if (checkedAdd(offset, block.bytes, kArena) <= other->offset) {
                break; // fits into the gap before this one
            }
            offset = std::max(offset, endOf(*other));
        }
        block.offset = offset;
        arena = std::max(arena, endOf(block));
        placed.insert(
            std::upper_bound(placed.begin(), placed.end(), &block,
                             [](Block const* a, Block const* b) { return a->offset < b->offset; }),
            &block);
    }
    return arena;
}

} // namespace kiln::compiler
