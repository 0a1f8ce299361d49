// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The parser as a whole: errors and where they point, flags, support reports, supplied weights.

#include "onnx/parser_harness.h"

#include <gmock/gmock.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kiln::onnx {
namespace {

using nvonnxparser::ErrorCode;
using nvonnxparser::OnnxParserFlag;
using testing::ElementsAre;
using testing::HasSubstr;

using Parser = ParserTest;

ModelWriter reluModel() {
    return ModelWriter(13).input("x", {-1, 3}).node("Relu", "r", {"x"}, {"y"}).output("y");
}

TEST_F(Parser, NamesInputsOutputsAndDimensions) {
    ASSERT_TRUE(parse(reluModel())) << error;
    EXPECT_EQ(parser->getNbErrors(), 0);
    ASSERT_EQ(network->getNbInputs(), 1);
    EXPECT_STREQ(network->getInput(0)->getName(), "x");
    EXPECT_STREQ(network->getInput(0)->getDimensionName(0), "N");
    EXPECT_EQ(network->getInput(0)->getDimensions().d[0], -1);
    EXPECT_EQ(parser->getLayerOutputTensor("r", 0), network->getOutput(0));
    EXPECT_EQ(parser->getLayerOutputTensor("r", 1), nullptr);
    EXPECT_EQ(parser->getLayerOutputTensor("none", 0), nullptr);
}

TEST_F(Parser, ErrorPointsToTheNode) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("Relu", "first", {"x"}, {"h"})
                           .node("TfIdfVectorizer", "sum", {"h"}, {"y"})
                           .output("y")));
    ASSERT_EQ(parser->getNbErrors(), 1);
    auto const* found = parser->getError(0);
    EXPECT_EQ(found->code(), ErrorCode::kUNSUPPORTED_NODE);
    EXPECT_EQ(found->node(), 1);
    EXPECT_STREQ(found->nodeName(), "sum");
    EXPECT_STREQ(found->nodeOperator(), "TfIdfVectorizer");
    EXPECT_STREQ(found->file(), "onnx/plugin_importer.cpp");
    EXPECT_GT(found->line(), 0);
    EXPECT_STREQ(found->func(), "expectCreator");
    EXPECT_THAT(found->desc(),
                HasSubstr("[onnx] node 'sum' (TfIdfVectorizer): operator TfIdfVectorizer of ONNX "
                          "(operator set 13) is not supported yet."));
    EXPECT_THAT(logger.all, HasSubstr(found->desc()));
    EXPECT_EQ(parser->getError(1), nullptr);
    parser->clearErrors();
    EXPECT_EQ(parser->getNbErrors(), 0);
}

TEST_F(Parser, AllUnsupportedNodesAreReported) {
    ModelWriter const model = ModelWriter(13)
                                  .input("x", {2})
                                  .node("TfIdfVectorizer", "first", {"x"}, {"h"})
                                  .node("Relu", "between", {"h"}, {"i"})
                                  .node("CircPad", "second", {"i"}, {"j"})
                                  .node("Relu", "third", {"x", "x"}, {"k"})
                                  .node("Cast", "fourth", {"x"}, {"y"})
                                  .output("y");
    auto const expectAll = [&] {
        ASSERT_EQ(parser->getNbErrors(), 4) << logger.all;
        char const* const names[] = {"first", "second", "third", "fourth"};
        char const* const operators[] = {"TfIdfVectorizer", "CircPad", "Relu", "Cast"};
        int const indices[] = {0, 2, 3, 4};
        for (int i = 0; i < 4; ++i) {
            EXPECT_STREQ(parser->getError(i)->nodeName(), names[i]);
            EXPECT_STREQ(parser->getError(i)->nodeOperator(), operators[i]);
            EXPECT_EQ(parser->getError(i)->node(), indices[i]);
        }
        EXPECT_THAT(parser->getError(1)->desc(), HasSubstr("no plugin creator is registered"));
        EXPECT_THAT(parser->getError(2)->desc(), HasSubstr("expected 1 inputs of Relu"));
        EXPECT_THAT(parser->getError(3)->desc(), HasSubstr("attribute 'to'"));
    };
    EXPECT_FALSE(parse(model));
    expectAll();
    std::string const bytes = model.bytes();
    EXPECT_FALSE(parser->supportsModelV2(bytes.data(), bytes.size()));
    expectAll();
    EXPECT_EQ(parser->getNbSubgraphs(), 3);
    EXPECT_FALSE(parser->isSubgraphSupported(0));
    EXPECT_TRUE(parser->isSubgraphSupported(1));
}

// Nodes after a layer without a shape are not imported, but unknown operators are still found.
TEST_F(Parser, NodesBehindALayerWithoutShape) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .input("z", {3})
                           .node("Add", "broken", {"x", "z"}, {"h"})
                           .node("Relu", "fine", {"x"}, {"i"})
                           .node("TfIdfVectorizer", "unknown", {"i"}, {"y"})
                           .output("y")));
    ASSERT_EQ(parser->getNbErrors(), 2);
    EXPECT_STREQ(parser->getError(0)->nodeName(), "broken");
    EXPECT_STREQ(parser->getError(1)->nodeName(), "unknown");
}

TEST_F(Parser, StandardOperatorsThatAreMissingLogNoPlugin) {
    EXPECT_FALSE(
        parse(ModelWriter(20).input("x", {2}).node("ImageDecoder", "m", {"x"}, {"y"}).output("y")));
    EXPECT_THAT(error,
                HasSubstr("operator ImageDecoder of ONNX (operator set 20) is not supported yet"));
    EXPECT_THAT(logger.all, testing::Not(HasSubstr("[registry]")));
}

TEST_F(Parser, OverridingPluginsLogsNothingForOperators) {
    parser->setFlag(OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
    EXPECT_TRUE(parse(reluModel())) << error;
    EXPECT_EQ(logger.all, "");
}

TEST_F(Parser, MissingPluginNamesVersionAndNamespace) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("CircPad", "pad1", {"x"}, {"y"},
                                 {stringAttribute("plugin_version", "2"),
                                  stringAttribute("plugin_namespace", "sample")})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("name 'CircPad', version '2', namespace 'sample'"));
}

TEST_F(Parser, RefusesEmptyBranches) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("If", "if1", {"x"}, {"y"}, {graphAttribute("then_branch")})
                           .output("y")));
    EXPECT_THAT(error,
                HasSubstr("node 'if1' (If): attribute 'else_branch': expected a graph, got none"));
}

TEST_F(Parser, TakesOldOperatorSets) {
    EXPECT_TRUE(parse(ModelWriter(1).input("x", {2}).node("Relu", "", {"x"}, {"y"}).output("y")))
        << error;
}

TEST_F(Parser, RefusesModelsWithoutAnOperatorSet) {
    EXPECT_FALSE(parse(ModelWriter(0).input("x", {2}).node("Relu", "", {"x"}, {"y"}).output("y")));
    EXPECT_THAT(error, HasSubstr("node #0 (Relu): expected operator set 1 or later, got 0"));
}

TEST_F(Parser, SortsNodes) {
    EXPECT_TRUE(parse(ModelWriter(13)
                          .input("x", {2})
                          .node("Relu", "b", {"h"}, {"y"})
                          .node("Relu", "a", {"x"}, {"h"})
                          .output("y")))
        << error;
    EXPECT_STREQ(network->getLayer(0)->getName(), "a");
}

TEST_F(Parser, RefusesCycles) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("Relu", "a", {"x"}, {"h"})
                           .node("Add", "b", {"h", "j"}, {"i"})
                           .node("Relu", "c", {"i"}, {"j"})
                           .output("j")));
    EXPECT_THAT(error, HasSubstr("node 'b' (Add): expected nodes that can be sorted "
                                 "topologically, got 2 that read each other's outputs"));
    EXPECT_EQ(parser->getError(0)->code(), ErrorCode::kINVALID_GRAPH);
    EXPECT_EQ(parser->getError(0)->node(), 1);
}

TEST_F(Parser, RefusesInputsThatNobodyComputes) {
    EXPECT_FALSE(
        parse(ModelWriter(13).input("x", {2}).node("Relu", "b", {"h"}, {"y"}).output("y")));
    EXPECT_THAT(error, HasSubstr("node 'b' (Relu): input 'h' is neither a graph input"));
    EXPECT_EQ(parser->getError(0)->code(), ErrorCode::kINVALID_GRAPH);
}

TEST_F(Parser, RefusesDamagedAndEmptyModels) {
    EXPECT_FALSE(parser->parse("garbage", 7));
    EXPECT_EQ(parser->getError(0)->code(), ErrorCode::kMODEL_DESERIALIZE_FAILED);
    EXPECT_FALSE(parser->parse(nullptr, 0));
    EXPECT_THAT(parser->getError(0)->desc(), HasSubstr("expected a model, got null"));
    EXPECT_FALSE(parser->parseFromFile("/no/such/file.onnx", 0));
    EXPECT_THAT(parser->getError(0)->desc(), HasSubstr("cannot open '/no/such/file.onnx'"));
    EXPECT_FALSE(parser->parseFromFile(nullptr, 0));
}

TEST_F(Parser, TruncatedModelsNeverCrash) {
    std::string const whole = reluModel().bytes();
    for (size_t size = 0; size < whole.size(); ++size) {
        auto const scratch =
            std::unique_ptr<nvinfer1::INetworkDefinition>(builder->createNetworkV2(0));
        auto const other =
            std::unique_ptr<nvonnxparser::IParser>(nvonnxparser::createParser(*scratch, logger));
        bool const parsed = other->parse(whole.data(), size);
        EXPECT_EQ(parsed, other->getNbErrors() == 0) << size;
    }
}

TEST_F(Parser, WrongSizeOfAnInitializer) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2, 2})
                           .initializer<float>("w", {2, 2}, {1, 2, 3}, kOnnxFloat)
                           .node("MatMul", "m", {"x", "w"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error,
                HasSubstr("initializer 'w': expected 16 bytes for the shape [2, 2] of FLOAT, "
                          "got 12."));
}

TEST_F(Parser, HugeShapeOfAnInitializer) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .initializer<float>("w", {int64_t{1} << 40, int64_t{1} << 40}, {}, 1)
                           .output("w")));
    EXPECT_THAT(error, HasSubstr("expected fewer than 2^57 elements"));
}

TEST_F(Parser, DoubleInitializersBecomeFloat) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {2})
                          .initializer<double>("w", {2}, {0.5, 1.5}, kOnnxDouble)
                          .node("Add", "a", {"x", "w"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(logger.all, HasSubstr("DOUBLE in the model is taken as FLOAT"));
}

TEST_F(Parser, FlagsAndDefaults) {
    EXPECT_TRUE(parser->getFlag(OnnxParserFlag::kNATIVE_INSTANCENORM));
    parser->setFlag(OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
    EXPECT_TRUE(parser->getFlag(OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE));
    EXPECT_EQ(parser->getFlags(), 9U);
    parser->clearFlag(OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE);
    EXPECT_EQ(parser->getFlags(), 1U);
    parser->setFlags(1U << 20); // unknown: refused, nothing changes
    EXPECT_EQ(parser->getFlags(), 1U);
    EXPECT_EQ(parser->getNbErrors(), 1);
    EXPECT_TRUE(parser->supportsOperator("Conv"));
    EXPECT_FALSE(parser->supportsOperator("CircPad"));
    EXPECT_FALSE(parser->supportsOperator(nullptr));
    int64_t count = -1;
    EXPECT_EQ(parser->getUsedVCPluginLibraries(count), nullptr);
    EXPECT_EQ(count, 0);
    EXPECT_FALSE(parser->setBuilderConfig(nullptr));
}

TEST_F(Parser, SupportReportLeavesTheNetworkAlone) {
    std::string const good = reluModel().bytes();
    EXPECT_TRUE(parser->supportsModelV2(good.data(), good.size()));
    EXPECT_EQ(parser->getNbSubgraphs(), 1);
    EXPECT_TRUE(parser->isSubgraphSupported(0));
    std::string const bad = ModelWriter(13)
                                .input("x", {2})
                                .node("Relu", "a", {"x"}, {"h"})
                                .node("TfIdfVectorizer", "b", {"h"}, {"i"})
                                .node("Relu", "c", {"i"}, {"y"})
                                .output("y")
                                .bytes();
    EXPECT_FALSE(parser->supportsModelV2(bad.data(), bad.size()));
    ASSERT_EQ(parser->getNbSubgraphs(), 3);
    EXPECT_FALSE(parser->isSubgraphSupported(1));
    int64_t length = 0;
    int64_t const* nodes = parser->getSubgraphNodes(1, length);
    ASSERT_EQ(length, 1);
    EXPECT_EQ(nodes[0], 1);
    EXPECT_EQ(parser->getSubgraphNodes(3, length), nullptr);
    EXPECT_EQ(network->getNbLayers(), 0);
    EXPECT_EQ(network->getNbInputs(), 0);
}

TEST_F(Parser, SuppliedInitializers) {
    std::string const bytes = ModelWriter(13)
                                  .input("x", {2})
                                  .external("w", {2}, {{"location", "missing.bin"}})
                                  .node("Add", "a", {"x", "w"}, {"y"})
                                  .output("y")
                                  .bytes();
    float const weights[2] = {1.0F, 2.0F};
    ASSERT_TRUE(parser->loadModelProto(bytes.data(), bytes.size()));
    EXPECT_FALSE(parser->loadInitializer("other", weights, sizeof(weights)));
    ASSERT_TRUE(parser->loadInitializer("w", weights, sizeof(weights)));
    ASSERT_TRUE(parser->parseModelProto()) << logger.all;
    EXPECT_FALSE(parser->parseModelProto());
}

// External data in a temporary folder.
class ExternalData : public ParserTest {
protected:
    ExternalData() {
        std::string folderTemplate = std::filesystem::temp_directory_path() / "onnx_XXXXXX";
        folder = mkdtemp(folderTemplate.data());
        std::ofstream(folder / "w.bin", std::ios::binary) << std::string(24, '\0');
    }
    ~ExternalData() override { std::filesystem::remove_all(folder); }

    bool parseExternal(std::vector<std::pair<std::string, std::string>> const& entries) {
        return parse(ModelWriter(13)
                         .input("x", {2, 2})
                         .external("w", {2, 2}, entries)
                         .node("Add", "a", {"x", "w"}, {"y"})
                         .output("y"),
                     (folder / "model.onnx").c_str());
    }

    std::filesystem::path folder;
};

TEST_F(ExternalData, IsReadFromTheModelsFolder) {
    EXPECT_TRUE(parseExternal({{"location", "w.bin"}, {"offset", "8"}, {"length", "16"}})) << error;
}

TEST_F(ExternalData, NeedsThePathOfTheModel) {
    std::filesystem::path const before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    ModelWriter const model =
        ModelWriter(13).external("w", {2, 2}, {{"location", "w.bin"}}).output("w");
    for (char const* path : {static_cast<char const*>(nullptr), ""}) {
        startOver();
        EXPECT_FALSE(parse(model, path));
        EXPECT_THAT(error, HasSubstr("initializer 'w': its data is in the file 'w.bin', but the "
                                     "model was given as bytes, without a path"));
    }
    startOver();
    std::string const bytes = model.bytes();
    EXPECT_FALSE(parser->supportsModelV2(bytes.data(), bytes.size()));
    EXPECT_FALSE(parser->parseWithWeightDescriptors(bytes.data(), bytes.size()));
    std::ofstream("model.onnx", std::ios::binary) << bytes;
    std::filesystem::current_path(folder);
    EXPECT_TRUE(parser->parseFromFile("model.onnx", 0)) << logger.all; // in the working folder
    std::filesystem::current_path(before);
}

TEST_F(ExternalData, IsReadOncePerRegion) {
    ModelWriter model(13);
    model.input("x", {2, 2});
    for (int i = 0; i < 100; ++i) {
        model.external("w" + std::to_string(i), {2, 2}, {{"location", "w.bin"}, {"length", "16"}});
    }
    model.node("Add", "a", {"x", "w0"}, {"h"}).node("Add", "b", {"h", "w99"}, {"y"}).output("y");
    ASSERT_TRUE(parse(model, (folder / "model.onnx").c_str())) << error;
    std::vector<void const*> values;
    for (int32_t i = 0; i < network->getNbLayers(); ++i) {
        if (network->getLayer(i)->getType() == nvinfer1::LayerType::kCONSTANT) {
            auto* const layer = static_cast<nvinfer1::IConstantLayer*>(network->getLayer(i));
            values.push_back(layer->getWeights().values);
        }
    }
    ASSERT_EQ(values.size(), 2U);
    EXPECT_EQ(values[0], values[1]);
}

// Whether an address lies in a mapping of a file.
bool liesInFile(void const* address, std::string const& file) {
    std::ifstream maps("/proc/self/maps");
    auto const wanted = reinterpret_cast<uintptr_t>(address);
    for (std::string line; std::getline(maps, line);) {
        uintptr_t first = 0;
        uintptr_t last = 0;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &first, &last) == 2 &&
            first <= wanted && wanted < last) {
            return line.find(file) != std::string::npos;
        }
    }
    return false;
}

TEST_F(ExternalData, IsMappedWhereItIsAligned) {
    float const numbers[] = {0.0F, 0.0F, 1.0F, 2.0F, 3.0F, 4.0F};
    std::ofstream(folder / "w.bin", std::ios::binary)
        .write(reinterpret_cast<char const*>(numbers), sizeof(numbers));
    auto const weights = [&] {
        for (int32_t i = 0; i < network->getNbLayers(); ++i) {
            if (network->getLayer(i)->getType() == nvinfer1::LayerType::kCONSTANT) {
                return static_cast<nvinfer1::IConstantLayer*>(network->getLayer(i))->getWeights();
            }
        }
        return nvinfer1::Weights{};
    };
    ASSERT_TRUE(parseExternal({{"location", "w.bin"}, {"offset", "8"}})) << error;
    EXPECT_TRUE(liesInFile(weights().values, "w.bin"));
    EXPECT_EQ(std::memcmp(weights().values, numbers + 2, 16), 0);
    startOver();
    ASSERT_TRUE(parseExternal({{"location", "w.bin"}, {"offset", "5"}})) << error;
    EXPECT_FALSE(liesInFile(weights().values, "w.bin"));
    EXPECT_EQ(std::memcmp(weights().values, reinterpret_cast<char const*>(numbers) + 5, 16), 0);
}

TEST_F(ExternalData, StaysWhenTheFileIsRemoved) {
    ASSERT_TRUE(parseExternal({{"location", "w.bin"}, {"offset", "8"}})) << error;
    std::filesystem::remove(folder / "w.bin");
    auto* const layer = static_cast<nvinfer1::IConstantLayer*>(network->getLayer(0));
    ASSERT_EQ(layer->getType(), nvinfer1::LayerType::kCONSTANT);
    EXPECT_EQ(static_cast<float const*>(layer->getWeights().values)[3], 0.0F);
}

TEST_F(ExternalData, OverlapsAreReadUpToTwice) {
    ModelWriter model(13);
    for (int i = 0; i < 9; ++i) {
        model.external("w" + std::to_string(i), {2, 2},
                       {{"location", "w.bin"}, {"offset", std::to_string(i)}});
    }
    EXPECT_FALSE(parse(model.output("w0"), (folder / "model.onnx").c_str()));
    EXPECT_THAT(error, HasSubstr("overlap those of other initializers so often"));
}

TEST_F(ExternalData, RefusesPathsOutOfTheFolder) {
    EXPECT_FALSE(parseExternal({{"location", "../w.bin"}}));
    EXPECT_THAT(error, HasSubstr("expected a file beside the model, got '../w.bin'"));
    EXPECT_FALSE(parseExternal({{"location", "/etc/hostname"}}));
    EXPECT_THAT(error, HasSubstr("expected a file beside the model, got '/etc/hostname'"));
    EXPECT_FALSE(parseExternal({}));
    EXPECT_THAT(error, HasSubstr("expected external_data 'location', got none"));
    std::filesystem::create_symlink("/etc/hostname", folder / "link.bin");
    EXPECT_FALSE(parseExternal({{"location", "link.bin"}}));
    EXPECT_THAT(error, HasSubstr("leads out of the model's folder"));
}

TEST_F(ExternalData, RefusesBytesPastTheEnd) {
    EXPECT_FALSE(parseExternal({{"location", "w.bin"}, {"offset", "9"}}));
    EXPECT_THAT(error, HasSubstr("pass the end of"));
    EXPECT_FALSE(parseExternal({{"location", "w.bin"}, {"offset", "18446744073709551615"}}));
    EXPECT_THAT(error, HasSubstr("pass the end of"));
    EXPECT_FALSE(parseExternal({{"location", "w.bin"}, {"length", "24"}}));
    EXPECT_THAT(error, HasSubstr("expected 16 bytes for its shape and type"));
    EXPECT_FALSE(parseExternal({{"location", "w.bin"}, {"offset", "-1"}}));
    EXPECT_THAT(error, HasSubstr("expected a number of bytes, got '-1'"));
    EXPECT_FALSE(parseExternal({{"location", "none.bin"}}));
    EXPECT_THAT(error, HasSubstr("cannot open"));
}

TEST(ParserEntryPoints, RefuseBadArguments) {
    KeepingLogger logger;
    EXPECT_EQ(createNvOnnxParser_INTERNAL(nullptr, &logger, NV_ONNX_PARSER_VERSION), nullptr);
    EXPECT_THAT(logger.all, HasSubstr("expected a network, got null"));
    EXPECT_EQ(createNvOnnxParser_INTERNAL(nullptr, nullptr, NV_ONNX_PARSER_VERSION), nullptr);
    EXPECT_EQ(createNvOnnxParserRefitter_INTERNAL(nullptr, &logger, 0), nullptr);
    EXPECT_THAT(logger.all, HasSubstr("parser refitter: expected a refitter, got null"));
    EXPECT_EQ(getNvOnnxParserVersion(), NV_ONNX_PARSER_VERSION);
}

} // namespace
} // namespace kiln::onnx
