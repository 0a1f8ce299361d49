// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "target/candidate.h"
#include "target/kernel.h"

namespace kiln::target {

/// The operands of one node at known shapes, for which a kernel prepares.
struct Workload {
    std::span<OperandType const> inputTypes;
    std::span<OperandType const> outputTypes;
    std::span<Dims const> inputs;
    std::span<Dims const> outputs;

    DataType type() const { return inputTypes[0].type; }
    /// Whether an input is there.
    bool has(std::size_t input) const { return input < inputs.size() && inputs[input].nbDims >= 0; }
};

/// Throws kInvalidArgument unless the op's shape rule gives exactly these outputs for these inputs;
/// an extent that the op finds must have at least its upper bound, as room for it. Outputs include
/// the sizes that the op declares. Kernels rely on it: it checks broadcasts, windows and summed
/// extents at run time, and keeps a plan with wrong shapes from causing access outside the buffers.
void checkWorkload(graph::Op const& op, Workload const& workload);
/// Throws kUnsupported unless all operands are linear.
void checkLinear(graph::Op const& op, Workload const& workload);

/// Why the node's operands are not all linear; empty if they are.
std::string refuseFormats(NodeSpec const& node);

/// "expected input 0 of float32, float16 or bfloat16, got int32"; empty for these three types.
std::string refuseUnlessFloat(NodeSpec const& node);

/// Elements of output 0 at the optimum shapes, for cost models.
double elementsOf(NodeSpec const& node);

} // namespace kiln::target
