// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "compiler/program.h"
#include "runtime/device_buffer.h"

namespace kiln::compiler {

/// Memory on a host that the candidates for one layer share while they are timed: they never run
/// at the same time, and what an input, an output or the workspace holds does not matter.
class OperandMemory {
public:
    using Buffer = std::shared_ptr<runtime::DeviceBuffer>;

    explicit OperandMemory(Program const& program) : program_(program) {}

    /// Memory for operand number `position`, at least one byte. Whoever keeps a smaller one that
    /// was taken earlier may go on using it.
    Buffer take(std::size_t position, std::size_t bytes);

    /// Of all that would be free without those who took it.
    uint64_t bytes() const noexcept;
    void clear() noexcept { kept_.clear(); }

private:
    struct Kept {
        std::size_t bytes = 0;
        Buffer buffer;
    };

    Program const& program_;
    std::map<std::size_t, Kept> kept_; ///< the largest, by position
};

} // namespace kiln::compiler
