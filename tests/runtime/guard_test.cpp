// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard.h"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace kiln::runtime {
namespace {

using Damage = GuardedBlock::Damage;

TEST(GuardedBlock, MemoryIsAlignedAndEndsAtTheGuard) {
    GuardedBlock block(1000);
    EXPECT_EQ(block.capacity(), 1000U);
    std::byte* const data = block.arm(256);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
    std::memset(data, 1, 256);
    EXPECT_EQ(block.damage(), Damage::kNone);
}

// These tests fault on purpose; sanitizers install their own handlers.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(GuardedBlock, AWriteIntoTheGuardGoesOnAndIsNoticed) {
    GuardedBlock block(256);
    for (int32_t round = 0; round < 2; ++round) {
        auto volatile* const data = reinterpret_cast<char*>(block.arm(256));
        EXPECT_EQ(block.damage(), Damage::kNone);
        data[256] = 1;
        data[70000] = 1;
        EXPECT_EQ(block.damage(), Damage::kBehind);
    }
}

TEST(GuardedBlock, AWriteFarBehindIsNoticed) {
    GuardedBlock block(256);
    for (std::size_t const distance : {std::size_t{3} << 20, std::size_t{900} << 20}) {
        auto volatile* const data = reinterpret_cast<char*>(block.arm(256));
        data[distance] = 1;
        EXPECT_EQ(block.damage(), Damage::kBehind) << distance;
    }
}

TEST(GuardedBlock, AWriteInFrontIsNoticed) {
    GuardedBlock block(100000);
    for (std::ptrdiff_t const distance : {5000, 90000, 200 << 20}) {
        auto volatile* const data = reinterpret_cast<char*>(block.arm(256));
        EXPECT_EQ(block.damage(), Damage::kNone);
        data[-distance] = 1;
        EXPECT_EQ(block.damage(), Damage::kInFront) << distance;
    }
    std::byte* const whole = block.arm(100000);
    std::memset(whole, 1, 100000);
    EXPECT_EQ(block.damage(), Damage::kNone);
}
#endif

TEST(GuardedBlock, AWriteBeforeTheGuardIsNoticedByTheCanary) {
    GuardedBlock block(100);
    std::byte* const data = block.arm(100);
    EXPECT_EQ(block.damage(), Damage::kNone);
    data[100] = std::byte{0};
    EXPECT_EQ(block.damage(), Damage::kBehind);
    block.arm(100);
    EXPECT_EQ(block.damage(), Damage::kNone);
}

TEST(GuardedBlock, AWriteJustInFrontIsNoticedByTheCanary) {
    GuardedBlock block(100);
    std::byte* const data = block.arm(100);
    data[-1] = std::byte{0};
    EXPECT_EQ(block.damage(), Damage::kInFront);
}

TEST(GuardedBlock, EmptyOutputsHaveRoomForNothing) {
    GuardedBlock block(0);
    EXPECT_NE(block.arm(0), nullptr);
    EXPECT_EQ(block.damage(), Damage::kNone);
}

} // namespace
} // namespace kiln::runtime
