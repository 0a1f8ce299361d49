// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Nodes that become plugins: which creator is called, and which fields it gets.

#include "onnx/parser_harness.h"

#include <gmock/gmock.h>

#include <cstring>
#include <map>

namespace kiln::onnx {
namespace {

using nvinfer1::PluginField;
using nvinfer1::PluginFieldCollection;
using nvinfer1::PluginFieldType;
using testing::HasSubstr;

// A field that a creator was given, with a copy of its bytes.
struct SeenField {
    PluginFieldType type;
    int32_t length;
    std::string bytes;
};

size_t elementSize(PluginFieldType type) {
    switch (type) {
    case PluginFieldType::kCHAR:
    case PluginFieldType::kINT8: return 1;
    case PluginFieldType::kFLOAT16:
    case PluginFieldType::kINT16: return 2;
    case PluginFieldType::kINT64:
    case PluginFieldType::kFLOAT64: return 8;
    case PluginFieldType::kDIMS: return sizeof(nvinfer1::Dims);
    default: return 4;
    }
}

// Remembers the fields and makes no plugin.
class RecordingCreator : public nvinfer1::IPluginCreatorV3One {
public:
    nvinfer1::IPluginV3* createPlugin(char const* name, PluginFieldCollection const* fc,
                                      nvinfer1::TensorRTPhase phase) noexcept override {
        layerName = name;
        EXPECT_EQ(phase, nvinfer1::TensorRTPhase::kBUILD);
        seen.clear();
        for (int32_t i = 0; i < fc->nbFields; ++i) {
            PluginField const& field = fc->fields[i];
            EXPECT_NE(field.data, nullptr);
            size_t const size = static_cast<size_t>(field.length) * elementSize(field.type);
            seen[field.name] = {field.type, field.length,
                                std::string(static_cast<char const*>(field.data), size)};
        }
        return nullptr;
    }
    PluginFieldCollection const* getFieldNames() noexcept override {
        collection = {static_cast<int32_t>(listed.size()), listed.data()};
        return &collection;
    }
    char const* getPluginName() const noexcept override { return "Recorder"; }
    char const* getPluginVersion() const noexcept override { return "3"; }
    char const* getPluginNamespace() const noexcept override { return "tests"; }

    std::vector<PluginField> listed;
    PluginFieldCollection collection;
    std::string layerName;
    std::map<std::string, SeenField> seen;
};

class Plugins : public ParserTest {
protected:
    Plugins() { getPluginRegistry()->registerCreator(creator, "tests"); }
    ~Plugins() override { getPluginRegistry()->deregisterCreator(creator); }

    // Imports one node; the creator makes no plugin, so that parsing always ends in an error.
    void parseNode(std::vector<AttributeBytes> attributes) {
        startOver();
        attributes.push_back(stringAttribute("plugin_version", "3"));
        attributes.push_back(stringAttribute("plugin_namespace", "tests"));
        EXPECT_FALSE(parse(ModelWriter(13)
                               .input("x", {2})
                               .node("Recorder", "rec", {"x"}, {"y"}, attributes)
                               .output("y")));
    }

    template <typename Element>
    std::vector<Element> elements(std::string const& name) {
        SeenField const& field = creator.seen.at(name);
        std::vector<Element> values(static_cast<size_t>(field.length));
        EXPECT_EQ(field.bytes.size(), values.size() * sizeof(Element));
        std::memcpy(values.data(), field.bytes.data(), field.bytes.size());
        return values;
    }

    RecordingCreator creator;
};

TEST_F(Plugins, AttributesTakeTheirNaturalTypes) {
    for (char const* name : {"count", "ratio", "mode", "pads"}) {
        creator.listed.emplace_back(name, nullptr, PluginFieldType::kUNKNOWN);
    }
    parseNode({intAttribute("count", 7), floatAttribute("ratio", 0.5F),
               stringAttribute("mode", "wrap"), intsAttribute("pads", {1, 2})});
    EXPECT_THAT(error, HasSubstr("node 'rec' (Recorder): the plugin creator returned no plugin"));
    EXPECT_EQ(creator.layerName, "rec");
    EXPECT_EQ(creator.seen.size(), 4U); // without plugin_version and plugin_namespace
    EXPECT_EQ(creator.seen.at("count").type, PluginFieldType::kINT64);
    EXPECT_EQ(elements<int64_t>("count"), std::vector<int64_t>{7});
    EXPECT_EQ(elements<float>("ratio"), std::vector<float>{0.5F});
    EXPECT_EQ(creator.seen.at("mode").bytes, "wrap");
    EXPECT_EQ(creator.seen.at("mode").type, PluginFieldType::kCHAR);
    EXPECT_EQ(elements<int64_t>("pads"), (std::vector<int64_t>{1, 2}));
}

TEST_F(Plugins, ListedTypesWin) {
    creator.listed = {PluginField("pads", nullptr, PluginFieldType::kINT32),
                      PluginField("small", nullptr, PluginFieldType::kINT8),
                      PluginField("exact", nullptr, PluginFieldType::kFLOAT32),
                      PluginField("half", nullptr, PluginFieldType::kFLOAT16),
                      PluginField("wide", nullptr, PluginFieldType::kFLOAT64),
                      PluginField("shape", nullptr, PluginFieldType::kDIMS)};
    parseNode({intsAttribute("pads", {1, -1}), intAttribute("small", -128),
               intAttribute("exact", 1 << 24), floatAttribute("half", 1.5F),
               floatAttribute("wide", 0.25F), intsAttribute("shape", {4, 5})});
    EXPECT_EQ(elements<int32_t>("pads"), (std::vector<int32_t>{1, -1}));
    EXPECT_EQ(elements<int8_t>("small"), std::vector<int8_t>{-128});
    EXPECT_EQ(elements<float>("exact"), std::vector<float>{16777216.0F});
    EXPECT_EQ(elements<uint16_t>("half"), std::vector<uint16_t>{0x3E00});
    EXPECT_EQ(elements<double>("wide"), std::vector<double>{0.25});
    auto const dims = elements<nvinfer1::Dims>("shape");
    ASSERT_EQ(dims.size(), 1U);
    EXPECT_EQ(dims[0].nbDims, 2);
    EXPECT_EQ(dims[0].d[1], 5);
}

TEST_F(Plugins, ValuesThatDoNotFitAreRefused) {
    creator.listed = {PluginField("small", nullptr, PluginFieldType::kINT8),
                      PluginField("exact", nullptr, PluginFieldType::kFLOAT32),
                      PluginField("half", nullptr, PluginFieldType::kFLOAT16)};
    parseNode({intAttribute("small", 128)});
    EXPECT_THAT(error, HasSubstr("node 'rec' (Recorder): attribute 'small': expected a value that "
                                 "field type INT8 can hold, got 128."));
    parseNode({intAttribute("exact", (1 << 24) + 1)});
    EXPECT_THAT(error, HasSubstr("FLOAT32 can hold, got 16777217."));
    parseNode({intAttribute("exact", INT64_MAX)});
    EXPECT_THAT(error, HasSubstr("FLOAT32 can hold"));
    parseNode({floatAttribute("half", 1e6F)});
    EXPECT_THAT(error, HasSubstr("FLOAT16 can hold"));
}

TEST_F(Plugins, TypesThatDoNotMatchAreRefused) {
    creator.listed = {PluginField("mode", nullptr, PluginFieldType::kCHAR)};
    parseNode({intAttribute("mode", 1)});
    EXPECT_THAT(error, HasSubstr("attribute 'mode': the plugin creator expects field type CHAR, "
                                 "got INT."));
}

TEST_F(Plugins, AttributesThatAreNotListedAreNotPassed) {
    creator.listed = {PluginField("pads", nullptr, PluginFieldType::kINT32),
                      PluginField("absent", nullptr, PluginFieldType::kINT32),
                      PluginField("pads", nullptr, PluginFieldType::kINT32)};
    parseNode({intsAttribute("pads", {1}), intAttribute("extra", 3), stringAttribute("table", "")});
    EXPECT_EQ(creator.seen.size(), 1U);
    EXPECT_EQ(elements<int32_t>("pads"), std::vector<int32_t>{1});
    EXPECT_THAT(logger.all, HasSubstr("node 'rec' (Recorder): attribute 'extra' is not passed to "
                                      "the plugin, whose creator does not list it"));
    EXPECT_THAT(logger.all, HasSubstr("attribute 'table' is not passed"));
    EXPECT_THAT(logger.all, testing::Not(HasSubstr("'plugin_version' is not passed")));
}

TEST_F(Plugins, DuplicateAttributesAreRefused) {
    parseNode({intAttribute("a", 1), intAttribute("a", 2)});
    EXPECT_THAT(error, HasSubstr("node 'rec' (Recorder): expected one attribute 'a', got two."));
}

} // namespace
} // namespace kiln::onnx
