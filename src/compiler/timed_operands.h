// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "compiler/operand_memory.h"

namespace kiln::compiler {

/// Of all constants of a program.
std::size_t weightBytes(Program const& program);

/// Memory for the operands of a timed layer, with several copies of large constants: in a network,
/// the weights of a layer are not in a cache of the device, or of the cores, because the other
/// layers' were read since.
class TimedOperands {
public:
    TimedOperands(Program const& program, std::span<target::OperandSpec const> inputs,
                  std::span<target::OperandSpec const> outputs, uint64_t workspaceBytes,
                  target::StreamHandle stream, OperandMemory* shared = nullptr);

    int32_t copies() const noexcept { return static_cast<int32_t>(pointers_.size()); }

    /// Of all operands, copies and the workspace.
    uint64_t bytes() const noexcept { return bytes_; }
    /// Of those that are not from the shared memory.
    uint64_t ownBytes() const noexcept { return ownBytes_; }

    /// Before launches: shared memory may have grown since it was taken.
    void refresh();
    /// The operands of the next launch, with the next copies of constants.
    target::KernelCall next() {
        int32_t const launch = memory_ != nullptr ? memory_->nextLaunch() : launches_++;
        auto const copy = static_cast<uint32_t>(launch) % pointers_.size();
        std::vector<void*> const& own = pointers_[copy];
        return {own.data(), own.data() + inputs_, workspace_};
    }

private:
    void* allocate(std::size_t bytes, char const* what);
    void* allocateShared(std::size_t bytes, char const* what);
    void add(target::OperandSpec const& operand);
    void* copyOf(target::OperandSpec const& operand, std::size_t copy, void* original);
    void* constant(target::OperandSpec const& operand, std::size_t copy);
    void* tensor(target::OperandSpec const& operand);

    Program const& program_;
    std::size_t inputs_;
    target::StreamHandle stream_;
    OperandMemory* memory_; ///< on a host, if there is one
    std::vector<OperandMemory::Buffer> constants_;
    std::vector<runtime::DeviceBuffer> buffers_;
    std::vector<std::pair<std::size_t, std::size_t>> taken_; ///< operand, its shared memory
    std::vector<std::vector<void*>> pointers_;               ///< of each copy: inputs, outputs
    void* workspace_ = nullptr;
    std::size_t large_ = 0; ///< the operand whose memory is that of all large tensors on a host
    std::size_t largeBytes_ = 0;
    int32_t launches_ = 0;
    uint64_t bytes_ = 0;
    uint64_t ownBytes_ = 0;
};

} // namespace kiln::compiler
