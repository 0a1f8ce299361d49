// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The operators of the ONNX standard, and how many inputs and outputs each version of them has.
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
};

// Whether a node's domain is that of the standard.
bool isStandardDomain(std::string_view domain);

// What holds for an operator in an operator set (of one that is newer than the set, its first
// version); null for a name that the standard domain does not have.
OperatorVersion const* findOperator(std::string_view name, int64_t opset);

// Throws ImportError if the node of a standard operator has too few or too many inputs or outputs.
void expectArity(NodeProto const& node, int64_t opset);

} // namespace kiln::onnx
