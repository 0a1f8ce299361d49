// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Hash, EveryFlippedBitShows) {
    Bytes bytes(100, std::byte{7});
    uint64_t const before = hashBytes(bytes);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
        EXPECT_NE(hashBytes(bytes), before) << bit;
        bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(hashBytes(bytes), before);
}

TEST(Hash, IsTheOneOfThePlanFormat) {
    // XXH3 (64 bits) of no bytes, from its specification: plans depend on the exact function.
    EXPECT_EQ(hashBytes({}), 0x2D06800538D394C2ULL);
}

} // namespace
} // namespace kiln
