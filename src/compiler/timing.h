// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "compiler/program.h"

namespace kiln::compiler {

/// Seconds that one run of a prepared kernel takes on the target, at the optimum shapes. The
/// minimum of several runs, because disturbances only add time. Inputs are zeros; constants have
/// their values.
double timeInstance(Program const& program, target::KernelInstance& instance,
                    std::span<target::OperandSpec const> inputs,
                    std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes);

/// Throws kInvalidState if the build may only use timings from the timing cache.
void failOnMiss(Program const& program, std::string_view layer);

/// Dimensions of the operands at one corner (min, opt or max).
std::vector<Dims> dimsOf(std::span<target::OperandSpec const> operands,
                         Dims target::OperandSpec::* corner);

} // namespace kiln::compiler
