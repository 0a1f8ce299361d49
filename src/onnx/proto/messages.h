// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The parts of ONNX's protobuf messages that the parser reads, as plain structs. Names are copied;
// bulk data (raw_data) stays a view of the serialized model, which must outlive the struct.
// Field numbers and meanings: onnx.proto of the ONNX project.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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
    kFloat8E8M0 = 24,
    kUint2 = 25,
    kInt2 = 26,
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

// SparseTensorProto: the elements besides zeros, named like the tensor, and where they are: indices
// of the flat tensor, or one row of coordinates for each.
struct SparseTensorProto {
    TensorProto values;
    TensorProto indices;
    std::vector<int64_t> dims;
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

struct GraphProto;

// AttributeProto. Of lists of graphs, of sparse tensors and types, only `type` is read: no importer
// uses them.
struct AttributeProto {
    std::string name;
    std::string refName; // in a function: the attribute of the function whose value this has
    AttributeType type{AttributeType::kUndefined};
    float floatValue{0.0F};
    int64_t intValue{0};
    std::string stringValue;
    std::shared_ptr<TensorProto const> tensor;
    std::shared_ptr<SparseTensorProto const> sparseValue;
    std::vector<float> floats;
    std::vector<int64_t> ints;
    std::vector<std::string> strings;
    std::shared_ptr<GraphProto const> graph;

    TensorProto const& tensorValue() const; // without elements if there is none
};

struct NodeProto {
    std::string name;
    std::string opType;
    std::string domain;
    std::string overload;            // of the function that the node calls
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
    std::vector<SparseTensorProto> sparseInitializers;
    std::vector<ValueInfoProto> inputs;
    std::vector<ValueInfoProto> outputs;
    std::vector<ValueInfoProto> values; // what the writer knows of values in between
};

// Version by domain; "" is the ONNX domain.
using Opsets = std::map<std::string, int64_t>;

// FunctionProto: a function of the model, which nodes call by its name.
struct FunctionProto {
    std::string name;
    std::string domain;
    std::string overload;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<NodeProto> nodes;
    std::vector<AttributeProto> defaults; // of attributes that a call may leave out
    Opsets opsets;
};

struct ModelProto {
    int64_t irVersion{0};
    std::string producerName;
    Opsets opsets;
    std::map<std::string, std::string> metadata; // metadata_props
    std::vector<FunctionProto> functions;
    std::optional<GraphProto> graph;
};

} // namespace kiln::onnx
