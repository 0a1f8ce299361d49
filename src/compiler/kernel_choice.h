// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>

#include "base/resident_memory.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// The kernel for a node, and why it was chosen.
struct KernelChoice {
    target::KernelRecord record;
    double seconds = 0.0;
    uint64_t workspaceBytes = 0;
    std::vector<std::size_t> packedBytes;          ///< of each constant that the kernel packs
    std::vector<std::string> reasons;              ///< refused or slower candidates, "name: why"
    std::vector<plan::CandidateRecord> candidates; ///< all, with what is known of their times
    bool found = false;                            ///< false: every candidate refused
};

/// A constant operand for Backend::load() and Backend::pack(). The device pointer is null if
/// kernels cannot read host memory.
target::ConstantOperand constantOf(target::OperandSpec const& operand, bool readsHostMemory);

/// Appends the properties of operands that determine a kernel's time to the key of a timing.
void appendOperands(std::string& key, std::span<target::OperandSpec const> operands);

/// Chooses kernels and caches the choices: equal layers are timed once.
class KernelChooser {
public:
    /// kAll: an only candidate is timed, too, because forms of the layer are compared.
    enum class Timing { kIfSeveral, kAll };

    explicit KernelChooser(Program const& program);

    KernelChoice const& choose(graph::Op const& op, std::string_view layer,
                               std::span<target::OperandSpec const> inputs,
                               std::span<target::OperandSpec const> outputs,
                               Timing timing = Timing::kIfSeveral);

    /// All kernels that work, each with its time, in the order of the target.
    std::vector<KernelChoice> all(graph::Op const& op, std::string_view layer,
                                  std::span<target::OperandSpec const> inputs,
                                  std::span<target::OperandSpec const> outputs);

    /// Seconds that a chosen kernel takes for other shapes of its node; infinite if it does not run
    /// there.
    double secondsOf(KernelChoice const& choice, graph::Op const& op, std::string_view layer,
                     std::span<target::OperandSpec const> inputs,
                     std::span<target::OperandSpec const> outputs);

private:
    target::NodeSpec nodeOf(graph::Op const& op, std::string_view layer,
                            std::span<target::OperandSpec const> inputs,
                            std::span<target::OperandSpec const> outputs) const;
    double timed(KernelChoice const& choice, target::NodeSpec const& node);
    void noteRead(target::OperandSpec const& operand);
    void noteFreed(std::span<target::OperandSpec const> inputs,
                   std::span<target::OperandSpec const> outputs);

    HeapTrimmer heap_;
    ResidentPeak peak_;
    FilePageReleaser files_;
    Program const& program_;
    std::map<std::string, double> seconds_; ///< of secondsOf()
    std::map<std::string, KernelChoice> known_;
    std::set<std::string> told_; ///< warnings that were logged
};

} // namespace kiln::compiler
