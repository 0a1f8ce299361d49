// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/bindings.h"

#include "plugin/spare_tensors.h"

namespace kiln::runtime {

Bindings::Bindings(plan::Document const& document, FixedInput const& fixedInput, void* spare)
    : document_(document), places_(document.tensors.size()), sharers_(document.tensors.size()),
      addresses_(document.tensors.size(), nullptr), beginnings_(document.tensors.size(), 0) {
    for (std::size_t at = 0; at < document.steps.size(); ++at) {
        plan::StepRecord const& step = document.steps[at];
        firstOperand_.push_back(pointers_.size());
        for (std::size_t kernel = 0; kernel < step.kernelCount(); ++kernel) {
            if (kernel > 0) {
                otherOperands_[{at, kernel}] = pointers_.size();
            }
            std::vector<plan::TensorId> const& inputs = step.inputsAt(kernel);
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                addPlace(inputs[i], inputs[i] == plan::kAbsent || inputs[i] != step.inputs[i]
                                        ? nullptr
                                        : fixedInput(step, i));
            }
            for (plan::TensorId const output : step.outputs) {
                addPlace(output, nullptr);
            }
        }
    }
    pointers_.insert(pointers_.end(), plugin::kSpareTensors, spare);
    for (plan::TensorId const i : document.tensors.ids()) {
        if (plan::TensorId const owner = document.tensors[i].sharesWith; !owner.isNone()) {
            sharers_[owner].push_back(i);
        }
        if (document.tensors[i].begin >= 0) {
            views_.push_back(i);
        }
    }
}

/// Appends an operand.
void Bindings::addPlace(plan::TensorId tensor, void* fixed) {
    if (fixed == nullptr && tensor != plan::kAbsent) {
        places_[tensor].push_back(static_cast<uint32_t>(pointers_.size()));
    }
    pointers_.push_back(fixed);
}

void Bindings::set(plan::TensorId tensor, void* address) {
    setAlone(tensor, address);
    for (plan::TensorId const sharer : sharers_[tensor]) {
        setAlone(sharer, addressOf(sharer, address));
    }
}

void* Bindings::addressOf(plan::TensorId sharer, void* memory) const noexcept {
    return memory == nullptr ? nullptr : static_cast<std::byte*>(memory) + beginnings_[sharer];
}

void Bindings::setBeginnings(std::span<int64_t const> values) {
    for (plan::TensorId const view : views_) {
        plan::TensorRecord const& record = document_.tensors[view];
        beginnings_[view] =
            bytesFor(record.type.type, values[static_cast<std::size_t>(record.begin)]);
        setAlone(view, addressOf(view, address(record.sharesWith)));
    }
}

void Bindings::setAlone(plan::TensorId tensor, void* address) {
    addresses_[tensor] = address;
    for (uint32_t const place : places_[tensor]) {
        pointers_[place] = address;
    }
}

void Bindings::setInput(std::size_t step, std::size_t kernel, plan::TensorId tensor,
                        void* address) {
    std::vector<plan::TensorId> const& inputs = document_.steps[step].inputsAt(kernel);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == tensor) {
            pointers_[firstOf(step, kernel) + i] = address;
        }
    }
}

void Bindings::setArena(void* memory, MemoryLayout const* layout) {
    arena_ = static_cast<std::byte*>(memory);
    layout_ = layout;
    for (plan::TensorId const i : document_.tensors.ids()) {
        plan::TensorRecord const& record = document_.tensors[i];
        if (record.role == plan::TensorRole::kInternal && record.sharesWith.isNone()) {
            set(i, ownMemory(i));
        }
    }
}

void* Bindings::ownMemory(plan::TensorId tensor) const noexcept {
    return arena_ +
           (layout_ == nullptr ? document_.tensors[tensor].offset : layout_->offsets[tensor]);
}

target::KernelCall Bindings::callOf(std::size_t step, std::size_t kernel) const {
    plan::StepRecord const& record = document_.steps[step];
    std::size_t const first = firstOf(step, kernel);
    target::KernelCall call;
    call.inputs = pointers_.data() + first;
    call.outputs = const_cast<void* const*>(pointers_.data()) + first + record.inputs.size();
    uint64_t const bytes = layout_ == nullptr ? record.workspaceBytes : layout_->workspaces[step];
    uint64_t const offset =
        layout_ == nullptr ? record.workspaceOffset : layout_->workspaceOffsets[step];
    call.workspace = bytes == 0 || arena_ == nullptr ? nullptr : arena_ + offset;
    return call;
}

void checkAddress(target::Device const& device, plan::TensorRecord const& tensor, bool onHost,
                  void const* address) {
    std::string const problem =
        onHost ? device.hostPointerProblem(address) : device.pointerProblem(address);
    if (!problem.empty()) {
        fail(ErrorKind::kInvalidArgument, "[run] tensor '{}', address {}: {}.", tensor.name,
             address, problem);
    }
}

void checkArena(target::Device const& device, uint64_t least, void const* memory, uint64_t bytes) {
    if (bytes < least || (memory == nullptr && least > 0)) {
        fail(ErrorKind::kInvalidArgument,
             "[run] device memory: expected {} bytes or more, got {}{}. Ask the engine for its "
             "device memory size.",
             least, bytes, memory == nullptr ? " at a null address" : "");
    }
    if (device.isHost() || memory == nullptr) {
        return;
    }
    std::string problem = device.pointerProblem(memory);
    if (problem.empty() &&
        reinterpret_cast<std::uintptr_t>(memory) % DeviceBuffer::kAlignment != 0) {
        problem =
            fmt::format("expected an address that is a multiple of {}", DeviceBuffer::kAlignment);
    }
    if (!problem.empty()) {
        fail(ErrorKind::kInvalidArgument, "[run] device memory, address {}: {}.", memory, problem);
    }
}

} // namespace kiln::runtime
