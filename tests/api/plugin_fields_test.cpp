// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugin state in the plan is restored: fields of every PluginFieldType, and the V2 blob.
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

/// Builds a plan with the script's plugin and opens it.
void buildAndOpen(Script& script, Style style) {
    Session session;
    ITensor& x = session.input("x", {2});
    ILayer* const layer = addScripted(*session.network, script, style, {&x});
    ASSERT_NE(layer, nullptr) << session.log.errors();
    session.output(*layer->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running const running(session.log, *plan);
    ASSERT_NE(running.engine, nullptr) << session.log.errors();
}

TEST(PluginFields, EveryTypeRoundTrips) {
    unsigned char raw[64];
    for (std::size_t i = 0; i < sizeof(raw); ++i) {
        raw[i] = static_cast<unsigned char>(i * 7 + 1);
    }
    Dims const shapes[] = {dims({1, -1, 3}), dims({})};
    struct Kind {
        PluginFieldType type;
        char const* name;
        int32_t length;
        std::size_t bytes;
    };
    std::vector<Kind> const kinds{
        {PluginFieldType::kFLOAT16, "float16", 3, 6},
        {PluginFieldType::kFLOAT32, "float32", 3, 12},
        {PluginFieldType::kFLOAT64, "float64", 2, 16},
        {PluginFieldType::kINT8, "int8", 5, 5},
        {PluginFieldType::kINT16, "int16", 3, 6},
        {PluginFieldType::kINT32, "int32", 4, 16},
        {PluginFieldType::kCHAR, "char", 11, 11},
        {PluginFieldType::kDIMS, "dims", 2, 0},
        {PluginFieldType::kUNKNOWN, "unknown", 9, 9},
        {PluginFieldType::kBF16, "bf16", 3, 6},
        {PluginFieldType::kINT64, "int64", 3, 24},
        {PluginFieldType::kFP8, "fp8", 3, 3},
        {PluginFieldType::kINT4, "int4", 3, 2},
        {PluginFieldType::kFP4, "fp4", 5, 3},
    };
    ASSERT_EQ(kinds.size(), static_cast<std::size_t>(EnumMax<PluginFieldType>()));
    Script script;
    for (Kind const& kind : kinds) {
        void const* data =
            kind.type == PluginFieldType::kDIMS ? static_cast<void const*>(shapes) : raw;
        script.fields.emplace_back(kind.name, data, kind.type, kind.length);
    }
    script.fields.emplace_back("empty", nullptr, PluginFieldType::kINT32, 0);
    ScriptedV3Creator creator(script);
    int seen = 0;
    creator.onCreate = [&](PluginFieldCollection const& all) {
        ASSERT_EQ(all.nbFields, static_cast<int32_t>(kinds.size()) + 1);
        for (std::size_t i = 0; i < kinds.size(); ++i, ++seen) {
            PluginField const& field = all.fields[i];
            EXPECT_STREQ(field.name, kinds[i].name);
            EXPECT_EQ(field.type, kinds[i].type);
            EXPECT_EQ(field.length, kinds[i].length);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(field.data) % 8, 0U) << "not aligned";
            if (field.type == PluginFieldType::kDIMS) {
                auto const* back = static_cast<Dims const*>(field.data);
                EXPECT_EQ(str(back[0]), "[1,-1,3]");
                EXPECT_EQ(str(back[1]), "[]");
            } else {
                EXPECT_EQ(std::memcmp(field.data, raw, kinds[i].bytes), 0) << field.name;
            }
        }
        EXPECT_STREQ(all.fields[seen].name, "empty");
        EXPECT_EQ(all.fields[seen].length, 0);
    };
    buildAndOpen(script, Style::kV3);
    EXPECT_EQ(seen, EnumMax<PluginFieldType>());
    EXPECT_EQ(script.alive, 0);
}

TEST(PluginFields, NoElementAndOneOfEveryType) {
    Dims const shape = dims({4});
    unsigned char const raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int32_t const length : {0, 1}) {
        Script script;
        for (int32_t type = 0; type < EnumMax<PluginFieldType>(); ++type) {
            auto const kind = static_cast<PluginFieldType>(type);
            script.fields.emplace_back(
                "field", kind == PluginFieldType::kDIMS ? static_cast<void const*>(&shape) : raw,
                kind, length);
        }
        ScriptedV3Creator creator(script);
        int seen = 0;
        creator.onCreate = [&](PluginFieldCollection const& all) {
            for (; seen < all.nbFields; ++seen) {
                PluginField const& field = all.fields[seen];
                EXPECT_EQ(field.type, static_cast<PluginFieldType>(seen));
                EXPECT_EQ(field.length, length);
                EXPECT_NE(field.data, nullptr) << "an empty field looks like one without data";
                if (length == 1) {
                    EXPECT_EQ(std::memcmp(field.data, script.fields[seen].data, 1), 0);
                }
            }
        };
        buildAndOpen(script, Style::kV3);
        EXPECT_EQ(seen, EnumMax<PluginFieldType>());
    }
}

TEST(PluginFields, NoFields) {
    Script script;
    ScriptedV3Creator creator(script);
    int32_t count = -1;
    creator.onCreate = [&](PluginFieldCollection const& all) { count = all.nbFields; };
    buildAndOpen(script, Style::kV3);
    EXPECT_EQ(count, 0);
}

TEST(PluginFields, V2BlobRoundTrips) {
    for (std::size_t const size : {std::size_t{0}, std::size_t{1}, std::size_t{100000}}) {
        Script script;
        script.blob.assign(size, '\0');
        for (std::size_t i = 0; i < size; ++i) {
            script.blob[i] = static_cast<char>(i * 31);
        }
        ScriptedV2Creator creator(script);
        creator.restored = "nothing yet";
        buildAndOpen(script, Style::kV2);
        EXPECT_EQ(creator.restored, script.blob);
        EXPECT_EQ(script.alive, 0);
    }
}

TEST(PluginFields, NamespaceVersionAndNameFindTheCreator) {
    for (Style const style : {Style::kV2, Style::kV3}) {
        Script script;
        script.name = "Tr\xc3\xa4nk";
        script.version = "2.1-beta";
        script.space = "a::b";
        Outcome const outcome = UserStory(script, style).play();
        EXPECT_EQ(outcome.stage, "done") << outcome.errors;
    }
}

} // namespace
} // namespace kiln::test
