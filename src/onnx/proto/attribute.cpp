// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <string>

namespace kiln::onnx {

// Writers before IR version 3 omitted `type`; it then follows from the field that is present.
static void inferType(AttributeProto& attribute, AttributeType seen) {
    if (attribute.type == AttributeType::kUndefined) {
        attribute.type = seen;
    }
}

// The attribute of a graph of its own, one level deeper.
static std::shared_ptr<GraphProto const> readInner(std::string_view bytes, int depth) {
    if (depth >= kDeepestGraph) {
        throw FormatError("AttributeProto, field 'g': expected " + std::to_string(kDeepestGraph) +
                          " graphs inside each other at most");
    }
    return std::make_shared<GraphProto const>(readGraph(bytes, depth + 1));
}

TensorProto const& AttributeProto::tensorValue() const {
    static TensorProto const none;
    return tensor != nullptr ? *tensor : none;
}

AttributeProto readAttribute(std::string_view bytes, int depth) {
    AttributeProto attribute;
    auto seen = AttributeType::kUndefined;
    FieldReader reader(bytes, "AttributeProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: attribute.name = reader.name("name"); break;
        case 2:
            attribute.floatValue = reader.float32("f");
            seen = AttributeType::kFloat;
            break;
        case 3:
            attribute.intValue = reader.int64("i");
            seen = AttributeType::kInt;
            break;
        case 4:
            attribute.stringValue = reader.string("s");
            seen = AttributeType::kString;
            break;
        case 5:
            attribute.tensor = std::make_shared<TensorProto const>(readTensor(reader.bytes("t")));
            seen = AttributeType::kTensor;
            break;
        case 6:
            attribute.graph = readInner(reader.bytes("g"), depth);
            seen = AttributeType::kGraph;
            break;
        case 7:
            reader.append("floats", attribute.floats);
            seen = AttributeType::kFloats;
            break;
        case 8:
            reader.append("ints", attribute.ints);
            seen = AttributeType::kInts;
            break;
        case 9:
            attribute.strings.push_back(reader.string("strings"));
            seen = AttributeType::kStrings;
            break;
        case 11:
            reader.bytes("graphs");
            seen = AttributeType::kGraphs;
            break;
        case 22:
            attribute.sparseValue = std::make_shared<SparseTensorProto const>(
                readSparseTensor(reader.bytes("sparse_tensor")));
            seen = AttributeType::kSparseTensor;
            break;
        case 20: attribute.type = static_cast<AttributeType>(reader.int32("type")); break;
        case 21: attribute.refName = reader.name("ref_attr_name"); break;
        default: reader.skip();
        }
    }
    inferType(attribute, seen);
    return attribute;
}

} // namespace kiln::onnx
