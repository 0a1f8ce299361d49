// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "plan/document.h"
#include "runtime/device_buffer.h"
#include "runtime/memory_layout.h"
#include "target/kernel.h"

namespace kiln::runtime {

/// The addresses of a context's tensors, and the operand pointers of its steps. Binding an address
/// rewrites the pointers of the steps that use the tensor, so a run looks nothing up.
class Bindings {
public:
    /// Returns the fixed address of an input of a step that does not use the tensor's own memory;
    /// else null.
    using FixedInput = std::function<void*(plan::StepRecord const& step, std::size_t input)>;

    /// Plugins may read the operand arrays past their end: `spare` is the address found there.
    Bindings(plan::Document const& document, FixedInput const& fixedInput, void* spare);

    void* address(plan::TensorId tensor) const noexcept { return addresses_[tensor]; }
    Table<plan::TensorId, void*> const& addresses() const noexcept { return addresses_; }
    /// Sets the address of a tensor and of all tensors that share its memory.
    void set(plan::TensorId tensor, void* address);
    /// Places the views that have a beginning. `values` are those of the plan's expressions, which
    /// checkView() has checked.
    void setBeginnings(std::span<int64_t const> values);
    /// Sets the address of one tensor, for constants and host tensors.
    void setAlone(plan::TensorId tensor, void* address);

    /// Sets the address at which the kernel of one step reads a tensor.
    void setInput(std::size_t step, std::size_t kernel, plan::TensorId tensor, void* address);

    /// Places internal tensors and workspaces. Calls of all steps change. `layout` must outlive
    /// the object or the next call; null: the places of the plan.
    void setArena(void* memory, MemoryLayout const* layout = nullptr);
    void* arena() const noexcept { return arena_; }
    /// The place of an internal tensor that shares no memory.
    void* ownMemory(plan::TensorId tensor) const noexcept;

    /// The operands of a step's kernel: 0, or the number of one for other profiles. The arrays keep
    /// their addresses; the workspace changes with the arena.
    target::KernelCall callOf(std::size_t step, std::size_t kernel = 0) const;

private:
    void addPlace(plan::TensorId tensor, void* fixed);
    std::size_t firstOf(std::size_t step, std::size_t kernel) const {
        return kernel == 0 ? firstOperand_[step] : otherOperands_.at({step, kernel});
    }
    /// Where a tensor is that shares memory.
    void* addressOf(plan::TensorId sharer, void* memory) const noexcept;

    plan::Document const& document_;
    std::vector<void*> pointers_;           ///< operands of all steps, one after another
    std::vector<std::size_t> firstOperand_; ///< by step: its first position in pointers_
    Table<plan::TensorId, std::vector<uint32_t>> places_;        ///< its positions in pointers_
    Table<plan::TensorId, std::vector<plan::TensorId>> sharers_; ///< tensors that share its memory
    Table<plan::TensorId, void*> addresses_;
    Table<plan::TensorId, std::size_t> beginnings_; ///< bytes from the memory it shares
    std::vector<plan::TensorId> views_;             ///< tensors with a beginning
    /// By step and number of the kernel: the first position of kernels for other profiles.
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> otherOperands_;
    std::byte* arena_ = nullptr;
    MemoryLayout const* layout_ = nullptr;
};

/// Throws kInvalidArgument unless the device can use an address for a tensor or, with `onHost`, the
/// host can.
void checkAddress(target::Device const& device, plan::TensorRecord const& tensor, bool onHost,
                  void const* address);

/// Throws kInvalidArgument unless the memory can be that of a context that needs `least` bytes.
void checkArena(target::Device const& device, uint64_t least, void const* memory, uint64_t bytes);

} // namespace kiln::runtime
