// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// Edits the steps of a program and keeps both directions of the use-def chains. The only way to
/// change the operands and the order of steps.
class Rewriter {
public:
    explicit Rewriter(Program& program) : program_(program) {}

    Program& program() noexcept { return program_; }
    Program const& program() const noexcept { return program_; }

    StepId append(Step step) { return insertBefore(StepId::kNone, std::move(step)); }
    /// `place` kNone: at the end.
    StepId insertBefore(StepId place, Step step);
    StepId insertAfter(StepId place, Step step);

    void setInput(StepId step, std::size_t operand, ValueId value);
    void setInputs(StepId step, std::vector<ValueId> values);
    void setOutput(StepId step, std::size_t output, ValueId value);
    /// Every user of `old` reads `with` instead.
    void replaceUses(ValueId old, ValueId with);

    /// Steps may still read its outputs if they get other operands or producers afterwards.
    void erase(StepId step);
    /// Erases the steps whose outputs nobody needs, from the last step to the first.
    void eraseUnused();

    /// Records that `into` does the work of the other steps: names of layers are joined, and the
    /// inspector shows the pattern. Call before the others are erased.
    void join(StepId into, std::span<StepId const> others, std::string_view pattern);
    /// The same without names: for layers that do no work, such as identities.
    void note(StepId into, std::span<StepId const> others, std::string_view pattern);

    /// The steps whose operands, users or producers changed since the last call, each once.
    std::vector<StepId> takeChanged();

private:
    void link(StepId id);
    void noteChanged(ValueId value);
    void removeUse(ValueId value, Use use);

    Program& program_;
    std::vector<StepId> changed_;
};

/// Throws kInternal unless both directions of all chains agree and every value is produced before
/// it is read. For tests, and after each pass when KILN_CHECK_PASSES=1.
void checkProgram(Program const& program, std::string_view pass);

} // namespace kiln::compiler
