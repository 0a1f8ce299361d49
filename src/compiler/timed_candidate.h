// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/kernel_choice.h"
#include "compiler/timing.h"

namespace kiln::compiler {

/// A kernel that is tried for a node: loaded, with packed constants.
class TimedCandidate {
public:
    /// Completes the record of `choice`, and finds its workspace. Throws if the kernel does not
    /// work or needs more workspace than the limit.
    TimedCandidate(Program const& program, target::NodeSpec const& node, KernelChoice& choice);

    /// Seconds of a run. `shared`: memory for operands that other candidates have as well.
    double measure(OperandMemory* shared = nullptr);
    /// Compares two that were measured, in turns, since a machine may be slower in one second than
    /// in the next. Nothing where only one has memory for its operands at a time.
    static void rematch(TimedCandidate& one, TimedCandidate& other);
    double seconds() const { return timer_->seconds(); }
    /// Of its own operands and constants.
    uint64_t ownBytes() const;
    /// Whether it may be kept for a rematch: it holds little memory.
    bool isKept() const;

private:
    /// Packed, or converted by the kernel.
    uint64_t constantBytes() const;

    Program const& program_;
    std::vector<target::OperandSpec> inputs_;
    std::vector<target::OperandSpec> outputs_;
    std::vector<Bytes> packed_; ///< what some elements of `inputs_` point to
    std::unique_ptr<target::Kernel> kernel_;
    std::unique_ptr<target::KernelInstance> instance_;
    uint64_t workspaceBytes_ = 0;
    std::optional<Timer> timer_;
};

} // namespace kiln::compiler
