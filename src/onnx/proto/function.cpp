// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

namespace kiln::onnx {

FunctionProto readFunction(std::string_view bytes) {
    FunctionProto function;
    FieldReader reader(bytes, "FunctionProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: function.name = reader.name("name"); break;
        case 4: function.inputs.push_back(reader.name("input")); break;
        case 5: function.outputs.push_back(reader.name("output")); break;
        case 7: function.nodes.push_back(readNode(reader.bytes("node"))); break;
        case 9: readOpset(reader.bytes("opset_import"), function.opsets); break;
        case 10: function.domain = reader.name("domain"); break;
        case 11:
            keepNamed(function.defaults, readAttribute(reader.bytes("attribute_proto")));
            break;
        case 13: function.overload = reader.name("overload"); break;
        default: reader.skip();
        }
    }
    return function;
}

} // namespace kiln::onnx
