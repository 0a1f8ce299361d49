// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/creator_table.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plugin/restore.h"
#include "support/empty_creator.h"

namespace kiln::plugin {
namespace {

using test::EmptyV2Creator;
using test::EmptyV3Creator;
using testing::HasSubstr;

std::string restoreError(PluginRecord const& record) {
    try {
        restorePlugin(record, CreatorTable::instance());
        return "";
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kPlugin);
        return error.what();
    }
}

PluginRecord recordOf(std::string const& name, PluginStyle style, bool python = false) {
    PluginRecord record;
    record.style = style;
    record.id = {name, "1", ""};
    record.needsPython = python;
    record.layer = "custom";
    return record;
}

TEST(CreatorTable, KindsAreToldApart) {
    EmptyV2Creator v2("A");
    EmptyV3Creator v3("B");
    EXPECT_EQ(asV2Creator(&v2), &v2);
    EXPECT_EQ(asV3Creator(&v2), nullptr);
    EXPECT_EQ(asV3Creator(&v3), &v3);
    EXPECT_EQ(asV2Creator(&v3), nullptr);
    EXPECT_EQ(asV2Creator(nullptr), nullptr);
}

TEST(CreatorTable, MissesNameTheRemedy) {
    EXPECT_THAT(restoreError(recordOf("Absent", PluginStyle::kV2DynamicExt)),
                HasSubstr("[plan] layer 'custom' needs plugin Absent (version 1) (C++, "
                          "IPluginV2DynamicExt): no creator for plugin Absent (version 1). "
                          "Register it before the plan is loaded, or pass --plugins=LIBRARY.so"));
    EXPECT_THAT(restoreError(recordOf("Absent", PluginStyle::kV3, true)),
                HasSubstr("(Python, IPluginV3)"));
    EXPECT_THAT(restoreError(recordOf("Absent", PluginStyle::kV3, true)),
                HasSubstr("--plugins=FILE.py"));
}

TEST(CreatorTable, ACreatorThatMakesNothing) {
    EmptyV3Creator creator("MakesNothing");
    CreatorTable::instance().add(creator, "");
    EXPECT_THAT(restoreError(recordOf("MakesNothing", PluginStyle::kV3)),
                HasSubstr("[plugin] layer 'custom', plugin MakesNothing (version 1), createPlugin: "
                          "expected a plugin, returned null"));
    CreatorTable::instance().remove(creator);
}

TEST(CreatorTable, OrderOfRegistrationIsKept) {
    EmptyV3Creator first("Order1");
    EmptyV3Creator second("Order0");
    CreatorTable& table = CreatorTable::instance();
    std::size_t const before = table.all().size();
    EXPECT_TRUE(table.add(first, ""));
    EXPECT_TRUE(table.add(second, "space"));
    ASSERT_EQ(table.all().size(), before + 2);
    EXPECT_EQ(table.all()[before], &first);
    EXPECT_EQ(table.find({"Order0", "1", "space"}).creator, &second);
    EXPECT_EQ(table.find({"Order0", "1", ""}).creator, nullptr);
    EXPECT_TRUE(table.remove(first));
    EXPECT_TRUE(table.remove(second));
    EXPECT_EQ(table.all().size(), before);
}

// Two threads register, find and remove their own creators at the same time.
TEST(CreatorTable, TwoThreads) {
    auto const work = [](std::string const& prefix) {
        CreatorTable& table = CreatorTable::instance();
        for (int i = 0; i < 200; ++i) {
            EmptyV3Creator creator(prefix + std::to_string(i));
            ASSERT_TRUE(table.add(creator, ""));
            ASSERT_EQ(table.find({prefix + std::to_string(i), "1", ""}).creator, &creator);
            table.missText({"nobody", "1", ""});
            ASSERT_TRUE(table.remove(creator));
        }
    };
    std::thread one(work, "one");
    std::thread two(work, "two");
    one.join();
    two.join();
}

} // namespace
} // namespace kiln::plugin
