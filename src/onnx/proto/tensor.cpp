// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <utility>

namespace kiln::onnx {

namespace {

// StringStringEntryProto.
std::pair<std::string, std::string> readEntry(std::string_view bytes) {
    std::pair<std::string, std::string> entry;
    FieldReader reader(bytes, "StringStringEntryProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: entry.first = reader.string("key"); break;
        case 2: entry.second = reader.string("value"); break;
        default: reader.skip();
        }
    }
    return entry;
}

constexpr int32_t kExternal = 1; // TensorProto.DataLocation

} // namespace

TensorProto readTensor(std::string_view bytes) {
    TensorProto tensor;
    FieldReader reader(bytes, "TensorProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: reader.append("dims", tensor.dims); break;
        case 2: tensor.type = static_cast<ElementType>(reader.int32("data_type")); break;
        case 4: reader.append("float_data", tensor.floatData); break;
        case 5: reader.append("int32_data", tensor.int32Data); break;
        case 7: reader.append("int64_data", tensor.int64Data); break;
        case 8: tensor.name = reader.name("name"); break;
        case 9: tensor.rawData = reader.bytes("raw_data"); break;
        case 10: reader.append("double_data", tensor.doubleData); break;
        case 11: reader.append("uint64_data", tensor.uint64Data); break;
        case 13: tensor.externalData.insert(readEntry(reader.bytes("external_data"))); break;
        case 14: tensor.isExternal = reader.int32("data_location") == kExternal; break;
        default: reader.skip();
        }
    }
    return tensor;
}

SparseTensorProto readSparseTensor(std::string_view bytes) {
    SparseTensorProto tensor;
    FieldReader reader(bytes, "SparseTensorProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: tensor.values = readTensor(reader.bytes("values")); break;
        case 2: tensor.indices = readTensor(reader.bytes("indices")); break;
        case 3: reader.append("dims", tensor.dims); break;
        default: reader.skip();
        }
    }
    return tensor;
}

} // namespace kiln::onnx
