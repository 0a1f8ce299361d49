// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "compiler/program.h"
#include "compiler/stopwatch.h"
#include "compiler/timed_operands.h"

namespace kiln::compiler {

/// Times a prepared kernel on the target, at the optimum shapes. Inputs are zeros; constants have
/// their values. The time is the minimum of several runs, because disturbances only add time.
class Timer {
public:
    /// Reshapes the instance, which must outlive this, and runs it once.
    Timer(Program const& program, target::KernelInstance& instance,
          std::span<target::OperandSpec const> inputs, std::span<target::OperandSpec const> outputs,
          uint64_t workspaceBytes, OperandMemory* shared = nullptr);

    void measure();
    /// A few more runs, for a comparison in turns; only on a host.
    void again();
    double seconds() const noexcept { return best_ / 1000.0; }
    /// Of the operands.
    uint64_t bytes() const noexcept { return operands_.bytes(); }
    uint64_t ownBytes() const noexcept { return operands_.ownBytes(); }

private:
    void run(int32_t times);
    void runOnHost(int32_t least, int32_t runs, double milliseconds);
    void check();

    Program const& program_;
    target::KernelInstance& instance_;
    Stopwatch watch_;
    target::Launch launch_;
    TimedOperands operands_;
    double best_;
};

/// Seconds of one run, by a Timer.
double timeInstance(Program const& program, target::KernelInstance& instance,
                    std::span<target::OperandSpec const> inputs,
                    std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes);

/// Throws kInvalidState if the build may only use timings from the timing cache.
void failOnMiss(Program const& program, std::string_view layer);

/// Dimensions of the operands at one corner (min, opt or max).
std::vector<Dims> dimsOf(std::span<target::OperandSpec const> operands,
                         Dims target::OperandSpec::* corner);

} // namespace kiln::compiler
