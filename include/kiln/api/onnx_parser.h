// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInfer.h"
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

//! Version of this interface, passed to the library.
#define NV_ONNX_PARSER_MAJOR 0
#define NV_ONNX_PARSER_MINOR 1
#define NV_ONNX_PARSER_PATCH 0

//! The same as one number.
static constexpr int32_t NV_ONNX_PARSER_VERSION =
    ((NV_ONNX_PARSER_MAJOR * 10000) + (NV_ONNX_PARSER_MINOR * 100) + NV_ONNX_PARSER_PATCH);

//! Indices of the nodes of a subgraph, and whether the subgraph is supported.
using SubGraph_t = std::pair<std::vector<size_t>, bool>;

//! The subgraphs of a model, in topological order.
using SubGraphCollection_t = std::vector<SubGraph_t>;

//! Entry point behind nvonnxparser::createParser(). \param network an nvinfer1::INetworkDefinition.
//! \param logger an nvinfer1::ILogger. \param version NV_ONNX_PARSER_VERSION of the caller.
//! \return an nvonnxparser::IParser; null on failure.
extern "C" TENSORRTAPI void* createNvOnnxParser_INTERNAL(void* network, void* logger,
                                                         int version) noexcept;

//! Entry point behind nvonnxparser::createParserRefitter(). \param refitter an
//! nvinfer1::IRefitter. \param logger an nvinfer1::ILogger. \param version NV_ONNX_PARSER_VERSION
//! of the caller. \return an nvonnxparser::IParserRefitter; null on failure.
extern "C" TENSORRTAPI void* createNvOnnxParserRefitter_INTERNAL(void* refitter, void* logger,
                                                                 int32_t version) noexcept;

//! NV_ONNX_PARSER_VERSION of the library.
extern "C" TENSORRTAPI int getNvOnnxParserVersion() noexcept;

#pragma GCC visibility push(default)

namespace nvonnxparser {

//! Bit mask of OnnxParserFlag: bit 1U << int(flag) sets a flag.
using OnnxParserFlags = uint32_t;

//! Number of values of an enumeration of this namespace, for loops and tables.
template <typename T>
constexpr int32_t EnumMax() noexcept = delete;

//! Kind of an IParserError.
enum class ErrorCode : int {
    kSUCCESS = 0,                    //!< No error.
    kINTERNAL_ERROR = 1,             //!< A bug in the parser.
    kMEM_ALLOC_FAILED = 2,           //!< Out of memory.
    kMODEL_DESERIALIZE_FAILED = 3,   //!< The bytes are not an ONNX model, or are truncated.
    kINVALID_VALUE = 4,              //!< An argument, a file name or an initializer is invalid.
    kINVALID_GRAPH = 5,              //!< The graph is not valid ONNX: a missing tensor, a cycle.
    kINVALID_NODE = 6,               //!< A node violates the rules of its operator.
    kUNSUPPORTED_GRAPH = 7,          //!< The graph is valid but not supported.
    kUNSUPPORTED_NODE = 8,           //!< No importer and no plugin for the operator.
    kUNSUPPORTED_NODE_ATTR = 9,      //!< An attribute, or its value, is not supported.
    kUNSUPPORTED_NODE_INPUT = 10,    //!< An input is not supported, or must be constant.
    kUNSUPPORTED_NODE_DATATYPE = 11, //!< The operator is not supported for this type.
    kUNSUPPORTED_NODE_DYNAMIC = 12,  //!< The operator is not supported for unknown extents.
    kUNSUPPORTED_NODE_SHAPE = 13,    //!< The operator is not supported for this shape.
    kREFIT_FAILED = 14,              //!< Weights could not be replaced.
};

//! Number of values of ErrorCode.
template <>
constexpr int32_t EnumMax<ErrorCode>() noexcept {
    return 15;
}

//! An option of the parser, see IParser::setFlag(). Only kNATIVE_INSTANCENORM is set by default.
//! The flags for DLA are refused with an error.
enum class OnnxParserFlag : int32_t {
    //! InstanceNormalization becomes a layer of the network. If off, a registered plugin of that
    //! name replaces it.
    kNATIVE_INSTANCENORM = 0,
    //! DLA: allow UINT8 and quantization with a zero point.
    kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA = 1,
    //! DLA: IParser::supportsModelV2() reports what DLA can run.
    kREPORT_CAPABILITY_DLA = 2,
    //! A registered plugin with the name of an ONNX operator replaces its nodes. Nodes select
    //! version and namespace with `plugin_version` and `plugin_namespace`.
    kENABLE_PLUGIN_OVERRIDE = 3,
    //! DLA: prefer forms of a layer that DLA can run.
    kADJUST_FOR_DLA = 4,
};

//! Number of values of OnnxParserFlag.
template <>
constexpr int32_t EnumMax<OnnxParserFlag>() noexcept {
    return 5;
}

//! An error and its location. Owned by the parser; strings are never null and stay valid as long as
//! the error.
class IParserError {
public:
    //! Kind of the error.
    virtual ErrorCode code() const = 0;

    //! The message: location, expected and actual value, how to fix it.
    virtual char const* desc() const = 0;

    //! Source file of the parser that found the error.
    virtual char const* file() const = 0;

    //! Line in that file.
    virtual int line() const = 0;

    //! Function in that file.
    virtual char const* func() const = 0;

    //! Index of the node in its graph; -1 if the error is not about a node.
    virtual int node() const = 0;

    //! Name of the node; empty if there is none.
    virtual char const* nodeName() const = 0;

    //! Operator of the node; empty if there is none.
    virtual char const* nodeOperator() const = 0;

    //! Names of the model-local functions that enclose the node, outermost first.
    virtual char const* const* localFunctionStack() const = 0;

    //! Number of those functions.
    virtual int32_t localFunctionStackSize() const = 0;

protected:
    virtual ~IParserError() noexcept = default;
};

//! Reads ONNX models and adds their nodes to a network as layers.
//!
//! An operator without a layer becomes a plugin. The op_type of the node is the plugin's name, and
//! its attributes `plugin_version` (default "1") and `plugin_namespace` (default "") select the
//! creator, which must be registered. The other attributes become plugin fields.
//!
//! Lifetime: the caller owns the parser and deletes it. The parser owns the weights that the
//! network points to, so it must exist until the engine is built. Use one parser for each model.
//!
//! Errors: functions return false; getError() returns the details, and the logger receives the
//! messages.
class IParser {
public:
    virtual ~IParser() noexcept = default;

    //! Reads a model from memory and adds it to the network.
    //! \param serialized_onnx_model bytes of an ONNX ModelProto; used during the call only.
    //! \param model_path file name of the model, whose folder contains the files of tensors with
    //!     external data. Null: tensors with external data are refused.
    virtual bool parse(void const* serialized_onnx_model, size_t serialized_onnx_model_size,
                       char const* model_path = nullptr) noexcept = 0;

    //! Reads a model from a file and adds it to the network.
    //! \param verbosity has no effect; filter by severity in the logger.
    virtual bool parseFromFile(char const* onnxModelFile, int verbosity) noexcept = 0;

    //! True if an operator of the standard ONNX domain is supported as a layer.
    //! \param op_name such as "Conv".
    virtual bool supportsOperator(char const* op_name) const noexcept = 0;

    //! Number of errors since clearErrors() or the last call that reads a model.
    virtual int getNbErrors() const noexcept = 0;

    //! Error `index`, oldest first; null if out of range. Valid until clearErrors() or the next
    //! call that reads a model.
    virtual IParserError const* getError(int index) const noexcept = 0;

    //! Removes all errors.
    virtual void clearErrors() noexcept = 0;

    //! Plugin libraries that a version-compatible plan of the model needs. Kiln has none.
    //! \param nbPluginLibs set to 0. \return null.
    virtual char const* const* getUsedVCPluginLibraries(int64_t& nbPluginLibs) const noexcept = 0;

    //! Replaces all flags. \param onnxParserFlags bits 1U << int(OnnxParserFlag).
    virtual void setFlags(OnnxParserFlags onnxParserFlags) noexcept = 0;

    //! All flags as a bit mask.
    virtual OnnxParserFlags getFlags() const noexcept = 0;

    //! Switches a flag off.
    virtual void clearFlag(OnnxParserFlag onnxParserFlag) noexcept = 0;

    //! Switches a flag on.
    virtual void setFlag(OnnxParserFlag onnxParserFlag) noexcept = 0;

    //! True if a flag is on.
    virtual bool getFlag(OnnxParserFlag onnxParserFlag) const noexcept = 0;

    //! Output `i` of the node with a given name, after parsing; null if there is none.
    virtual nvinfer1::ITensor const* getLayerOutputTensor(char const* name, int64_t i) noexcept = 0;

    //! Checks whether a model can be parsed, without adding it to the network. getNbSubgraphs() and
    //! getError() then return details. The plugins that the model needs must be registered.
    //! \return true if the complete model is supported.
    virtual bool supportsModelV2(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                 char const* modelPath = nullptr) noexcept = 0;

    //! Number of subgraphs that the last supportsModelV2() found.
    virtual int64_t getNbSubgraphs() noexcept = 0;

    //! True if subgraph `index` is supported; false if it is not or is out of range.
    virtual bool isSubgraphSupported(int64_t const index) noexcept = 0;

    //! Indices of the nodes of a subgraph. \param subgraphLength receives their number.
    //! \return an array that the parser owns, valid until the next supportsModelV2(); null if
    //! `index` is out of range.
    virtual int64_t* getSubgraphNodes(int64_t const index, int64_t& subgraphLength) noexcept = 0;

    //! First of three steps that replace parse(): reads a model without its external data.
    //! \param serializedOnnxModel bytes that must stay valid until parseModelProto() returns.
    virtual bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Second step, for each initializer to supply: sets its data.
    //! \param data bytes in ONNX's raw_data layout; they must stay valid until the engine is built.
    //! \param size number of bytes.
    virtual bool loadInitializer(char const* name, void const* data, size_t size) noexcept = 0;

    //! Third step: adds the model to the network. Reads external data that was not supplied from
    //! its files.
    virtual bool parseModelProto() noexcept = 0;

    //! Sets the build configuration, which only the flags for DLA need: Kiln checks that it is not
    //! null and ignores it.
    virtual bool setBuilderConfig(nvinfer1::IBuilderConfig const* const builderConfig) noexcept = 0;

    //! As supportsModelV2(). \param sub_graph_collection receives the subgraphs.
    TRT_DEPRECATED virtual bool supportsModel(void const* serialized_onnx_model,
                                              size_t serialized_onnx_model_size,
                                              SubGraphCollection_t& sub_graph_collection,
                                              char const* model_path = nullptr) noexcept = 0;

    //! As parse() without a model path.
    TRT_DEPRECATED virtual bool parseWithWeightDescriptors(
        void const* serialized_onnx_model, size_t serialized_onnx_model_size) noexcept = 0;
};

//! Sets the weights of a refitter to those of an ONNX model of the same structure as the model that
//! the engine was built from. The refitter's refitCudaEngine() then changes the engine.
//!
//! The refitter reads the weights in place: the parser refitter must exist until the engine is
//! refitted.
class IParserRefitter {
public:
    virtual ~IParserRefitter() noexcept = default;

    //! Reads the weights from a model in memory; parameters as for IParser::parse().
    virtual bool refitFromBytes(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Reads the weights from a file.
    virtual bool refitFromFile(char const* onnxModelFile) noexcept = 0;

    //! Number of errors since the last clearErrors().
    virtual int32_t getNbErrors() const noexcept = 0;

    //! Error `index`, oldest first; null if out of range.
    virtual IParserError const* getError(int32_t index) const noexcept = 0;

    //! Removes all errors.
    virtual void clearErrors() = 0;

    //! First of three steps that replace refitFromBytes(); see IParser::loadModelProto().
    virtual bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Second step; see IParser::loadInitializer().
    virtual bool loadInitializer(char const* name, void const* data, size_t size) noexcept = 0;

    //! Third step: passes the weights to the refitter.
    virtual bool refitModelProto() noexcept = 0;
};

//! Creates a parser. \param network receives the layers. \param logger receives the messages. The
//! caller keeps ownership of both; they must outlive the parser.
//! \return a parser that the caller deletes; null, with a logged error, on failure.
inline IParser* createParser(nvinfer1::INetworkDefinition& network,
                             nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParser*>(
        createNvOnnxParser_INTERNAL(&network, &logger, NV_ONNX_PARSER_VERSION));
}

//! Creates a refitter that reads ONNX. \param refitter receives the weights. \param logger
//! receives the messages. The caller keeps ownership of both; they must outlive the result.
//! \return a refitter that the caller deletes; null, with a logged error, on failure.
inline IParserRefitter* createParserRefitter(nvinfer1::IRefitter& refitter,
                                             nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParserRefitter*>(
        createNvOnnxParserRefitter_INTERNAL(&refitter, &logger, NV_ONNX_PARSER_VERSION));
}

} // namespace nvonnxparser

#pragma GCC visibility pop
