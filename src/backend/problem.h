// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "backend/candidate.h"
#include "backend/kernel.h"

namespace kiln::backend {

/// What a kernel prepares for: the operands of one node at known shapes.
struct Problem {
    std::span<OperandType const> inputTypes;
    std::span<OperandType const> outputTypes;
    std::span<Dims const> inputs;
    std::span<Dims const> outputs;

    DataType type() const { return inputTypes[0].type; }
};

/// Throws kInvalidArgument unless the op's own rule gives exactly these outputs for these inputs.
/// Kernels rely on it: it is the run-time check of broadcasts, windows and summed extents, and it
/// keeps a plan that lies about its shapes from reaching memory that is not there.
void checkProblem(graph::Op const& op, Problem const& problem);
/// Throws kUnsupported unless all operands are linear.
void checkLinear(graph::Op const& op, Problem const& problem);

/// The reason why a node's operands are not linear; else empty.
std::string refuseFormats(NodeSpec const& node);

/// "expected input 0 of float32, float16 or bfloat16, got int32": empty for those three.
std::string refuseUnlessFloat(NodeSpec const& node);

/// Elements of output 0 at the optimum shapes, for cost models.
double elementsOf(NodeSpec const& node);

} // namespace kiln::backend
