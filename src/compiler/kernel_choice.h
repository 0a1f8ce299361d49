// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "compiler/program.h"

namespace kiln::compiler {

/// The kernel for a node, and why it was chosen.
struct KernelChoice {
    target::KernelRecord record;
    double seconds = 0.0;
    uint64_t workspaceBytes = 0;
    std::vector<std::string> reasons; ///< refused or slower candidates, "name: why"
    bool found = false;               ///< false: every candidate refused
};

/// A constant operand for Backend::load() and Backend::pack(). The device pointer is null if
/// kernels cannot read host memory.
target::ConstantOperand constantOf(target::OperandSpec const& operand, bool readsHostMemory);

/// Appends the properties of operands that determine a kernel's time to the key of a timing.
void appendOperands(std::string& key, std::span<target::OperandSpec const> operands);

/// Chooses kernels and caches the choices: equal layers are timed once.
class KernelChooser {
public:
    /// `timeAll`: also times a node's only candidate, because assignTypes() compares the times of
    /// element types. Otherwise an only candidate is taken without timing.
    KernelChooser(Program const& program, bool timeAll) : program_(program), timeAll_(timeAll) {}

    KernelChoice const& choose(graph::Op const& op, std::string_view layer,
                               std::span<target::OperandSpec const> inputs,
                               std::span<target::OperandSpec const> outputs);

private:
    KernelChoice decide(target::NodeSpec const& node, std::string const& key);
    static uint64_t hashOf(std::string const& kernel);
    void measure(target::NodeSpec const& node, KernelChoice& choice, bool time) const;

    Program const& program_;
    bool timeAll_;
    std::map<std::string, KernelChoice> known_;
    std::set<std::string> told_; ///< warnings about missing libraries that were logged
};

} // namespace kiln::compiler
