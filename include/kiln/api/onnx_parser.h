// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInfer.h"
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#define NV_ONNX_PARSER_MAJOR 0
#define NV_ONNX_PARSER_MINOR 1
#define NV_ONNX_PARSER_PATCH 0

static constexpr int32_t NV_ONNX_PARSER_VERSION =
        ((NV_ONNX_PARSER_MAJOR * 10000) + (NV_ONNX_PARSER_MINOR * 100) + NV_ONNX_PARSER_PATCH);

using SubGraph_t = std::pair<std::vector<size_t>, bool>;
using SubGraphCollection_t = std::vector<SubGraph_t>;

extern "C" TENSORRTAPI void* createNvOnnxParser_INTERNAL(
        void* network, void* logger, int version) noexcept;
extern "C" TENSORRTAPI void* createNvOnnxParserRefitter_INTERNAL(
        void* refitter, void* logger, int32_t version) noexcept;
extern "C" TENSORRTAPI int getNvOnnxParserVersion() noexcept;

namespace nvonnxparser {

using OnnxParserFlags = uint32_t;

template <typename T>
constexpr int32_t EnumMax() noexcept = delete;

enum class ErrorCode : int {
    kSUCCESS = 0,
    kINTERNAL_ERROR = 1,
    kMEM_ALLOC_FAILED = 2,
    kMODEL_DESERIALIZE_FAILED = 3,
    kINVALID_VALUE = 4,
    kINVALID_GRAPH = 5,
    kINVALID_NODE = 6,
    kUNSUPPORTED_GRAPH = 7,
    kUNSUPPORTED_NODE = 8,
    kUNSUPPORTED_NODE_ATTR = 9,
    kUNSUPPORTED_NODE_INPUT = 10,
    kUNSUPPORTED_NODE_DATATYPE = 11,
    kUNSUPPORTED_NODE_DYNAMIC = 12,
    kUNSUPPORTED_NODE_SHAPE = 13,
    kREFIT_FAILED = 14,
};

template <>
constexpr int32_t EnumMax<ErrorCode>() noexcept {
    return 15;
}

enum class OnnxParserFlag : int32_t {
    kNATIVE_INSTANCENORM = 0,
    kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA = 1,
    kREPORT_CAPABILITY_DLA = 2,
    kENABLE_PLUGIN_OVERRIDE = 3,
    kADJUST_FOR_DLA = 4,
};

template <>
constexpr int32_t EnumMax<OnnxParserFlag>() noexcept {
    return 5;
}

class IParserError {
public:
    virtual ErrorCode code() const = 0;
    virtual const char* desc() const = 0;
    virtual const char* file() const = 0;
    virtual int line() const = 0;
    virtual const char* func() const = 0;
    virtual int node() const = 0;
    virtual const char* nodeName() const = 0;
    virtual const char* nodeOperator() const = 0;
    virtual const char* const* localFunctionStack() const = 0;
    virtual int32_t localFunctionStackSize() const = 0;

protected:
    virtual ~IParserError() noexcept = default;
};

class IParser {
public:
    virtual ~IParser() noexcept = default;

    virtual bool parse(const void* serialized_onnx_model, size_t serialized_onnx_model_size,
        const char* model_path = nullptr) noexcept = 0;
    virtual bool parseFromFile(const char* onnxModelFile, int verbosity) noexcept = 0;
    virtual bool supportsOperator(const char* op_name) const noexcept = 0;
    virtual int getNbErrors() const noexcept = 0;
    virtual const IParserError* getError(int index) const noexcept = 0;
    virtual void clearErrors() noexcept = 0;
    virtual const char* const* getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept = 0;
    virtual void setFlags(OnnxParserFlags onnxParserFlags) noexcept = 0;
    virtual OnnxParserFlags getFlags() const noexcept = 0;
    virtual void clearFlag(OnnxParserFlag onnxParserFlag) noexcept = 0;
    virtual void setFlag(OnnxParserFlag onnxParserFlag) noexcept = 0;
    virtual bool getFlag(OnnxParserFlag onnxParserFlag) const noexcept = 0;
    virtual const nvinfer1::ITensor* getLayerOutputTensor(const char* name, int64_t i) noexcept = 0;
    virtual bool supportsModelV2(const void* serializedOnnxModel, size_t serializedOnnxModelSize,
        const char* modelPath = nullptr) noexcept = 0;
    virtual int64_t getNbSubgraphs() noexcept = 0;
    virtual bool isSubgraphSupported(const int64_t index) noexcept = 0;
    virtual int64_t* getSubgraphNodes(const int64_t index, int64_t& subgraphLength) noexcept = 0;
    virtual bool loadModelProto(const void* serializedOnnxModel, size_t serializedOnnxModelSize,
        const char* modelPath = nullptr) noexcept = 0;
    virtual bool loadInitializer(const char* name, const void* data, size_t size) noexcept = 0;
    virtual bool parseModelProto() noexcept = 0;
    virtual bool setBuilderConfig(const nvinfer1::IBuilderConfig* const builderConfig) noexcept = 0;
    TRT_DEPRECATED virtual bool supportsModel(const void* serialized_onnx_model,
        size_t serialized_onnx_model_size, SubGraphCollection_t& sub_graph_collection,
        const char* model_path = nullptr) noexcept = 0;
    TRT_DEPRECATED virtual bool parseWithWeightDescriptors(const void* serialized_onnx_model,
        size_t serialized_onnx_model_size) noexcept = 0;
};

class IParserRefitter {
public:
    virtual ~IParserRefitter() noexcept = default;

    virtual bool refitFromBytes(const void* serializedOnnxModel, size_t serializedOnnxModelSize,
        const char* modelPath = nullptr) noexcept = 0;
    virtual bool refitFromFile(const char* onnxModelFile) noexcept = 0;
    virtual int32_t getNbErrors() const noexcept = 0;
    virtual const IParserError* getError(int32_t index) const noexcept = 0;
    virtual void clearErrors() = 0;
    virtual bool loadModelProto(const void* serializedOnnxModel, size_t serializedOnnxModelSize,
        const char* modelPath = nullptr) noexcept = 0;
    virtual bool loadInitializer(const char* name, const void* data, size_t size) noexcept = 0;
    virtual bool refitModelProto() noexcept = 0;
};

inline IParser* createParser(
        nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParser*>(
            createNvOnnxParser_INTERNAL(&network, &logger, NV_ONNX_PARSER_VERSION));
}

inline IParserRefitter* createParserRefitter(
        nvinfer1::IRefitter& refitter, nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParserRefitter*>(
            createNvOnnxParserRefitter_INTERNAL(&refitter, &logger, NV_ONNX_PARSER_VERSION));
}

} // namespace nvonnxparser
