// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gmock/gmock.h>

namespace kiln::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Text, NearNamesAreWhatMayHaveBeenMeant) {
    std::vector<std::string> const known{"CircPadPlugin", "RoiAlign", "CoordConv",
                                         "circpadplugin2"};
    EXPECT_THAT(nearNames("circpadplugin", known), ElementsAre("CircPadPlugin", "circpadplugin2"));
    EXPECT_THAT(nearNames("RoiAlgin", known), ElementsAre("RoiAlign"));
    EXPECT_THAT(nearNames("Softmax", known), IsEmpty());
    EXPECT_THAT(nearNames("", known), IsEmpty());
}

TEST(Text, NearNamesAreAtMostSoMany) {
    std::vector<std::string> const known{"name1", "name2", "name3", "name4"};
    EXPECT_EQ(nearNames("name0", known, 2).size(), 2U);
}

TEST(Text, Join) {
    EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
    EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
}

TEST(Text, NullIsEmpty) {
    EXPECT_STREQ(orEmpty(nullptr), "");
    EXPECT_STREQ(orEmpty("x"), "x");
}

} // namespace
} // namespace kiln::test
