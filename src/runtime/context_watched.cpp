// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Runs with more to do than walking the list: shapes that changed, host values of inputs, sizes
// that plugins find out, memory from output allocators, times of steps, debug tensors.
#include <algorithm>

#include "base/tensor_layout.h"
#include "runtime/context.h"

namespace kiln::runtime {

void Context::failBusy() {
    fail(ErrorKind::kInvalidState,
         "[run] the execution context is running already, in another thread or below a plugin that "
         "it calls. Create a context for each thread.");
}

void Context::decideWatched() {
    bool const debug =
        listener_ != nullptr && std::find(debugOn_.begin(), debugOn_.end(), true) != debugOn_.end();
    watched_ = sizePoints_.any() || !shapeInputs_.empty() || !allocators_.empty() ||
               profiler_ != nullptr || debug;
}

void Context::checkValues(plan::TensorRecord const& tensor, std::span<int64_t const> values) const {
    for (plan::ValueRange const& range :
         document_.profiles[static_cast<std::size_t>(profile_)].values) {
        if (&document_.tensors[static_cast<std::size_t>(range.tensor)] != &tensor) {
            continue;
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (values[i] < range.min[i] || values[i] > range.max[i]) {
                fail(ErrorKind::kInvalidArgument,
                     "[run] shape input '{}', element {}: expected a value from {} to {} "
                     "(optimization profile {}), got {}. Use a value in that range or build with a "
                     "wider profile.",
                     tensor.name, i, range.min[i], range.max[i], profile_, values[i]);
            }
        }
    }
}

/// Whether a value changed since the last run. Inputs without an address are left alone.
bool Context::readShapeInputs() {
    bool changed = false;
    for (int32_t const index : shapeInputs_) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(index)];
        void const* const data = address(index);
        if (data == nullptr) {
            continue;
        }
        Dims const& dims = leaves_.of(record.inputIndex);
        scratch_.resize(dims.nbDims == 0 ? 1 : static_cast<std::size_t>(dims.d[0]));
        readValues(record.type.type, data, scratch_);
        copies_.set(index, data, bytesFor(record.type.type, static_cast<int64_t>(scratch_.size())));
        std::vector<int64_t>& last = leaves_.valuesOf(record.inputIndex);
        if (last != scratch_) {
            checkValues(record, scratch_);
            last = scratch_;
            changed = true;
        }
    }
    return changed;
}

std::vector<int32_t> Context::missingInputs() {
    if (readShapeInputs()) {
        stale_ = true;
    }
    std::vector<int32_t> missing;
    for (int32_t const index : engine_.io()) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(index)];
        if (record.role != plan::TensorRole::kInput) {
            continue;
        }
        Dims const& dims = leaves_.of(record.inputIndex);
        bool const open =
            std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
        bool const unread =
            address(index) == nullptr &&
            std::find(shapeInputs_.begin(), shapeInputs_.end(), index) != shapeInputs_.end();
        if (open || unread) {
            missing.push_back(index);
        }
    }
    return missing;
}

/// The first look of runs on other targets than cpu, and of all that have more to do. False: the
/// list of steps is all that is left.
bool Context::runWithLook(backend::StreamHandle stream) {
    if (remote_) {
        engine_.backend().enterThread();
    }
    if (stale_ || watched_) {
        runWatched(stream);
        return true;
    }
    return false;
}

void Context::runWatched(backend::StreamHandle stream) {
    if (readShapeInputs()) {
        stale_ = true;
    }
    if (stale_ || sizePoints_.any()) {
        stale_ = true; // stays so if anything below throws
        checkReady();
        known_ = SizePoints::kAlways;
        leaves_.forgetSizes();
        resolveShapes();
        reshapeSteps(0, sizePoints_.next(0));
    }
    copies_.upload(engine_.backend(), stream);
    provideOutputs(SizePoints::kAlways, stream);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        clearSizes(i, stream);
        if (profiler_ != nullptr) {
            timer_->mark(i, stream);
        }
        Step const& step = steps_[i];
        if (step.launch.run(step.launch.state, step.call, stream) != 0) {
            failStep(step);
        }
        takeSizes(i, stream);
        if (listener_ != nullptr) {
            showDebugTensors(i, stream);
        }
    }
    stale_ = false;
    if (profiler_ != nullptr) {
        timer_->mark(steps_.size(), stream);
        if (reportEachRun_) {
            timer_->report(*profiler_, document_);
        }
    }
}

void Context::clearSizes(std::size_t step, backend::StreamHandle stream) {
    for (int32_t const tensor : sizePoints_.writtenBy(step)) {
        engine_.backend().fill(
            address(tensor), 0,
            bytesFor(document_.tensors[static_cast<std::size_t>(tensor)].type.type, 1), stream);
    }
}

/// Reads the sizes that a step found out, and shapes the steps up to the next such point.
void Context::takeSizes(std::size_t step, backend::StreamHandle stream) {
    if (sizePoints_.writtenBy(step).empty()) {
        return;
    }
    backend::Backend& backend = engine_.backend();
    for (int32_t const tensor : sizePoints_.writtenBy(step)) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
        int64_t raw = 0;
        backend.copy(&raw, address(tensor), bytesFor(record.type.type, 1),
                     backend::CopyKind::kDeviceToHost, stream);
        backend.synchronize(stream);
        int64_t size = 0;
        readValues(record.type.type, &raw, {&size, 1});
        int64_t const bound = values_[static_cast<std::size_t>(sizePoints_.nodeOf(tensor).b)];
        if (size < 0 || size > bound) {
            fail(ErrorKind::kPlugin,
                 "[run] layer '{}', size tensor '{}': expected enqueue to write a size from 0 to "
                 "{}, the bound that the plugin declared, got {}. Write at most that many, or "
                 "declare a larger bound.",
                 document_.steps[step].name, record.name, bound, size);
        }
        leaves_.setSize(tensor, size);
    }
    known_ = static_cast<int32_t>(step);
    resolveShapes();
    copies_.upload(backend, stream);
    reshapeSteps(step + 1, sizePoints_.next(step + 1));
    provideOutputs(known_, stream);
}

/// Asks the user's allocators for outputs whose shape is known since step `known`.
void Context::provideOutputs(int32_t known, backend::StreamHandle stream) {
    for (auto const& [tensor, allocator] : allocators_) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
        if (sizePoints_.knownAfter(record) != known) {
            continue;
        }
        Dims const& dims = dims_[static_cast<std::size_t>(tensor)];
        std::size_t const bytes =
            storageBytes(record.type.type, record.type.format, dims, record.name);
        void* const memory = allocator->reallocateOutputAsync(
            record.name.c_str(), address(tensor), bytes, DeviceBuffer::kAlignment, stream);
        if (memory == nullptr) {
            fail(ErrorKind::kOutOfMemory,
                 "[run] output '{}' of shape {}: its output allocator gave no memory for {} bytes. "
                 "Return an address from reallocate_output.",
                 record.name, toText(dims), bytes);
        }
        setTarget(tensor, memory);
        allocator->notifyShape(record.name.c_str(), dims);
    }
}

void Context::showDebugTensors(std::size_t step, backend::StreamHandle stream) {
    for (int32_t const output : document_.steps[step].outputs) {
        auto const index = static_cast<std::size_t>(output);
        plan::TensorRecord const& record = document_.tensors[index];
        if (debugOn_[index] && !listener_->processDebugTensor(
                                   address(output), nvinfer1::TensorLocation::kDEVICE,
                                   record.type.type, dims_[index], record.name.c_str(), stream)) {
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
    profiler_ = profiler;
    if (profiler != nullptr && !timer_.has_value()) {
        timer_.emplace(engine_.backend(), document_.steps.size());
    }
    decideWatched();
}

bool Context::reportTimes() {
    return profiler_ != nullptr && timer_->report(*profiler_, document_);
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
         "was built. Call mark_debug on it before building.",
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
