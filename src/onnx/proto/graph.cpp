// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

#include <utility>

namespace kiln::onnx {

GraphProto readGraph(std::string_view bytes, int depth) {
    GraphProto graph;
    FieldReader reader(bytes, "GraphProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: graph.nodes.push_back(readNode(reader.bytes("node"), depth)); break;
        case 2: graph.name = reader.name("name"); break;
        case 5: keepNamed(graph.initializers, readTensor(reader.bytes("initializer"))); break;
        case 11: graph.inputs.push_back(readValueInfo(reader.bytes("input"))); break;
        case 12: graph.outputs.push_back(readValueInfo(reader.bytes("output"))); break;
        case 13: keepNamed(graph.values, readValueInfo(reader.bytes("value_info"))); break;
        case 15: {
            SparseTensorProto sparse = readSparseTensor(reader.bytes("sparse_initializer"));
            if (!sparse.values.name.empty()) {
                graph.sparseInitializers.push_back(std::move(sparse));
            }
            break;
        }
        default: reader.skip();
        }
    }
    return graph;
}

} // namespace kiln::onnx
