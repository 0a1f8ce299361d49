// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Implements nvonnxparser::IParser with the importers. No exception leaves this class.
#pragma once

#include "kiln/api/onnx_parser.h"
#include "onnx/model_importer.h"
#include "onnx/parser_error.h"
#include "onnx/support_report.h"
#include "onnx/weight_store.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kiln::onnx {

class Parser final : public nvonnxparser::IParser {
public:
    Parser(nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger,
           MappingLimits const& limits = {});

    bool parse(void const* model, size_t size, char const* modelPath) noexcept override;
    bool parseFromFile(char const* file, int verbosity) noexcept override;
    bool parseWithWeightDescriptors(void const* model, size_t size) noexcept override;
    bool supportsOperator(char const* opName) const noexcept override;

    int getNbErrors() const noexcept override;
    nvonnxparser::IParserError const* getError(int index) const noexcept override;
    void clearErrors() noexcept override;

    char const* const* getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept override;
    void setFlags(nvonnxparser::OnnxParserFlags flags) noexcept override;
    nvonnxparser::OnnxParserFlags getFlags() const noexcept override { return flags_; }
    void clearFlag(nvonnxparser::OnnxParserFlag flag) noexcept override;
    void setFlag(nvonnxparser::OnnxParserFlag flag) noexcept override;
    bool getFlag(nvonnxparser::OnnxParserFlag flag) const noexcept override;
    nvinfer1::ITensor const* getLayerOutputTensor(char const* name, int64_t i) noexcept override;

    bool supportsModelV2(void const* model, size_t size, char const* modelPath) noexcept override;
    bool supportsModel(void const* model, size_t size, SubGraphCollection_t& subgraphs,
                       char const* modelPath) noexcept override;
    int64_t getNbSubgraphs() noexcept override;
    bool isSubgraphSupported(int64_t index) noexcept override;
    int64_t* getSubgraphNodes(int64_t index, int64_t& subgraphLength) noexcept override;

    bool loadModelProto(void const* model, size_t size, char const* modelPath) noexcept override;
    bool loadInitializer(char const* name, void const* data, size_t size) noexcept override;
    bool parseModelProto() noexcept override;
    bool setBuilderConfig(nvinfer1::IBuilderConfig const* builderConfig) noexcept override;

private:
    // Runs `work`. If it throws, keeps and logs the error and returns false.
    template <typename Work>
    bool guarded(Work&& work) noexcept {
        try {
            work();
            return true;
        } catch (...) {
            keepCurrent();
            return false;
        }
    }
    // Keeps and logs the current exception, even if there is no memory for it.
    void keepCurrent() noexcept;
    void keep(ImportError const& error);
    void load(void const* model, size_t size, char const* modelPath);
    ImportOptions options() const;
    void watchFiles();
    bool importLoaded(); // false if nodes were reported
    bool keepSupport();

    nvinfer1::INetworkDefinition& network_;
    Log log_;
    nvonnxparser::OnnxParserFlags flags_;
    WeightStore weights_;
    size_t watchedFiles_ = 0; // the first ones of the store
    std::vector<ParserError> errors_;
    bool outOfMemory_ = false; // one more error, stored without an allocation
    ExhaustedError exhausted_;

    std::optional<ModelProto> model_; // between loadModelProto() and parseModelProto()
    std::filesystem::path modelPath_;
    SuppliedData supplied_;
    std::unordered_set<std::string_view> initializerNames_; // of model_, filled on first use

    std::map<std::string, std::vector<nvinfer1::ITensor*>, std::less<>> layerOutputs_;
    std::vector<Subgraph> subgraphs_;
};

} // namespace kiln::onnx
