// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The operators of the ONNX standard, with the number of inputs and outputs of each version.
#pragma once

#include "onnx/proto/messages.h"

#include <cstdint>
#include <string_view>

namespace kiln::onnx {

struct Arity {
    int32_t least;
    int32_t most;
};

struct OperatorVersion {
    std::string_view name;
    int64_t since; // first operator set with these numbers
    Arity inputs;
    Arity outputs;
    int8_t typeOf[3]; // the input whose type output 0, 1 and 2 have; -1 for none
};

// Whether a node's domain is the standard domain.
bool isStandardDomain(std::string_view domain);

// The version of an operator in an operator set; its first version if the operator is newer than
// the set. Null for a name that the standard domain does not have.
OperatorVersion const* findOperator(std::string_view name, int64_t opset);

// Throws ImportError if the node of a standard operator has too few or too many inputs or outputs.
void expectArity(NodeProto const& node, int64_t opset);

} // namespace kiln::onnx
