// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/watchers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/tensor_layout.h"
#include "runtime/device_buffer.h"
#include "runtime/plan_shapes.h"

namespace kiln::runtime {
namespace {

bool syncWanted() {
    char const* const value = std::getenv("KILN_SYNC");
    return value != nullptr && std::strcmp(value, "1") == 0;
}

} // namespace

Watchers::Watchers(target::Device& device, plan::Document const& document)
    : device_(device), document_(document), debugOn_(document.tensors.size(), false) {
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        plan::StepRecord const& step = document.steps[i];
        for (plan::TensorId const input : step.inputs) {
            if (input != plan::kAbsent &&
                plan::memoryRole(document, input) == plan::TensorRole::kInput) {
                lastReader_ = i;
            }
        }
        if (step.control.has_value()) { // it reads all that its bodies read
            i += step.control->steps();
        }
    }
    std::vector<int32_t> const byValue = valueInputs(document);
    for (plan::TensorId const i : document.tensors.ids()) {
        plan::TensorRole const role = document.tensors[i].role;
        if (document.tensors[i].debug && role != plan::TensorRole::kInternal &&
            role != plan::TensorRole::kOutput) {
            unwritten_.push_back(i);
        }
        if (role == plan::TensorRole::kInput &&
            std::binary_search(byValue.begin(), byValue.end(), document.tensors[i].inputIndex)) {
            hostInputs_.insert(i);
        }
    }
    setSync(false);
}

bool Watchers::any() const {
    return profiler_ != nullptr || showsTensors() || !allocators_.empty() || consumed_ != nullptr ||
           sync_;
}

void Watchers::setProfiler(nvinfer1::IProfiler* profiler) {
    if (profiler != nullptr && !timer_.has_value()) {
        timer_.emplace(device_, document_.steps.size());
    }
    profiler_ = profiler; // last, when nothing can fail: runs rely on the timer
}

bool Watchers::reportTimes() {
    return profiler_ != nullptr && timer_->report(*profiler_, document_);
}

plan::TensorId Watchers::debugTensor(std::string_view name) const {
    for (plan::TensorId const i : document_.tensors.ids()) {
        if (document_.tensors[i].isShown() && document_.tensors[i].name == name) {
            return i;
        }
    }
    fail(ErrorKind::kInvalidArgument,
         "[run] debug tensor '{}': expected a tensor that was marked for debugging when the engine "
         "was built. Mark it in the network, and build the engine again.",
         name);
}

void Watchers::setAllDebugStates(bool on) {
    for (plan::TensorId const i : document_.tensors.ids()) {
        debugOn_[i] = on && document_.tensors[i].isShown();
    }
}

void Watchers::setUnfusedDebugStates(bool on) {
    for (plan::TensorId const i : document_.tensors.ids()) {
        debugOn_[i] = document_.tensors[i].unfused ? on : debugOn_[i];
    }
}

bool Watchers::showsTensors() const {
    return listener_ != nullptr &&
           std::find(debugOn_.begin(), debugOn_.end(), true) != debugOn_.end();
}

void Watchers::setAllocator(plan::TensorId tensor, nvinfer1::IOutputAllocator* allocator) {
    plan::TensorRecord const& record = document_.tensors[tensor];
    if (record.role != plan::TensorRole::kOutput) {
        fail(ErrorKind::kInvalidArgument,
             "[run] tensor '{}', set output allocator: expected an output, got an input.",
             record.name);
    }
    if (allocator == nullptr) {
        allocators_.erase(tensor);
    } else {
        allocators_[tensor] = allocator;
    }
}

nvinfer1::IOutputAllocator* Watchers::allocator(plan::TensorId tensor) const {
    auto const found = allocators_.find(tensor);
    return found == allocators_.end() ? nullptr : found->second;
}

void* Watchers::reallocate(plan::TensorId tensor, void* current, Dims const& dims,
                           target::StreamHandle stream) {
    plan::TensorRecord const& record = document_.tensors[tensor];
    std::size_t const bytes = storageBytes(record.type.type, record.type.format, dims, record.name);
    void* const memory = allocators_.at(tensor)->reallocateOutputAsync(
        record.name.c_str(), current, bytes, DeviceBuffer::kAlignment, stream);
    if (memory == nullptr) {
        fail(ErrorKind::kOutOfMemory,
             "[run] output '{}' of shape {}: its output allocator gave no memory for {} bytes. "
             "Return an address with so many bytes.",
             record.name, toText(dims), bytes);
    }
    return memory;
}

void Watchers::setConsumedEvent(target::EventHandle event) noexcept {
    consumed_ = device_.isHost() ? nullptr : event;
}

void Watchers::setSync(bool each) {
    // On the host, a step is done and its failure known when it returns.
    sync_ = !device_.isHost() && (each || syncWanted());
}

void Watchers::beforeStep(std::size_t step, target::StreamHandle stream) {
    if (profiler_ != nullptr) {
        timer_->mark(step, stream);
    }
}

void Watchers::afterStep(std::size_t step, target::StreamHandle stream) {
    if (consumed_ != nullptr && step == lastReader_) {
        device_.record(consumed_, stream);
    }
}

void Watchers::skip(std::size_t first, std::size_t last, target::StreamHandle stream) {
    for (std::size_t i = first; i < last; ++i) {
        beforeStep(i, stream);
    }
}

void Watchers::show(std::size_t step, Table<plan::TensorId, Dims> const& dims,
                    Table<plan::TensorId, void*> const& addresses, target::StreamHandle stream) {
    if (listener_ == nullptr) {
        return;
    }
    for (plan::TensorId const output : document_.steps[step].outputs) {
        showTensor(output, dims[output], addresses[output], stream);
    }
}

void Watchers::showTensor(plan::TensorId tensor, Dims const& dims, void const* address,
                          target::StreamHandle stream) {
    if (listener_ == nullptr || !debugOn_[tensor]) {
        return;
    }
    plan::TensorRecord const& record = document_.tensors[tensor];
    bool const onHost = record.shapeOutput || record.role == plan::TensorRole::kValues ||
                        hostInputs_.contains(tensor);
    auto const location =
        onHost ? nvinfer1::TensorLocation::kHOST : nvinfer1::TensorLocation::kDEVICE;
    if (!listener_->processDebugTensor(address, location, record.type.type, dims,
                                       record.name.c_str(), stream)) {
        fail(ErrorKind::kInvalidState,
             "[run] debug tensor '{}': the debug listener returned false. Return true to go on.",
             record.name);
    }
}

void Watchers::afterRun(target::StreamHandle stream) {
    if (profiler_ == nullptr) {
        return;
    }
    timer_->mark(document_.steps.size(), stream);
    if (reportEachRun_) {
        timer_->report(*profiler_, document_);
    }
}

} // namespace kiln::runtime
