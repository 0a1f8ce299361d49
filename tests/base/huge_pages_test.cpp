// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(HugePages, AnyMemoryMayBeGiven) {
    useHugePages(nullptr, 0);
    std::vector<char> bytes(3 * kHugePage + 5, 'x');
    for (std::size_t const begin : {std::size_t{0}, std::size_t{1}, kHugePage}) {
        useHugePages(bytes.data() + begin, bytes.size() - begin);
        useHugePages(bytes.data() + begin, 100);
    }
    EXPECT_EQ(std::vector<char>(3 * kHugePage + 5, 'x'), bytes);
}

TEST(HugePages, MappedMemoryIsAlignedAndZero) {
    for (std::size_t const bytes : {std::size_t{1}, kHugePage, 2 * kHugePage + 5}) {
        auto* const memory = static_cast<char*>(mapMemory(bytes));
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kHugePage, 0U);
        EXPECT_EQ(std::vector<char>(memory, memory + bytes), std::vector<char>(bytes, 0));
        memory[bytes - 1] = 'x';
        unmapMemory(memory, bytes);
    }
    EXPECT_EQ(mapMemory(SIZE_MAX), nullptr);
    EXPECT_EQ(mapMemory(SIZE_MAX / 4), nullptr);
}

} // namespace
} // namespace kiln
