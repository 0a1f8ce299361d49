// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/parser.h"

#include <kiln/weight_files.h>

#include "onnx/data_extents.h"
#include "onnx/file_mapping.h"
#include "onnx/importer_registry.h"
#include "onnx/layer_weights.h"
#include "onnx/network_errors.h"
#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <algorithm>
#include <fstream>
#include <new>

namespace kiln::onnx {

using nvonnxparser::OnnxParserFlag;
using nvonnxparser::OnnxParserFlags;
using Severity = nvinfer1::ILogger::Severity;

namespace {

constexpr OnnxParserFlags bitOf(OnnxParserFlag flag) {
    return 1U << static_cast<uint32_t>(flag);
}

constexpr OnnxParserFlags kAllFlags = (1U << nvonnxparser::EnumMax<OnnxParserFlag>()) - 1U;

// A name in quotes, or the position of a node without a name, and the functions around it.
std::string placeOf(ImportError const& error) {
    if (error.nodeIndex < 0) {
        return "";
    }
    std::string const name =
        error.nodeName.empty() ? text("#", error.nodeIndex) : text("'", error.nodeName, "'");
    std::string functions;
    for (std::string const& function : error.functions) {
        functions += text(functions.empty() ? " of function '" : " > '", function, "'");
    }
    return text("node ", name, " (", error.nodeOperator, ")", functions, ": ");
}

std::string readFile(char const* file) {
    std::error_code error;
    auto const size = std::filesystem::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    if (error || !stream) {
        throw ImportError(ErrorCode::kINVALID_VALUE,
                          text("cannot open '", file, "'",
                               error ? text(": ", error.message()) : std::string(), "."));
    }
    std::string bytes(size, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(size));
    if (static_cast<size_t>(stream.gcount()) != size) {
        throw ImportError(ErrorCode::kINVALID_VALUE, text("'", file, "': expected ", size,
                                                          " bytes, read ", stream.gcount(), "."));
    }
    return bytes;
}

} // namespace

Parser::Parser(nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger,
               MappingLimits const& limits)
    : network_(network), log_(logger), flags_(bitOf(OnnxParserFlag::kNATIVE_INSTANCENORM)),
      weights_(limits) {}

void Parser::keep(ImportError const& error) {
    std::string const description = text(placeOf(error), error.what());
    errors_.emplace_back(error, withMessageCode(text("[onnx] ", description).c_str()));
    log_(Severity::kERROR, description);
}

void Parser::keepCurrent() noexcept {
    try {
        try {
            throw;
        } catch (ImportError const& error) {
            keep(error);
        } catch (FormatError const& error) {
            keep(ImportError(
                ErrorCode::kMODEL_DESERIALIZE_FAILED,
                text("not an ONNX model, or damaged: ", error.what(), ". Copy it again.")));
        } catch (std::bad_alloc const&) {
            throw;
        } catch (std::exception const& error) {
            keep(ImportError(ErrorCode::kINTERNAL_ERROR, error.what()));
        }
    } catch (...) { // no memory, for the work or for its error
        outOfMemory_ = true;
        log_.plain(Severity::kERROR, ExhaustedError::kText);
    }
}

void Parser::load(void const* model, size_t size, char const* modelPath) {
    if (model == nullptr || size == 0) {
        throw ImportError(
            ErrorCode::kINVALID_VALUE,
            text("expected a model, got ", model == nullptr ? "null" : "0 bytes", "."));
    }
    constexpr OnnxParserFlags kDla =
        bitOf(OnnxParserFlag::kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA) |
        bitOf(OnnxParserFlag::kREPORT_CAPABILITY_DLA) | bitOf(OnnxParserFlag::kADJUST_FOR_DLA);
    if ((flags_ & kDla) != 0) {
        throw ImportError(ErrorCode::kINVALID_VALUE,
                          "flags for DLA are refused: there is no DLA. Leave them off.");
    }
    modelPath_ = modelPath != nullptr ? modelPath : "";
    supplied_.clear();
    initializerNames_.clear();
    model_ = readModel({static_cast<char const*>(model), size});
}

ImportOptions Parser::options() const {
    return {getFlag(OnnxParserFlag::kENABLE_PLUGIN_OVERRIDE),
            getFlag(OnnxParserFlag::kNATIVE_INSTANCENORM)};
}

void Parser::watchFiles() {
    for (; watchedFiles_ < weights_.files().size(); ++watchedFiles_) {
        watchWeightFile(network_, weights_.files()[watchedFiles_]->path().c_str());
    }
}

bool Parser::importLoaded() {
    weights_.forgetSources(); // another model may lie at the same address
    ModelProto const& model = *model_;
    ExternalData files(modelPath_);
    NodeContext::Graph target{
        network_, log_, {files, weights_}, opsetOf(model.opsets, log_), largestExtentOf(model)};
    ModelImporter importer(target, model, options());
    NetworkErrors const errors(network_);
    bool const complete =
        importer.run(supplied_, [this](size_t, ImportError const& error) { keep(error); });
    weights_.releasePages();
    watchFiles();
    if (!complete) {
        return false;
    }
    errors.expectNone();
    nameWeights(network_, importer, *model.graph);
    for (NodeProto const& node : model.graph->nodes) {
        auto& outputs = layerOutputs_[node.name];
        for (std::string const& output : node.outputs) {
            Value const* value = importer.find(output);
            outputs.push_back(value != nullptr ? value->tensor : nullptr);
        }
    }
    log_(Severity::kINFO, "imported ", model.graph->nodes.size(), " nodes of '", model.graph->name,
         "' (IR version ", model.irVersion, ", operator set ", target.opset, ", producer '",
         model.producerName, "')");
    return true;
}

bool Parser::parse(void const* model, size_t size, char const* modelPath) noexcept {
    clearErrors();
    bool complete = false;
    bool const done = guarded([&] {
        load(model, size, modelPath);
        complete = importLoaded();
    });
    model_.reset(); // its views of the caller's bytes are valid only during the call
    return done && complete;
}

bool Parser::parseFromFile(char const* file, int /*verbosity*/) noexcept {
    clearErrors();
    bool complete = false;
    bool const done = guarded([&] {
        if (file == nullptr) {
            throw ImportError(ErrorCode::kINVALID_VALUE, "expected a file name, got null.");
        }
        auto const mapping = FileMapping::open(file); // if possible: a model may take gigabytes
        if (mapping != nullptr && weights_.keepsFile(mapping->bytes().size())) {
            weights_.keep(mapping);
        }
        std::string const bytes = mapping != nullptr ? std::string() : readFile(file);
        if (mapping != nullptr) {
            load(mapping->bytes().data(), mapping->bytes().size(), file);
        } else {
            load(bytes.data(), bytes.size(), file);
        }
        complete = importLoaded();
        model_.reset(); // its views end with the mapping
    });
    model_.reset();
    return done && complete;
}

bool Parser::parseWithWeightDescriptors(void const* model, size_t size) noexcept {
    return parse(model, size, nullptr);
}

bool Parser::supportsOperator(char const* opName) const noexcept {
    try {
        return opName != nullptr && ImporterRegistry::all().find(opName) != nullptr;
    } catch (...) { // the first call fills the registry, which may throw
        log_.plain(Severity::kERROR, ExhaustedError::kText);
        return false;
    }
}

int Parser::getNbErrors() const noexcept {
    return static_cast<int>(errors_.size()) + (outOfMemory_ ? 1 : 0);
}

nvonnxparser::IParserError const* Parser::getError(int index) const noexcept {
    if (index < 0 || index >= getNbErrors()) {
        return nullptr;
    }
    auto const slot = static_cast<size_t>(index);
    return slot < errors_.size() ? static_cast<nvonnxparser::IParserError const*>(&errors_[slot])
                                 : &exhausted_;
}

void Parser::clearErrors() noexcept {
    errors_.clear();
    outOfMemory_ = false;
}

char const* const* Parser::getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept {
    nbPluginLibs = 0; // Kiln implements no operator as a plugin
    return nullptr;
}

void Parser::setFlags(OnnxParserFlags flags) noexcept {
    guarded([&] {
        if ((flags & ~kAllFlags) != 0) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              text("expected flags within ", kAllFlags, ", got ", flags, "."));
        }
        flags_ = flags;
    });
}

void Parser::clearFlag(OnnxParserFlag flag) noexcept {
    flags_ &= ~(getFlag(flag) ? bitOf(flag) : 0U);
}

void Parser::setFlag(OnnxParserFlag flag) noexcept {
    auto const index = static_cast<uint32_t>(flag);
    setFlags(index < 32 ? flags_ | bitOf(flag) : ~0U);
}

bool Parser::getFlag(OnnxParserFlag flag) const noexcept {
    return static_cast<uint32_t>(flag) < 32 && (flags_ & bitOf(flag)) != 0;
}

nvinfer1::ITensor const* Parser::getLayerOutputTensor(char const* name, int64_t i) noexcept {
    auto const found = name != nullptr ? layerOutputs_.find(name) : layerOutputs_.end();
    if (found == layerOutputs_.end() || i < 0 || i >= static_cast<int64_t>(found->second.size())) {
        return nullptr;
    }
    return found->second[static_cast<size_t>(i)];
}

bool Parser::keepSupport() {
    ModelProto const& model = *model_;
    ExternalData files(modelPath_);
    WeightStore store; // only for the trial network
    NodeContext::Graph target{
        network_, log_, {files, store}, opsetOf(model.opsets, log_), largestExtentOf(model)};
    subgraphs_ =
        reportSupport(target, model, options(), [this](ImportError const& error) { keep(error); });
    return subgraphs_.empty() || (subgraphs_.size() == 1 && subgraphs_[0].supported);
}

bool Parser::supportsModelV2(void const* model, size_t size, char const* modelPath) noexcept {
    clearErrors();
    subgraphs_.clear();
    bool supported = false;
    bool const done = guarded([&] {
        load(model, size, modelPath);
        supported = keepSupport();
    });
    model_.reset();
    return done && supported;
}

bool Parser::supportsModel(void const* model, size_t size, SubGraphCollection_t& subgraphs,
                           char const* modelPath) noexcept {
    bool const supported = supportsModelV2(model, size, modelPath);
    bool const copied = guarded([&] {
        subgraphs.clear();
        for (Subgraph const& subgraph : subgraphs_) {
            subgraphs.emplace_back(
                std::vector<size_t>(subgraph.nodes.begin(), subgraph.nodes.end()),
                subgraph.supported);
        }
    });
    return supported && copied;
}

int64_t Parser::getNbSubgraphs() noexcept {
    return static_cast<int64_t>(subgraphs_.size());
}

bool Parser::isSubgraphSupported(int64_t index) noexcept {
    return index >= 0 && index < getNbSubgraphs() &&
           subgraphs_[static_cast<size_t>(index)].supported;
}

int64_t* Parser::getSubgraphNodes(int64_t index, int64_t& subgraphLength) noexcept {
    subgraphLength = 0;
    if (index < 0 || index >= getNbSubgraphs()) {
        return nullptr;
    }
    auto& nodes = subgraphs_[static_cast<size_t>(index)].nodes;
    subgraphLength = static_cast<int64_t>(nodes.size());
    return nodes.data();
}

bool Parser::loadModelProto(void const* model, size_t size, char const* modelPath) noexcept {
    clearErrors();
    model_.reset();
    return guarded([&] { load(model, size, modelPath); });
}

bool Parser::loadInitializer(char const* name, void const* data, size_t size) noexcept {
    return guarded([&] {
        if (name == nullptr || data == nullptr || !model_ || !model_->graph) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              "expected the name and the data of an initializer, after a model "
                              "was loaded.");
        }
        if (initializerNames_.empty()) {
            for (TensorProto const& tensor : model_->graph->initializers) {
                initializerNames_.insert(tensor.name);
            }
        }
        if (!initializerNames_.contains(name)) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              text("the loaded model has no initializer '", name, "'."));
        }
        supplied_[name] = {static_cast<char const*>(data), size};
    });
}

bool Parser::parseModelProto() noexcept {
    bool complete = false;
    bool const done = guarded([&] {
        if (!model_) {
            throw ImportError(ErrorCode::kINVALID_VALUE,
                              "no model is loaded to be parsed. Load one first.");
        }
        complete = importLoaded();
    });
    model_.reset();
    return done && complete;
}

bool Parser::setBuilderConfig(nvinfer1::IBuilderConfig const* builderConfig) noexcept {
    return guarded([&] {
        if (builderConfig == nullptr) {
            throw ImportError(ErrorCode::kINVALID_VALUE, "expected a configuration, got null.");
        }
    });
}

} // namespace kiln::onnx
