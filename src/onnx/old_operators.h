// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Nodes of operator sets 1 to 8 in the form that importers expect, which is that of operator set 7
// or 9: attributes that became inputs, other names, and broadcasting by an axis.
#pragma once

#include "onnx/node_context.h"

#include <cstdint>
#include <map>
#include <optional>

namespace kiln::onnx {

struct CurrentForm {
    NodeProto node;
    std::map<size_t, TensorProto> constants{}; // inputs that were attributes
    std::optional<int64_t> firstAxis{};        // of input 0, where the axes of input 1 begin
    bool tilesOneAxis = false;                 // inputs 1 and 2 of Tile are numbers
};

// Whether a node may have a form that importers do not know.
bool hasOldForm(NodeProto const& node, int64_t opset);

CurrentForm currentFormOf(NodeProto const& node, int64_t opset);

// Gives a node of that form its inputs.
void adoptInputs(NodeContext& context, CurrentForm const& form);

} // namespace kiln::onnx
