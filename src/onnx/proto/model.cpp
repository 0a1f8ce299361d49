// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/proto/field_reader.h"
#include "onnx/proto/readers.h"

namespace kiln::onnx {

void readOpset(std::string_view bytes, Opsets& opsets) {
    std::string domain;
    int64_t version = 0;
    FieldReader reader(bytes, "OperatorSetIdProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: domain = reader.name("domain"); break;
        case 2: version = reader.int64("version"); break;
        default: reader.skip();
        }
    }
    opsets[domain == "ai.onnx" ? "" : domain] = version;
}

static void readEntry(std::string_view bytes, std::map<std::string, std::string>& metadata) {
    std::string key;
    std::string value;
    FieldReader reader(bytes, "StringStringEntryProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: key = reader.string("key"); break;
        case 2: value = reader.string("value"); break;
        default: reader.skip();
        }
    }
    metadata[key] = value;
}

ModelProto readModel(std::string_view bytes) {
    ModelProto model;
    FieldReader reader(bytes, "ModelProto");
    while (reader.next()) {
        switch (reader.tag()) {
        case 1: model.irVersion = reader.int64("ir_version"); break;
        case 2: model.producerName = reader.string("producer_name"); break;
        case 7: model.graph = readGraph(reader.bytes("graph")); break;
        case 8: readOpset(reader.bytes("opset_import"), model.opsets); break;
        case 14: readEntry(reader.bytes("metadata_props"), model.metadata); break;
        case 25: keepNamed(model.functions, readFunction(reader.bytes("functions"))); break;
        default: reader.skip();
        }
    }
    return model;
}

} // namespace kiln::onnx
