// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

namespace kiln::onnx {

namespace {

// OperatorSetIdProto. "ai.onnx" is another name of the empty, standard domain.
void readOpset(std::string_view bytes, ModelProto& model) {
    std::string domain;
    int64_t version = 0;
    FieldReader reader(bytes, "OperatorSetIdProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: domain = reader.string("domain"); break;
        case 2: version = reader.int64("version"); break;
        default: reader.skip();
        }
    }
    model.opsets[domain == "ai.onnx" ? "" : domain] = version;
}

// FunctionProto. Only the name is read, to recognize nodes that call the function.
std::string readFunctionName(std::string_view bytes) {
    std::string name;
    FieldReader reader(bytes, "FunctionProto");
    while (reader.next()) {
        if (reader.tag() == 1) {
            name = reader.string("name");
        } else {
            reader.skip();
        }
    }
    return name;
}

} // namespace

ModelProto readModel(std::string_view bytes) {
    ModelProto model;
    FieldReader reader(bytes, "ModelProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: model.irVersion = reader.int64("ir_version"); break;
        case 2: model.producerName = reader.string("producer_name"); break;
        case 7: model.graph = readGraph(reader.bytes("graph")); break;
        case 8: readOpset(reader.bytes("opset_import"), model); break;
        case 25: model.functions.push_back(readFunctionName(reader.bytes("functions"))); break;
        default: reader.skip();
        }
    }
    return model;
}

} // namespace kiln::onnx
