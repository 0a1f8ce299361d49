// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Readers from serialized ONNX messages to the structs of messages.h. Each checks every length and
// wire type and throws FormatError; none trusts a size before it has read the bytes.
#pragma once

#include "onnx/proto/messages.h"

#include <string_view>
#include <utility>
#include <vector>

namespace kiln::onnx {

// Graphs lie in attributes of nodes of graphs. The readers call each other, so deeper ones are
// refused, as protobuf's own library refuses them.
constexpr int kDeepestGraph = 48;

// depth: the number of graphs around the message.
TensorProto readTensor(std::string_view bytes);
SparseTensorProto readSparseTensor(std::string_view bytes);
AttributeProto readAttribute(std::string_view bytes, int depth = 0);
NodeProto readNode(std::string_view bytes, int depth = 0);
ValueInfoProto readValueInfo(std::string_view bytes);
GraphProto readGraph(std::string_view bytes, int depth = 0);
FunctionProto readFunction(std::string_view bytes);
ModelProto readModel(std::string_view bytes);

// What has no name can never be referred to. Thus a file of empty messages takes no memory.
template <typename Message>
void keepNamed(std::vector<Message>& messages, Message&& message) {
    if (!message.name.empty()) {
        messages.push_back(std::move(message));
    }
}

// Reads an OperatorSetIdProto into `opsets`. "ai.onnx" is another name of the standard domain.
void readOpset(std::string_view bytes, Opsets& opsets);

} // namespace kiln::onnx
