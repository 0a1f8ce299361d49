// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/checked.h"

namespace kiln::runtime {
namespace {

constexpr std::string_view kArena = "bytes of the arena";

/// The end of a block, rounded up to the alignment of the next one.
uint64_t endOf(Block const& block) {
    uint64_t const end = checkedAdd(block.offset, block.bytes, kArena);
    return checkedAdd(end, kArenaAlignment - 1, kArena) / kArenaAlignment * kArenaAlignment;
}

/// The blocks that have a place, by time. So a block is compared with those that it meets only.
class PlacedBlocks {
public:
    explicit PlacedBlocks(std::span<Block const> blocks) {
        int32_t last = 0;
        for (Block const& block : blocks) {
            last = std::max(last, block.last);
        }
        steps_.resize(static_cast<std::size_t>(last) + 1);
    }

    void add(Block const& block) {
        at(block.first).beginning.push_back(&block);
        for (int32_t step = block.first; step <= block.last; ++step) {
            at(step).living.push_back(&block);
        }
    }

    /// Those that live at the same time as `block`, by offset.
    std::vector<Block const*> const& together(Block const& block) {
        found_ = at(block.first).living;
        for (int32_t step = block.first + 1; step <= block.last; ++step) {
            auto const& more = at(step).beginning;
            found_.insert(found_.end(), more.begin(), more.end());
        }
        std::sort(found_.begin(), found_.end(),
                  [](Block const* a, Block const* b) { return a->offset < b->offset; });
        return found_;
    }

private:
    struct Step {
        std::vector<Block const*> living;
        std::vector<Block const*> beginning;
    };

    Step& at(int32_t step) { return steps_.at(static_cast<std::size_t>(step)); }

    std::vector<Step> steps_;
    std::vector<Block const*> found_;
};

} // namespace

uint64_t planMemory(std::span<Block> blocks) {
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return blocks[a].bytes > blocks[b].bytes;
    });
    uint64_t arena = 0;
    PlacedBlocks placed(blocks);
    for (std::size_t const index : order) {
        Block& block = blocks[index];
        if (block.bytes == 0) {
            continue;
        }
        uint64_t offset = 0;
        for (Block const* other : placed.together(block)) {
            if (checkedAdd(offset, block.bytes, kArena) <= other->offset) {
                break; // fits into the gap before this one
            }
            offset = std::max(offset, endOf(*other));
        }
        block.offset = offset;
        arena = std::max(arena, endOf(block));
        placed.add(block);
    }
    return arena;
}

} // namespace kiln::runtime
