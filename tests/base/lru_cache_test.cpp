// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/lru_cache.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(LruCache, ForgetsWhatWasNotUsedForLongest) {
    LruCache<std::string, int> cache(3);
    cache.store("a", 1);
    cache.store("b", 2);
    cache.store("c", 3);
    EXPECT_EQ(cache.find("a"), 1);
    cache.store("d", 4);
    EXPECT_EQ(cache.size(), 3U);
    EXPECT_EQ(cache.find("a"), 1);
    EXPECT_EQ(cache.find("b"), std::nullopt);
    EXPECT_EQ(cache.find("c"), 3);
    EXPECT_EQ(cache.find("d"), 4);
}

TEST(LruCache, KeepsTheFirstValueOfAKey) {
    LruCache<int, int> cache(2);
    cache.store(1, 10);
    cache.store(1, 11);
    EXPECT_EQ(cache.find(1), 10);
    EXPECT_EQ(cache.size(), 1U);
}

TEST(LruCache, LetsGoOfValues) {
    LruCache<int, std::shared_ptr<int>> cache(1);
    auto const value = std::make_shared<int>(5);
    cache.store(1, value);
    EXPECT_EQ(value.use_count(), 2);
    cache.store(2, nullptr);
    EXPECT_EQ(value.use_count(), 1);
}

} // namespace
} // namespace kiln
