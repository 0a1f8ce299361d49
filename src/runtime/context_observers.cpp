// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Profilers, debug listeners and output allocators of a context.
#include <algorithm>

#include "runtime/context.h"

namespace kiln::runtime {

void Context::showDebugTensors(std::size_t step, target::StreamHandle stream) {
    for (int32_t const output : document_.steps[step].outputs) {
        auto const index = static_cast<std::size_t>(output);
        plan::TensorRecord const& record = document_.tensors[index];
        auto const location = record.shapeOutput ? nvinfer1::TensorLocation::kHOST
                                                 : nvinfer1::TensorLocation::kDEVICE;
        if (debugOn_[index] &&
            !listener_->processDebugTensor(address(output), location, record.type.type,
                                           dims_[index], record.name.c_str(), stream)) {
            fail(ErrorKind::kInvalidState,
                 "[run] debug tensor '{}': the debug listener returned false. Return true to go "
                 "on.",
                 record.name);
        }
    }
}

void Context::setOutputAllocator(int32_t tensor, nvinfer1::IOutputAllocator* allocator) {
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
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
    stale_ = true;
    decideWatched();
}

nvinfer1::IOutputAllocator* Context::outputAllocator(int32_t tensor) const {
    auto const found = allocators_.find(tensor);
    return found == allocators_.end() ? nullptr : found->second;
}

void Context::setProfiler(nvinfer1::IProfiler* profiler) {
    if (profiler != nullptr && !timer_.has_value()) {
        timer_.emplace(backend_, document_.steps.size());
    }
    profiler_ = profiler; // last, when nothing can fail: runs rely on the timer
    decideWatched();
}

bool Context::reportTimes() {
    bool reported = false;
    withSuspects([&] { reported = profiler_ != nullptr && timer_->report(*profiler_, document_); });
    return reported;
}

void Context::setInputConsumedEvent(target::EventHandle event) {
    consumed_ = separate_ ? event : nullptr;
    decideWatched();
}

void Context::setSync(bool each) {
    sync_ = separate_ && (each || syncWanted());
    decideWatched();
}

void Context::setDebugListener(nvinfer1::IDebugListener* listener) {
    listener_ = listener;
    decideWatched();
}

std::size_t Context::debugTensor(std::string_view name) const {
    for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
        if (document_.tensors[i].debug && document_.tensors[i].name == name) {
            return i;
        }
    }
    fail(ErrorKind::kInvalidArgument,
         "[run] debug tensor '{}': expected a tensor that was marked for debugging when the engine "
         "was built. Mark it in the network, and build the engine again.",
         name);
}

void Context::setDebugState(std::string_view tensor, bool on) {
    debugOn_[debugTensor(tensor)] = on;
    decideWatched();
}

bool Context::debugState(std::string_view tensor) const {
    return debugOn_[debugTensor(tensor)];
}

void Context::setAllDebugStates(bool on) {
    for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
        debugOn_[i] = on && document_.tensors[i].debug;
    }
    decideWatched();
}

} // namespace kiln::runtime
