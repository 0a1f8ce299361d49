// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Runs that do more than walk the list: changed shapes, host values of inputs, sizes that plugins
// compute, memory from output allocators, times of steps, debug tensors.
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
               profiler_ != nullptr || debug || consumed_ != nullptr || sync_;
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

/// Whether a value changed since the last run. Skips inputs without an address.
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

/// Does the run if it must do more than walk the list; else returns false. On targets other than
/// cpu, the device must be current.
bool Context::runWithLook(target::StreamHandle stream) {
    bool more = stale_ || watched_;
    capturing_ = false;
    if (remote_) {
        if (more || mayCapture(stream)) {
            last_ = stream;
            left_ = 0;
            target::Capture const state = backend_.capture(stream);
            capturing_ = state != target::Capture::kNone && isActive(state);
        }
        more = more || (anyPython_ && PythonStream::replaces(stream));
    }
    if (more || capturing_) {
        withSuspects([&] { runWatched(stream); });
        return true;
    }
    return false;
}

void Context::runRemote(target::StreamHandle stream) {
    target::ThreadScope const scope(backend_);
    if (!runWithLook(stream)) {
        walk(stream);
    }
}

void Context::runWatched(target::StreamHandle stream) {
    if (capturing_) {
        checkCapture();
    }
    if (readShapeInputs()) {
        stale_ = true;
    }
    pendingSizes_.clear();
    if (stale_ || sizePoints_.any()) {
        stale_ = true; // stays true if anything below throws
        checkReady();
        known_ = SizePoints::kAlways;
        leaves_.forgetSizes();
        resolveShapes();
        reshapeSteps(0, sizePoints_.next(0));
    }
    if (capturing_) {
        checkNothingToUpload();
    }
    copies_.upload(backend_, stream);
    provideOutputs(SizePoints::kAlways, stream);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        runStep(i, stream);
    }
    stale_ = false;
    if (profiler_ != nullptr) {
        timer_->mark(steps_.size(), stream);
        if (reportEachRun_) {
            timer_->report(*profiler_, document_);
        }
    }
}

int32_t Context::launch(std::size_t index, target::StreamHandle stream) {
    Step const& step = steps_[index];
    if (!remote_ || !PythonStream::replaces(stream) || !engine_.isPythonCode(index)) {
        return step.launch.run(step.launch.state, step.call, stream);
    }
    if (!pythonStream_) {
        pythonStream_.emplace(backend_);
    }
    int32_t const code = step.launch.run(step.launch.state, step.call, pythonStream_->handle());
    pythonStream_->join();
    return code;
}

void Context::runStep(std::size_t index, target::StreamHandle stream) {
    clearSizes(index, stream);
    if (profiler_ != nullptr) {
        timer_->mark(index, stream);
    }
    if (launch(index, stream) != 0) {
        failStep(steps_[index], stream);
    }
    if (sync_) {
        syncStep(index, stream);
    }
    if (capturing_) {
        checkStillCapturing(index, stream);
    }
    if (consumed_ != nullptr && index == lastReader_) {
        backend_.record(consumed_, stream);
    }
    takeSizes(index, stream);
    if (listener_ != nullptr) {
        showDebugTensors(index, stream);
    }
}

} // namespace kiln::runtime
