// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The parts of ONNX's protobuf messages that the parser reads, as plain structs. Names are copied;
// bulk data (raw_data) stays a view of the serialized model, which must outlive the struct.
// Field numbers and meanings: onnx.proto of the ONNX project.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// TensorProto.DataType.
enum class ElementType : int32_t {
    kUndefined = 0,
    kFloat = 1,
    kUint8 = 2,
    kInt8 = 3,
    kUint16 = 4,
    kInt16 = 5,
    kInt32 = 6,
    kInt64 = 7,
    kString = 8,
    kBool = 9,
    kFloat16 = 10,
    kDouble = 11,
    kUint32 = 12,
    kUint64 = 13,
    kComplex64 = 14,
    kComplex128 = 15,
    kBfloat16 = 16,
    kFloat8E4M3FN = 17,
    kFloat8E4M3FNUZ = 18,
    kFloat8E5M2 = 19,
    kFloat8E5M2FNUZ = 20,
    kUint4 = 21,
    kInt4 = 22,
    kFloat4E2M1 = 23,
};

// TensorProto: exactly one of the data fields holds the elements, or they are in a file.
struct TensorProto {
    std::string name;
    ElementType type{ElementType::kUndefined};
    std::vector<int64_t> dims;
    std::optional<std::string_view> rawData; // little-endian, dense, last axis fastest
    std::vector<float> floatData;
    std::vector<int32_t> int32Data; // also holds 8 and 16-bit types, one element each
    std::vector<int64_t> int64Data;
    std::vector<double> doubleData;
    std::vector<uint64_t> uint64Data; // also holds kUint32
    bool isExternal{false};
    std::map<std::string, std::string> externalData; // location, offset, length, checksum
};

// AttributeProto.AttributeType.
enum class AttributeType : int32_t {
    kUndefined = 0,
    kFloat = 1,
    kInt = 2,
    kString = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparseTensor = 11,
    kSparseTensors = 12,
    kTypeProto = 13,
    kTypeProtos = 14,
};

// AttributeProto. Of subgraphs, sparse tensors and types, only `type` is read: no importer uses
// them, and reading them would let a hostile file recurse without a limit.
struct AttributeProto {
    std::string name;
    AttributeType type{AttributeType::kUndefined};
    float floatValue{0.0F};
    int64_t intValue{0};
    std::string stringValue;
    TensorProto tensorValue;
    std::vector<float> floats;
    std::vector<int64_t> ints;
    std::vector<std::string> strings;
};

struct NodeProto {
    std::string name;
    std::string opType;
    std::string domain;
    std::vector<std::string> inputs; // an empty name is an absent optional input
    std::vector<std::string> outputs;
    std::vector<AttributeProto> attributes;
};

// One extent of a shape: a number, a name, or neither.
struct DimensionProto {
    std::optional<int64_t> value;
    std::string name;
};

// ValueInfoProto of a tensor.
struct ValueInfoProto {
    std::string name;
    bool isTensor{false};
    ElementType type{ElementType::kUndefined};
    std::optional<std::vector<DimensionProto>> shape; // absent: even the rank is unknown
};

struct GraphProto {
    std::string name;
    std::vector<NodeProto> nodes;
    std::vector<TensorProto> initializers;
    std::vector<ValueInfoProto> inputs;
    std::vector<ValueInfoProto> outputs;
    bool hasSparseInitializers{false};
};

struct ModelProto {
    int64_t irVersion{0};
    std::string producerName;
    std::map<std::string, int64_t> opsets; // version by domain; "" is the ONNX domain
    std::vector<std::string> functions;    // names of model-local functions
    std::optional<GraphProto> graph;
};

} // namespace kiln::onnx
