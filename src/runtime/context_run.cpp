// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Runs that do more than start all steps: changed shapes, host values of inputs, sizes that plugins
// compute, memory from output allocators, times of steps, debug tensors.
#include <algorithm>

#include "runtime/context.h"

namespace kiln::runtime {

void Context::runOnDevice(target::StreamHandle stream) {
    target::DeviceScope const scope(device_);
    bool const more = !prepared_ || watched_;
    if (more || capture_.due(stream)) {
        capture_.ask(device_, stream);
    } else {
        capture_.skip();
    }
    bool const replaced = python_ != PythonSteps::kNone && PythonStream::replaces(stream);
    if (more || replaced || capture_.recording()) {
        runWatched(stream);
        return;
    }
    startAll(stream);
    capture_.endRun();
}

void Context::runWatched(target::StreamHandle stream) {
    StepRanges::Scope const range(ranges_.get());
    withBlame([&] {
        if (firstRun_ != nullptr) {
            *firstRun_ = {}; // starts now
        }
        if (capture_.recording()) {
            expectRecordableRun();
        }
        readInputs();
        sizes_.forget();
        if (!prepared_ || points_.any()) {
            prepare();
        }
        if (capture_.recording() && hostTensors_.pending()) {
            refuseUpload();
        }
        hostTensors_.upload(stream);
        allocateOutputs(SizePoints::kAlways, stream);
        if (streams()) {
            slots_->beginRun(static_cast<std::size_t>(shapes_.profile()), stream);
        }
        showUnwritten(SizePoints::kAlways, stream);
        runSteps(0, launches_.size(), stream);
        prepared_ = true;
        watchers_.afterRun(stream);
        endFirstRun();
    });
}

void Context::endFirstRun() {
    if (firstRun_ != nullptr) {
        firstRun_->add("rest");
        engine_.log().verbose("[context] the first run of '{}' took {}", document_.name,
                              firstRun_->text());
        firstRun_.reset();
    }
}

/// Prepares the steps up to the first that writes sizes.
void Context::prepare() {
    prepared_ = false; // stays false if anything below throws
    if (!memory_.isFor(shapes_.profile())) {
        memory_.use(shapes_.profile(), nullptr);
        placeArena();
    }
    expectReady();
    shapes_.resolve();
    checkRequirements();
    placeForShapes();
    bindings_.setBeginnings(shapes_.values());
    hostTensors_.write(shapes_.values());
    prepareSteps(0, points_.next(0));
}

/// Where the user's memory is too small for all shapes, it may suffice for these.
void Context::placeForShapes() {
    if (memory_.followsShapes(shapes_.profile())) {
        memory_.place(std::make_shared<MemoryLayout const>(layoutForShapes()));
        placeArena();
    }
}

void Context::expectReady() const {
    shapes_.expectInputs();
    for (plan::TensorId const tensor : engine_.io()) {
        if (address(tensor) == nullptr && watchers_.allocator(tensor) == nullptr) {
            plan::TensorRecord const& record = document_.tensors[tensor];
            fail(ErrorKind::kInvalidState,
                 "[run] {} '{}': no address is bound. Set the address of the tensor before the "
                 "engine runs.",
                 record.role == plan::TensorRole::kInput ? "input" : "output", record.name);
        }
    }
    if (memory_.isMissing()) {
        fail(ErrorKind::kInvalidState,
             "[run] the context has no device memory. Set its device memory, of {} bytes.",
             memory_.needed());
    }
}

/// Reads the inputs that are needed by value. Skips inputs without an address.
void Context::readInputs() {
    for (plan::TensorId const tensor : shapes_.inputsByValue()) {
        if (void const* const data = address(tensor)) {
            DataType const type = document_.tensors[tensor].type.type;
            hostTensors_.take(tensor, data,
                              bytesFor(type, static_cast<int64_t>(shapes_.valueCount(tensor))));
            if (shapes_.readInput(tensor, data)) {
                prepared_ = false;
            }
        }
    }
}

void Context::prepareSteps(std::size_t first, std::size_t last) {
    launches_.prepare(first, last, currentShapes(), firstRun_.get());
}

void Context::runStep(std::size_t step, target::StreamHandle stream) {
    StepRanges::Scope const range(ranges_.get(), step, shapes_.profile());
    clearSizes(step, stream);
    watchers_.beforeStep(step, stream);
    if (streams()) {
        slots_->beforeStep(step, stream);
    }
    if (startStep(step, stream) != 0) {
        failStep(step, stream);
    }
    if (streams()) {
        slots_->afterStep(step, stream);
    }
    if (firstRun_ != nullptr) {
        plan::StepRecord const& record = document_.steps[step];
        auto const profile = static_cast<std::size_t>(shapes_.profile());
        firstRun_->add("start", record.kernelAt(record.kernelFor(profile)).kernel);
    }
    if (watchers_.sync()) {
        waitForStep(step, stream);
    }
    if (capture_.recording()) {
        expectStillRecording(step, stream);
    }
    watchers_.afterStep(step, stream);
    takeSizes(step, stream);
    watchers_.show(step, shapes_.dims(), bindings_.addresses(), stream);
}

int32_t Context::startStep(std::size_t step, target::StreamHandle stream) {
    if (onHost_ || !PythonStream::replaces(stream) || !engine_.isPythonCode(step)) {
        return launches_.start(step, stream);
    }
    if (!pythonStream_) {
        pythonStream_.emplace(device_);
    }
    if (streams()) {
        slots_->bring(step, pythonStream_->handle());
    }
    int32_t const code = launches_.start(step, pythonStream_->handle());
    pythonStream_->join();
    return code;
}

// Plugins add to their sizes.
void Context::clearSizes(std::size_t step, target::StreamHandle stream) {
    for (plan::TensorId const tensor : points_.writtenBy(step)) {
        DataType const type = document_.tensors[tensor].type.type;
        device_.fill(address(tensor), 0, bytesFor(type, 1), stream);
    }
}

/// Whether the run must wait for the sizes that a step writes: a later step, an output allocator or
/// a debug listener needs them before the run returns.
bool Context::needsSizes(std::size_t step) const {
    auto const known = [&](plan::TensorId tensor) {
        return points_.knownAfter(document_.tensors[tensor]);
    };
    Watchers::Allocators const& allocators = watchers_.allocators();
    return points_.neededAfter(step) || watchers_.listener() != nullptr ||
           std::any_of(allocators.begin(), allocators.end(), [&](auto const& entry) {
               return known(entry.first) == static_cast<int32_t>(step);
           });
}

/// Copies the sizes that a step wrote and prepares the steps up to the next such point. If the run
/// does not need the sizes, it does not wait for the copy; foundShape() reads them.
void Context::takeSizes(std::size_t step, target::StreamHandle stream) {
    if (points_.writtenBy(step).empty()) {
        return;
    }
    for (plan::TensorId const tensor : points_.writtenBy(step)) {
        sizes_.copy(tensor, address(tensor), stream);
    }
    sizes_.expect(step,
                  capture_.recording() ? Sizes::Arrival::kWithGraph : Sizes::Arrival::kWithStream);
    if (onHost_ || needsSizes(step)) {
        device_.synchronize(stream);
        // In a later pass of a loop, the sizes of the pass before are known.
        int32_t const before = std::min(shapes_.knownUpTo(), static_cast<int32_t>(step) - 1);
        keepSizes(sizes_.take());
        settleSizes(before, stream);
    } else if (!capture_.recording()) {
        sizes_.mark(stream);
    }
    prepareSteps(step + 1, points_.nextBehind(step, step + 1));
}

/// Takes the sizes that became known after step `before` into shapes and host tensors.
void Context::settleSizes(int32_t before, target::StreamHandle stream) {
    for (int32_t point = before + 1; point <= shapes_.knownUpTo(); ++point) {
        auto const settled = static_cast<std::size_t>(point);
        shapes_.settle(settled);
        hostTensors_.write(shapes_.values(), points_.settledBy(settled).tensors);
    }
    hostTensors_.upload(stream);
    for (int32_t point = before + 1; point <= shapes_.knownUpTo(); ++point) {
        showUnwritten(point, stream);
    }
    allocateOutputs(shapes_.knownUpTo(), stream);
}

/// Makes sizes that have arrived known, in the order of the steps.
void Context::keepSizes(std::vector<std::size_t> const& steps) {
    for (std::size_t const step : steps) {
        for (plan::TensorId const tensor : points_.writtenBy(step)) {
            shapes_.setSize(step, tensor, sizes_.value(tensor));
        }
    }
}

Dims Context::foundShape(plan::TensorId tensor) {
    if (sizes_.pending() && !busy_.load(std::memory_order_relaxed)) {
        std::vector<std::size_t> arrived;
        withBlame([&] { arrived = sizes_.await(); });
        keepSizes(arrived);
    }
    return shapes_.found(tensor);
}

/// Shows debug tensors that no step writes and whose elements became known after step `knownAfter`.
void Context::showUnwritten(int32_t knownAfter, target::StreamHandle stream) {
    for (plan::TensorId const tensor : watchers_.unwritten()) {
        plan::TensorRecord const& record = document_.tensors[tensor];
        int32_t after = points_.knownAfter(record);
        for (graph::ExprRef const ref : record.values) {
            after = std::max(after, points_.knownAfter(ref));
        }
        if (after == knownAfter) {
            watchers_.showTensor(tensor, shapes_.dims()[tensor], address(tensor), stream);
        }
    }
}

/// Calls the user's allocators for outputs whose shape became known after step `knownAfter`.
void Context::allocateOutputs(int32_t knownAfter, target::StreamHandle stream) {
    for (auto const& [tensor, allocator] : watchers_.allocators()) {
        plan::TensorRecord const& record = document_.tensors[tensor];
        if (points_.knownAfter(record) != knownAfter) {
            continue;
        }
        Dims const& dims = shapes_.dims()[tensor];
        void* const memory = watchers_.reallocate(tensor, address(tensor), dims, stream);
        if (!onHost_ && memory != address(tensor)) {
            checkAddress(device_, record, hostTensors_.isHostMemory(tensor), memory);
        }
        bindings_.set(tensor, memory);
        allocator->notifyShape(record.name.c_str(), dims);
    }
}

} // namespace kiln::runtime
