// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

namespace kiln::onnx {

NodeProto readNode(std::string_view bytes, int depth) {
    NodeProto node;
    FieldReader reader(bytes, "NodeProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: node.inputs.push_back(reader.string("input")); break;
        case 2: node.outputs.push_back(reader.string("output")); break;
        case 3: node.name = reader.string("name"); break;
        case 4: node.opType = reader.string("op_type"); break;
        case 5: node.attributes.push_back(readAttribute(reader.bytes("attribute"), depth)); break;
        case 7: node.domain = reader.string("domain"); break;
        case 8: node.overload = reader.string("overload"); break;
        default: reader.skip();
        }
    }
    return node;
}

} // namespace kiln::onnx
