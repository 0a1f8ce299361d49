// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::runtime {
namespace {

bool liveTogether(Block const& a, Block const& b) {
    return a.first <= b.last && b.first <= a.last;
}

/// Checks what must hold for every plan.
void expectValid(std::vector<Block> const& blocks, uint64_t arena) {
    uint64_t sum = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Block const& a = blocks[i];
        ASSERT_EQ(a.offset % kArenaAlignment, 0U);
        ASSERT_LE(a.offset + a.bytes, arena);
        sum += (a.bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
        for (std::size_t j = 0; j < i; ++j) {
            Block const& b = blocks[j];
            bool const apart = a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset;
            ASSERT_TRUE(apart || !liveTogether(a, b) || a.bytes == 0 || b.bytes == 0)
                << "blocks " << j << " and " << i;
        }
    }
    EXPECT_LE(arena, sum);
    EXPECT_EQ(arena % kArenaAlignment, 0U);
}

/// The most bytes that are live at one step: no plan can need less.
uint64_t peakOf(std::vector<Block> const& blocks, int32_t steps) {
    uint64_t peak = 0;
    for (int32_t step = 0; step < steps; ++step) {
        uint64_t live = 0;
        for (Block const& block : blocks) {
            live += block.first <= step && step <= block.last ? block.bytes : 0;
        }
        peak = std::max(peak, live);
    }
    return peak;
}

TEST(MemoryPlan, NothingNeedsNothing) {
    EXPECT_EQ(planMemory({}), 0U);
    std::vector<Block> blocks{{0, 0, 5, 0}, {0, 2, 3, 0}};
    EXPECT_EQ(planMemory(blocks), 0U);
}

TEST(MemoryPlan, OneBlockIsRoundedUp) {
    std::vector<Block> blocks{{1, 0, 0, 99}};
    EXPECT_EQ(planMemory(blocks), 64U);
    EXPECT_EQ(blocks[0].offset, 0U);
}

TEST(MemoryPlan, AChainNeedsTwoBuffers) {
    std::vector<Block> blocks;
    for (int32_t i = 0; i < 50; ++i) {
        blocks.push_back({640, i, i + 1, 0});
    }
    EXPECT_EQ(planMemory(blocks), 1280U);
    expectValid(blocks, 1280);
}

TEST(MemoryPlan, AGapBetweenTwoIsFilled) {
    // The third block takes the place of the second: 1024 + 512 + 64 bytes.
    std::vector<Block> blocks{{1024, 0, 9, 0}, {512, 0, 4, 0}, {512, 5, 9, 0}, {64, 0, 9, 0}};
    uint64_t const arena = planMemory(blocks);
    expectValid(blocks, arena);
    EXPECT_EQ(arena, 1600U);
    EXPECT_EQ(blocks[1].offset, blocks[2].offset);
}

TEST(MemoryPlan, RandomBlocksNeverOverlapWhileLive) {
    std::mt19937 random(20240607);
    for (int round = 0; round < 300; ++round) {
        int32_t const steps = 1 + static_cast<int32_t>(random() % 40);
        std::vector<Block> blocks(1 + random() % 60);
        for (Block& block : blocks) {
            int32_t const a = static_cast<int32_t>(random() % static_cast<uint32_t>(steps));
            int32_t const b = static_cast<int32_t>(random() % static_cast<uint32_t>(steps));
            block = {random() % 5000, std::min(a, b), std::max(a, b), 0};
        }
        uint64_t const arena = planMemory(blocks);
        expectValid(blocks, arena);
        EXPECT_GE(arena, peakOf(blocks, steps));
    }
}

/// Greedy by size, lowest fitting offset, by looking at all blocks.
uint64_t simplePlan(std::vector<Block>& blocks) {
    std::vector<Block*> order;
    for (Block& block : blocks) {
        order.push_back(&block);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](Block const* a, Block const* b) { return a->bytes > b->bytes; });
    uint64_t arena = 0;
    for (std::size_t i = 0; i < order.size() && order[i]->bytes > 0; ++i) {
        uint64_t const bytes = (order[i]->bytes + 63) / 64 * 64;
        uint64_t offset = 0;
        for (std::size_t j = 0; j < i; ++j) { // restarts behind each block in the way
            Block const& other = *order[j];
            if (liveTogether(*order[i], other) && offset < other.offset + other.bytes &&
                other.offset < offset + bytes) {
                offset = (other.offset + other.bytes + 63) / 64 * 64;
                j = static_cast<std::size_t>(-1);
            }
        }
        order[i]->offset = offset;
        arena = std::max(arena, offset + bytes);
    }
    return arena;
}

TEST(MemoryPlan, IsThatOfASearchThroughAllBlocks) {
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        std::vector<Block> blocks(1 + random() % 40);
        for (Block& block : blocks) {
            auto const first = static_cast<int32_t>(random() % 30);
            block = {random() % 3000, first, first + static_cast<int32_t>(random() % 6), 0};
        }
        std::vector<Block> simple = blocks;
        ASSERT_EQ(planMemory(blocks), simplePlan(simple));
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            ASSERT_EQ(blocks[i].offset, simple[i].offset) << "block " << i;
        }
    }
}

TEST(MemoryPlan, EqualBlocksGetEqualPlans) {
    std::vector<Block> first{{100, 0, 3, 0}, {100, 1, 2, 0}, {100, 2, 5, 0}};
    std::vector<Block> second = first;
    EXPECT_EQ(planMemory(first), planMemory(second));
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].offset, second[i].offset);
    }
}

TEST(MemoryPlan, OverflowIsAnError) {
    std::vector<Block> one{{UINT64_MAX, 0, 0, 0}};
    EXPECT_THROW(planMemory(one), Error);
    std::vector<Block> two{{UINT64_MAX / 2, 0, 1, 0}, {UINT64_MAX / 2 + 2, 0, 1, 0}};
    EXPECT_THROW(planMemory(two), Error);
}

} // namespace
} // namespace kiln::runtime
