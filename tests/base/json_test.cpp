// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <limits>

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Json, Values) {
    EXPECT_EQ(Json().dump(), "null");
    EXPECT_EQ(Json(true).dump(), "true");
    EXPECT_EQ(Json(-3).dump(), "-3");
    EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).dump(), "18446744073709551615");
    EXPECT_EQ(Json(int8_t{65}).dump(), "65");
    EXPECT_EQ(Json(0.5F).dump(), "0.5");
    EXPECT_EQ(Json(2.0).dump(), "2.0");
    EXPECT_EQ(Json(1e300).dump(), "1e+300");
    EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
    EXPECT_EQ(Json("text").dump(), "\"text\"");
    EXPECT_EQ(Json(std::vector<int64_t>{1, -1}).dump(), "[1,-1]");
    EXPECT_EQ(Json(std::vector<std::string>{}).dump(), "[]");
}

TEST(Json, Objects) {
    Json json = Json::object("name", "x", "count", 2);
    json["list"].push_back(1.5);
    json["empty"] = Json::object();
    EXPECT_EQ(json.dump(), R"({"name":"x","count":2,"list":[1.5],"empty":{}})");
    EXPECT_EQ(json.dump(2), "{\n  \"name\": \"x\",\n  \"count\": 2,\n  \"list\": [\n    1.5\n  ],\n"
                            "  \"empty\": {}\n}");
    Json const& read = json;
    EXPECT_EQ(read["nothing"].dump(), "null");
    EXPECT_EQ(read["name"].text(), "x");
    EXPECT_TRUE(read["name"].elements().empty());
}

TEST(Json, TextsAreEscapedAndValid) {
    EXPECT_EQ(Json("a\"b\\c\n\t\x01").dump(), "\"a\\\"b\\\\c\\n\\t\\u0001\"");
    EXPECT_EQ(Json("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80").dump(),
              "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
    std::string const replaced = "\xef\xbf\xbd";
    EXPECT_EQ(Json("\xff").dump(), "\"" + replaced + "\"");
    EXPECT_EQ(Json("x\xc3").dump(), "\"x" + replaced + "\"");
    EXPECT_EQ(Json("\xc0\x80").dump(), "\"" + replaced + replaced + "\"") << "overlong";
    EXPECT_EQ(Json("\xed\xa0\x80z").dump(), "\"" + replaced + replaced + replaced + "z\"");
}

} // namespace
} // namespace kiln
