// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "compiler/program.h"

namespace kiln::compiler {

/// The kernel that a node gets, and why.
struct KernelChoice {
    backend::KernelRecord record;
    double seconds = 0.0;
    uint64_t workspaceBytes = 0;
    std::vector<std::string> reasons; ///< refused or slower candidates, "name: why"
    bool found = false;               ///< false: every candidate refused
};

/// Adds what decides the time of a kernel to the key of a timing.
void appendOperands(std::string& key, std::span<backend::OperandSpec const> operands);

/// Chooses kernels and remembers what was chosen: equal layers are looked at and timed once.
class KernelChooser {
public:
    /// `timeAll`: seconds of lone candidates are measured too, since they are compared with others
    /// (element types, that is); else a lone candidate is taken as it is.
    KernelChooser(Program const& program, bool timeAll) : program_(program), timeAll_(timeAll) {}

    KernelChoice const& choose(graph::Op const& op, std::string_view layer,
                               std::span<backend::OperandSpec const> inputs,
                               std::span<backend::OperandSpec const> outputs);

private:
    KernelChoice decide(backend::NodeSpec const& node, std::string const& key);
    static uint64_t hashOf(std::string const& kernel);
    void measure(backend::NodeSpec const& node, KernelChoice& choice, bool time) const;

    Program const& program_;
    bool timeAll_;
    std::map<std::string, KernelChoice> known_;
    std::set<std::string> told_; ///< what the user was told of missing libraries
};

} // namespace kiln::compiler
