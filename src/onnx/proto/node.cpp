// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <string>

namespace kiln::onnx {

// No operator has more than a few dozen; plugins may have more.
constexpr size_t kMostAttributes = 10000;

// A node of two bytes takes a hundred times as much once it is read: a file of nothing else is
// refused at the first.
static void expectUse(NodeProto const& node) {
    if (node.opType.empty()) {
        throw FormatError("NodeProto '" + node.name +
                          "', field 'op_type': expected the name of an operator, got none");
    }
    if (node.inputs.empty() && node.outputs.empty()) {
        throw FormatError("NodeProto '" + node.name + "' (" + node.opType +
                          "), field 'output': expected outputs or inputs, got neither");
    }
}

NodeProto readNode(std::string_view bytes, int depth) {
    NodeProto node;
    FieldReader reader(bytes, "NodeProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: node.inputs.push_back(reader.name("input")); break;
        case 2: node.outputs.push_back(reader.name("output")); break;
        case 3: node.name = reader.name("name"); break;
        case 4: node.opType = reader.name("op_type"); break;
        case 5:
            if (node.attributes.size() == kMostAttributes) {
                throw FormatError("NodeProto, field 'attribute': expected " +
                                  std::to_string(kMostAttributes) + " attributes at most");
            }
            keepNamed(node.attributes, readAttribute(reader.bytes("attribute"), depth));
            break;
        case 7: node.domain = reader.name("domain"); break;
        case 8: node.overload = reader.name("overload"); break;
        default: reader.skip();
        }
    }
    expectUse(node);
    return node;
}

} // namespace kiln::onnx
