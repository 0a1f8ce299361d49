// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/ids.h"

#include <string>
#include <type_traits>
#include <unordered_set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using Fruit = NumberId<struct FruitTag>;
using Stone = NumberId<struct StoneTag>;

// Ids of another kind do not convert, nor does an id to a number.
static_assert(!std::is_convertible_v<Fruit, std::size_t>);
static_assert(!std::is_constructible_v<Fruit, Stone>);

TEST(Ids, WrittenNumbersConvert) {
    Table<Fruit, std::string> names{"apple", "pear"};
    EXPECT_EQ(names[1], "pear");
    Fruit const third = names.add("plum");
    EXPECT_TRUE(third == 2);
    EXPECT_EQ(names[third], "plum");
}

TEST(Ids, NoneIsInNoTable) {
    Table<Fruit, int> const counts(3, 7);
    EXPECT_TRUE(Fruit().isNone());
    EXPECT_FALSE(counts.has(Fruit()));
    EXPECT_FALSE(counts.has(Fruit::of(-5)));
    EXPECT_FALSE(counts.has(Fruit::of(3)));
    EXPECT_TRUE(counts.has(Fruit::of(2)));
}

TEST(Ids, TablesListTheirIds) {
    Table<Fruit, int> const counts(3, 7);
    std::unordered_set<Fruit> seen;
    for (Fruit const id : counts.ids()) {
        EXPECT_EQ(counts[id], 7);
        seen.insert(id);
    }
    EXPECT_THAT(seen, ::testing::UnorderedElementsAre(Fruit(0), Fruit(1), Fruit(2)));
}

TEST(Ids, MessagesShowTheNumber) {
    EXPECT_EQ(fmt::format("{} {}", Fruit(4), Fruit()), "4 -1");
}

} // namespace
} // namespace kiln
