// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/huge_pages.h"

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

} // namespace
} // namespace kiln
