// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/resident_memory.h"
#include "compiler/program.h"
#include "runtime/device_buffer.h"

namespace kiln::compiler {

/// Memory on a host that the candidates for one layer share while they are timed: they never run
/// at the same time, and what an input, an output or the workspace holds does not matter.
class OperandMemory {
public:
    using Buffer = std::shared_ptr<runtime::DeviceBuffer>;

    /// `peak`: is told of what is allocated, after the candidates read these parts of files.
    explicit OperandMemory(Program const& program, ResidentPeak* peak = nullptr,
                           std::vector<ByteView> read = {})
        : program_(program), peak_(peak), read_(std::move(read)) {}

    /// Reserves memory for operand number `position`, at least one byte. Whoever reserved a smaller
    /// one before uses this from now on.
    void* take(std::size_t position, std::size_t bytes);
    /// The address of an operand that was taken.
    void* at(std::size_t position) const { return kept_.at(position).buffer.data(); }

    /// Copy number `copy` of a constant. All who hold it at the same time have one.
    Buffer constant(ByteView elements, std::size_t copy);

    /// The number of the next launch of any candidate: copies of constants are used in turn.
    int32_t nextLaunch() noexcept { return launches_++; }

    /// Before a candidate takes about so many bytes of its own.
    void expect(std::size_t bytes);

    /// Of all that would be free without those who took it.
    uint64_t bytes() const noexcept;
    void clear() noexcept { kept_.clear(); }

private:
    struct Kept {
        std::size_t bytes = 0;
        runtime::DeviceBuffer buffer;
    };
    using ConstantKey = std::tuple<std::byte const*, std::size_t, std::size_t>;

    Program const& program_;
    ResidentPeak* peak_;
    std::vector<ByteView> read_;
    std::map<std::size_t, Kept> kept_; ///< the largest, by position
    std::map<ConstantKey, std::weak_ptr<runtime::DeviceBuffer>> constants_;
    int32_t launches_ = 0;
};

} // namespace kiln::compiler
