// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/field_values.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace kiln::plugin {
namespace {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldCollection;
using nvinfer1::PluginFieldType;
using testing::HasSubstr;

std::string refusal(PluginFieldCollection const& collection) {
    try {
        copyFields(collection);
        return "";
    } catch (Error const& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kInvalidArgument);
        return error.what();
    }
}

TEST(FieldValues, CopyOutlivesTheOriginal) {
    std::vector<FieldValue> values;
    {
        std::vector<float> const data{1.5F, -2.0F};
        std::string const name = "scales";
        PluginField const field(name.c_str(), data.data(), PluginFieldType::kFLOAT32, 2);
        values = copyFields({1, &field});
    }
    FieldView const view(values);
    ASSERT_EQ(view.collection()->nbFields, 1);
    PluginField const& back = view.collection()->fields[0];
    EXPECT_STREQ(back.name, "scales");
    EXPECT_EQ(back.length, 2);
    EXPECT_EQ(static_cast<float const*>(back.data)[1], -2.0F);
}

TEST(FieldValues, HalfBytesAreRoundedUp) {
    unsigned char const data[3] = {1, 2, 3};
    PluginField const field("packed", data, PluginFieldType::kINT4, 5);
    EXPECT_EQ(copyFields({1, &field})[0].data.size(), 3U);
}

TEST(FieldValues, UnknownCountsBytes) {
    unsigned char const data[7] = {};
    PluginField const field("raw", data, PluginFieldType::kUNKNOWN, 7);
    EXPECT_EQ(copyFields({1, &field})[0].data.size(), 7U);
}

TEST(FieldValues, EmptyFieldsNeedNoData) {
    PluginField const field("none", nullptr, PluginFieldType::kINT32, 0);
    std::vector<FieldValue> const values = copyFields({1, &field});
    EXPECT_TRUE(values[0].data.empty());
    EXPECT_TRUE(copyFields({0, nullptr}).empty());
}

TEST(FieldValues, EmptyFieldsHaveAnAddress) {
    std::vector<FieldValue> const values{
        {"mode", static_cast<int32_t>(PluginFieldType::kCHAR), 0, {}}};
    FieldView const view(values);
    PluginField const& field = view.collection()->fields[0];
    EXPECT_EQ(field.length, 0);
    EXPECT_NE(field.data, nullptr);
}

TEST(FieldValues, AFieldWithoutAName) {
    int32_t const data = 3;
    PluginField const field(nullptr, &data, PluginFieldType::kINT32, 1);
    EXPECT_EQ(copyFields({1, &field})[0].name, "");
}

TEST(FieldValues, BadCollections) {
    EXPECT_THAT(refusal({-1, nullptr}), HasSubstr("0 or more fields, got -1"));
    EXPECT_THAT(refusal({2, nullptr}), HasSubstr("expected a field collection"));
    PluginField field("f", nullptr, PluginFieldType::kINT32, 2);
    EXPECT_THAT(refusal({1, &field}), HasSubstr("field 'f': expected data and a length"));
    field.length = -2;
    EXPECT_THAT(refusal({1, &field}), HasSubstr("got length -2 and no data"));
    field.type = static_cast<PluginFieldType>(-1);
    EXPECT_THAT(refusal({1, &field}), HasSubstr("expected a member of PluginFieldType, got -1"));
}

} // namespace
} // namespace kiln::plugin
