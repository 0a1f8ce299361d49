// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "NvInfer.h"
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

//! Version of this interface, as it is passed to the library.
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
//! nvinfer1::IRefitter. \param logger an nvinfer1::ILogger.
//! \return an nvonnxparser::IParserRefitter; null on failure.
extern "C" TENSORRTAPI void* createNvOnnxParserRefitter_INTERNAL(void* refitter, void* logger,
                                                                 int32_t version) noexcept;

//! NV_ONNX_PARSER_VERSION of the library.
extern "C" TENSORRTAPI int getNvOnnxParserVersion() noexcept;

#pragma GCC visibility push(default)

namespace nvonnxparser {

//! Bit mask of OnnxParserFlag: bit 1U << int(flag) switches a flag on.
using OnnxParserFlags = uint32_t;

//! Number of values of an enumeration of this namespace, for loops and tables.
template <typename T>
constexpr int32_t EnumMax() noexcept = delete;

//! Kind of an IParserError.
enum class ErrorCode : int {
    kSUCCESS = 0,                  //!< No error.
    kINTERNAL_ERROR = 1,           //!< The parser failed through no fault of the model.
    kMEM_ALLOC_FAILED = 2,         //!< Out of memory.
    kMODEL_DESERIALIZE_FAILED = 3, //!< The bytes are not an ONNX model, or are cut off.
    kINVALID_VALUE = 4,            //!< An argument, a file name or an initializer is not valid.
    kINVALID_GRAPH = 5,         //!< The graph breaks the rules of ONNX: a missing tensor, a cycle.
    kINVALID_NODE = 6,          //!< A node breaks the rules of its operator.
    kUNSUPPORTED_GRAPH = 7,     //!< The graph is valid, yet cannot become a network.
    kUNSUPPORTED_NODE = 8,      //!< No importer and no plugin for the operator.
    kUNSUPPORTED_NODE_ATTR = 9, //!< An attribute, or its value, is not supported.
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

//! An option of the parser, see IParser::setFlag(). Off by default, kNATIVE_INSTANCENORM excepted.
enum class OnnxParserFlag : int32_t {
    //! InstanceNormalization becomes a layer of the network, not a plugin. On by default.
    kNATIVE_INSTANCENORM = 0,
    //! DLA: allow UINT8 and quantization with a zero point.
    kENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA = 1,
    //! DLA: IParser::supportsModelV2() reports what DLA can run.
    kREPORT_CAPABILITY_DLA = 2,
    //! A registered plugin that bears the name of an ONNX operator takes its nodes. Nodes choose
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

//! What went wrong, and where. Belongs to the parser; strings are never null and valid as long as
//! the error.
class IParserError {
public:
    //! Kind of the error.
    virtual ErrorCode code() const = 0;

    //! The message: where, what was expected, what came, how to mend.
    virtual char const* desc() const = 0;

    //! Source file of the parser that found the error.
    virtual char const* file() const = 0;

    //! Line in that file.
    virtual int line() const = 0;

    //! Function in that file.
    virtual char const* func() const = 0;

    //! Index of the node in its graph; -1 if the error belongs to no node.
    virtual int node() const = 0;

    //! Name of the node; empty if the error belongs to none.
    virtual char const* nodeName() const = 0;

    //! Operator of the node; empty if the error belongs to none.
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
//! An operator without a layer becomes a plugin: the node's op_type is the name, its attributes
//! `plugin_version` (default "1") and `plugin_namespace` (default "") the rest; its other
//! attributes become fields. The plugin registry must know the creator.
//!
//! Lifetime: the caller owns the parser and deletes it. The parser owns the weights that the
//! network points to, so it must live until the engine is built. One model for each parser.
//!
//! Errors: functions return false; getError() has the details, and the logger the messages.
class IParser {
public:
    virtual ~IParser() noexcept = default;

    //! Reads a model from memory and adds it to the network.
    //! \param serialized_onnx_model bytes of an ONNX ModelProto; used during the call only.
    //! \param model_path file name of the model; tensors with external data are looked for in its
    //!     folder. Null: in the working folder.
    virtual bool parse(void const* serialized_onnx_model, size_t serialized_onnx_model_size,
                       char const* model_path = nullptr) noexcept = 0;

    //! Reads a model from a file and adds it to the network.
    //! \param verbosity without effect on the result; the logger's severities say the same.
    virtual bool parseFromFile(char const* onnxModelFile, int verbosity) noexcept = 0;

    //! True if there is a layer for an operator of the standard ONNX domain.
    //! \param op_name such as "Conv".
    virtual bool supportsOperator(char const* op_name) const noexcept = 0;

    //! Number of errors since the last clearErrors().
    virtual int getNbErrors() const noexcept = 0;

    //! Error `index`, oldest first; null if out of range. Valid until clearErrors() or the next
    //! call that reads a model.
    virtual IParserError const* getError(int index) const noexcept = 0;

    //! Forgets all errors.
    virtual void clearErrors() noexcept = 0;

    //! Plugin libraries that the model needs and that a version-compatible plan should carry.
    //! \param nbPluginLibs receives their number.
    //! \return file names that the parser owns; null if there are none.
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

    //! Output `i` of the node of a given name, after the model was read; null if there is none.
    virtual nvinfer1::ITensor const* getLayerOutputTensor(char const* name, int64_t i) noexcept = 0;

    //! Says whether a model could be read, without adding it to the network; getNbSubgraphs() and
    //! getError() then tell more. The plugins that the model needs must be registered.
    //! \return true if all of it is supported.
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

    //! First of three steps in place of parse(): reads a model; tensors with external data stay
    //! open. \param serializedOnnxModel bytes that must stay valid until parseModelProto() is done.
    virtual bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Second step, once for each initializer to supply: sets its data.
    //! \param data bytes in ONNX's raw_data layout; they must stay valid until the engine is built.
    //! \param size their number.
    virtual bool loadInitializer(char const* name, void const* data, size_t size) noexcept = 0;

    //! Third step: adds the model to the network. Tensors with external data that were not supplied
    //! are read from their files.
    virtual bool parseModelProto() noexcept = 0;

    //! Lets the parser know how the network will be built, for the flags that concern DLA. The
    //! configuration stays the caller's and must outlive the parsing. Null is refused.
    virtual bool setBuilderConfig(nvinfer1::IBuilderConfig const* const builderConfig) noexcept = 0;

    //! As supportsModelV2(). \param sub_graph_collection receives the subgraphs.
    TRT_DEPRECATED virtual bool supportsModel(void const* serialized_onnx_model,
                                              size_t serialized_onnx_model_size,
                                              SubGraphCollection_t& sub_graph_collection,
                                              char const* model_path = nullptr) noexcept = 0;

    //! As parse().
    TRT_DEPRECATED virtual bool parseWithWeightDescriptors(
        void const* serialized_onnx_model, size_t serialized_onnx_model_size) noexcept = 0;
};

//! Replaces the weights of an engine by those of an ONNX model of the same structure. The caller
//! owns it and deletes it; the refitter must outlive it. Errors as for IParser.
class IParserRefitter {
public:
    virtual ~IParserRefitter() noexcept = default;

    //! Takes the weights from a model in memory; parameters as for IParser::parse().
    virtual bool refitFromBytes(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Takes the weights from a file.
    virtual bool refitFromFile(char const* onnxModelFile) noexcept = 0;

    //! Number of errors since the last clearErrors().
    virtual int32_t getNbErrors() const noexcept = 0;

    //! Error `index`, oldest first; null if out of range.
    virtual IParserError const* getError(int32_t index) const noexcept = 0;

    //! Forgets all errors.
    virtual void clearErrors() = 0;

    //! First of three steps in place of refitFromBytes(); see IParser::loadModelProto().
    virtual bool loadModelProto(void const* serializedOnnxModel, size_t serializedOnnxModelSize,
                                char const* modelPath = nullptr) noexcept = 0;

    //! Second step; see IParser::loadInitializer().
    virtual bool loadInitializer(char const* name, void const* data, size_t size) noexcept = 0;

    //! Third step: hands the weights to the refitter.
    virtual bool refitModelProto() noexcept = 0;
};

//! Makes a parser. \param network receives the layers. \param logger gets the messages. Both stay
//! the caller's and must outlive the parser.
//! \return a parser that the caller deletes; null, with a logged error, on failure.
inline IParser* createParser(nvinfer1::INetworkDefinition& network,
                             nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParser*>(
        createNvOnnxParser_INTERNAL(&network, &logger, NV_ONNX_PARSER_VERSION));
}

//! Makes a refitter that reads ONNX. \param refitter of the engine to change. \param logger gets
//! the messages. Both stay the caller's and must outlive the result.
//! \return an object that the caller deletes; null, with a logged error, on failure.
inline IParserRefitter* createParserRefitter(nvinfer1::IRefitter& refitter,
                                             nvinfer1::ILogger& logger) noexcept {
    return static_cast<IParserRefitter*>(
        createNvOnnxParserRefitter_INTERNAL(&refitter, &logger, NV_ONNX_PARSER_VERSION));
}

} // namespace nvonnxparser

#pragma GCC visibility pop
