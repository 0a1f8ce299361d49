// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Readers from serialized ONNX messages to the structs of messages.h. Each checks every length and
// wire type and throws FormatError; none trusts a size before it has read the bytes.
#pragma once

#include "onnx/proto/messages.h"

#include <string_view>

namespace kiln::onnx {

TensorProto readTensor(std::string_view bytes);
AttributeProto readAttribute(std::string_view bytes);
NodeProto readNode(std::string_view bytes);
ValueInfoProto readValueInfo(std::string_view bytes);
GraphProto readGraph(std::string_view bytes);
ModelProto readModel(std::string_view bytes);

} // namespace kiln::onnx
