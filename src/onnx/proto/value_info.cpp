// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

namespace kiln::onnx {

namespace {

// TensorShapeProto.Dimension.
DimensionProto readDimension(std::string_view bytes) {
    DimensionProto dimension;
    FieldReader reader(bytes, "TensorShapeProto.Dimension");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: dimension.value = reader.int64("dim_value"); break;
        case 2: dimension.name = reader.name("dim_param"); break;
        default: reader.skip();
        }
    }
    return dimension;
}

std::vector<DimensionProto> readShape(std::string_view bytes) {
    std::vector<DimensionProto> shape;
    FieldReader reader(bytes, "TensorShapeProto");
    while (reader.next()) {
        if (reader.tag() == 1) {
            shape.push_back(readDimension(reader.bytes("dim")));
        } else {
            reader.skip();
        }
    }
    return shape;
}

// TypeProto.Tensor.
void readTensorType(std::string_view bytes, ValueInfoProto& info) {
    FieldReader reader(bytes, "TypeProto.Tensor");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: info.type = static_cast<ElementType>(reader.int32("elem_type")); break;
        case 2: info.shape = readShape(reader.bytes("shape")); break;
        default: reader.skip();
        }
    }
}

// TypeProto. Sequences, maps and optionals leave isTensor false.
void readType(std::string_view bytes, ValueInfoProto& info) {
    FieldReader reader(bytes, "TypeProto");
    while (reader.next()) {
        if (reader.tag() == 1) {
            info.isTensor = true;
            readTensorType(reader.bytes("tensor_type"), info);
        } else {
            reader.skip();
        }
    }
}

} // namespace

ValueInfoProto readValueInfo(std::string_view bytes) {
    ValueInfoProto info;
    FieldReader reader(bytes, "ValueInfoProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: info.name = reader.name("name"); break;
        case 2: readType(reader.bytes("type"), info); break;
        default: reader.skip();
        }
    }
    return info;
}

} // namespace kiln::onnx
