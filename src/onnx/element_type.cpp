// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/element_type.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <array>

namespace kiln::onnx {

using nvinfer1::DataType;

std::string_view nameOf(ElementType type) {
    static constexpr std::array<std::string_view, 27> kNames{
        "UNDEFINED",      "FLOAT",    "UINT8",        "INT8",           "UINT16",
        "INT16",          "INT32",    "INT64",        "STRING",         "BOOL",
        "FLOAT16",        "DOUBLE",   "UINT32",       "UINT64",         "COMPLEX64",
        "COMPLEX128",     "BFLOAT16", "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2",
        "FLOAT8E5M2FNUZ", "UINT4",    "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0",
        "UINT2",          "INT2"};
    auto const index = static_cast<size_t>(type);
    return index < kNames.size() ? kNames[index] : "unknown";
}

std::string_view nameOf(DataType type) {
    // The names of ONNX, because those of C++ (kFLOAT) and Python (float32) differ.
    static constexpr std::array<std::string_view, 12> kNames{
        "FLOAT",        "FLOAT16",  "INT8",  "INT32", "BOOL",       "UINT8",
        "FLOAT8E4M3FN", "BFLOAT16", "INT64", "INT4",  "FLOAT4E2M1", "FLOAT8E8M0"};
    auto const index = static_cast<size_t>(type);
    return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<DataType> dataTypeOf(ElementType type) {
    switch (type) {
    case ElementType::kDouble:
    case ElementType::kFloat8E4M3FNUZ:
    case ElementType::kFloat8E5M2:
    case ElementType::kFloat8E5M2FNUZ:
    case ElementType::kFloat8E8M0:
    case ElementType::kFloat: return DataType::kFLOAT;
    case ElementType::kUint2:
    case ElementType::kUint4:
    case ElementType::kUint8: return DataType::kUINT8;
    case ElementType::kInt2:
    case ElementType::kInt8: return DataType::kINT8;
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kInt32: return DataType::kINT32;
    case ElementType::kUint32:
    case ElementType::kUint64:
    case ElementType::kInt64: return DataType::kINT64;
    case ElementType::kBool: return DataType::kBOOL;
    case ElementType::kFloat16: return DataType::kHALF;
    case ElementType::kBfloat16: return DataType::kBF16;
    case ElementType::kFloat8E4M3FN: return DataType::kFP8;
    case ElementType::kInt4: return DataType::kINT4;
    case ElementType::kFloat4E2M1: return DataType::kFP4;
    default: return std::nullopt;
    }
}

ElementType elementTypeOf(DataType type) {
    switch (type) {
    case DataType::kFLOAT: return ElementType::kFloat;
    case DataType::kHALF: return ElementType::kFloat16;
    case DataType::kBF16: return ElementType::kBfloat16;
    case DataType::kFP8: return ElementType::kFloat8E4M3FN;
    case DataType::kFP4: return ElementType::kFloat4E2M1;
    case DataType::kINT4: return ElementType::kInt4;
    case DataType::kINT8: return ElementType::kInt8;
    case DataType::kUINT8: return ElementType::kUint8;
    case DataType::kINT32: return ElementType::kInt32;
    case DataType::kINT64: return ElementType::kInt64;
    case DataType::kBOOL: return ElementType::kBool;
    default: return ElementType::kUndefined;
    }
}

bool isReplaced(ElementType type) {
    switch (type) {
    case ElementType::kDouble:
    case ElementType::kFloat8E4M3FNUZ:
    case ElementType::kFloat8E5M2:
    case ElementType::kFloat8E5M2FNUZ:
    case ElementType::kFloat8E8M0:
    case ElementType::kUint2:
    case ElementType::kInt2:
    case ElementType::kUint4:
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kUint32:
    case ElementType::kUint64: return true;
    default: return false;
    }
}

int32_t bitsOf(ElementType type) {
    switch (type) {
    case ElementType::kDouble:
    case ElementType::kUint64: return 64;
    case ElementType::kUint32: return 32;
    case ElementType::kInt16:
    case ElementType::kUint16: return 16;
    case ElementType::kFloat8E4M3FNUZ:
    case ElementType::kFloat8E5M2:
    case ElementType::kFloat8E5M2FNUZ:
    case ElementType::kFloat8E8M0: return 8;
    case ElementType::kUint4: return 4;
    case ElementType::kUint2:
    case ElementType::kInt2: return 2;
    default: {
        auto const found = dataTypeOf(type);
        return found ? bitsOf(*found) : 0;
    }
    }
}

DataType requireDataType(ElementType type, std::string_view what) {
    auto const found = dataTypeOf(type);
    if (!found) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_DATATYPE,
                          text(what, ": expected a type that a network has, got ", nameOf(type),
                               " (", static_cast<int32_t>(type),
                               "). Convert the model to FLOAT, FLOAT16, ",
                               "BFLOAT16, INT8, UINT8, INT32, INT64 or BOOL."));
    }
    return *found;
}

int32_t bitsOf(DataType type) {
    switch (type) {
    case DataType::kINT64: return 64;
    case DataType::kFLOAT:
    case DataType::kINT32: return 32;
    case DataType::kHALF:
    case DataType::kBF16: return 16;
    case DataType::kINT4:
    case DataType::kFP4: return 4;
    default: return 8;
    }
}

} // namespace kiln::onnx
