// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/guard.h"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace kiln::runtime {
namespace {

TEST(GuardedBlock, MemoryIsAlignedAndEndsAtTheGuard) {
    GuardedBlock block(1000);
    EXPECT_EQ(block.capacity(), 1000U);
    std::byte* const data = block.arm(256);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
    std::memset(data, 1, 256);
    EXPECT_FALSE(block.overrun());
}

// The fault is the point; sanitizers have handlers of their own for it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(GuardedBlock, AWriteIntoTheGuardGoesOnAndIsNoticed) {
    GuardedBlock block(256);
    for (int32_t round = 0; round < 2; ++round) {
        auto volatile* const data = reinterpret_cast<char*>(block.arm(256));
        EXPECT_FALSE(block.overrun());
        data[256] = 1;
        data[70000] = 1;
        EXPECT_TRUE(block.overrun());
    }
}
#endif

TEST(GuardedBlock, AWriteBeforeTheGuardIsNoticedByTheCanary) {
    GuardedBlock block(100);
    std::byte* const data = block.arm(100);
    EXPECT_FALSE(block.overrun());
    data[100] = std::byte{0};
    EXPECT_TRUE(block.overrun());
    block.arm(100);
    EXPECT_FALSE(block.overrun());
}

TEST(GuardedBlock, EmptyOutputsHaveRoomForNothing) {
    GuardedBlock block(0);
    EXPECT_NE(block.arm(0), nullptr);
    EXPECT_FALSE(block.overrun());
}

} // namespace
} // namespace kiln::runtime
