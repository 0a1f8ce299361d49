// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/context.h"

#include "plugin/spare_tensors.h"
#include "runtime/control.h"

namespace kiln::runtime {

Context::Context(Engine const& engine, plugin::ContextServices const& services,
                 MemoryStrategy strategy, nvinfer1::IGpuAllocator* allocator)
    : engine_(engine), device_(engine.device()), onHost_(device_.isHost()),
      python_(pythonSteps(engine)), controls_(hasControl(engine.document())),
      launches_(engine.document(), engine.sizePoints(),
                [this, services](std::size_t step, int32_t profile) {
                    target::DeviceScope const scope(device_);
                    return engine_.instantiate(step, profile, services);
                }),
      capture_(captureQuery(engine)), document_(engine.document()), points_(engine.sizePoints()),
      hostTensors_(document_, engine.capacity(), device_),
      bindings_(
          document_,
          [this](plan::StepRecord const& step, std::size_t input) {
              return hostTensors_.fixedInput(step, input);
          },
          onHost_ ? plugin::spareMemory() : nullptr),
      slots_(engine.streaming() == nullptr
                 ? nullptr
                 : std::make_unique<WeightSlots>(*engine.streaming(), document_, device_)),
      memory_(engine, strategy, allocator, streams() ? slots_->bytes() : 0),
      shapes_(document_, points_, engine.capacity()), watchers_(device_, document_),
      sizes_(device_, document_, points_), decisions_(device_, document_, engine.capacity()) {
    placeFixed();
    setRanges(document_.verbosity);
    placeArena();
}

Context::~Context() {
    try {
        leaving_.emplace(device_); // for plugins that are destroyed here
    } catch (...) {                // device lost or no memory: plugins are destroyed anyway
    }
}

Context::PythonSteps Context::pythonSteps(Engine const& engine) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < engine.document().steps.size(); ++i) {
        count += engine.isPythonCode(i) ? 1 : 0;
    }
    return count == 0                                ? PythonSteps::kNone
           : count == engine.document().steps.size() ? PythonSteps::kAll
                                                     : PythonSteps::kSome;
}

CaptureState::Query Context::captureQuery(Engine const& engine) {
    bool anyPlugin = false; // code of plugins may do anything
    for (std::size_t i = 0; i < engine.document().steps.size(); ++i) {
        anyPlugin = anyPlugin || engine.isPluginCode(i);
    }
    return !anyPlugin                                 ? CaptureState::Query::kNever
           : pythonSteps(engine) == PythonSteps::kAll ? CaptureState::Query::kAfterPause
                                                      : CaptureState::Query::kEachRun;
}

void Context::placeConstant(plan::TensorId tensor) {
    if (slots_ == nullptr || !engine_.streaming()->owns(tensor)) {
        bindings_.setAlone(tensor, const_cast<void*>(engine_.constant(tensor)));
    }
}

/// Sets the addresses of constants and host tensors, which never change.
void Context::placeFixed() {
    for (plan::TensorId const tensor : document_.tensors.ids()) {
        if (document_.tensors[tensor].role == plan::TensorRole::kConstant) {
            placeConstant(tensor);
        } else if (document_.tensors[tensor].role == plan::TensorRole::kValues) {
            bindings_.setAlone(tensor, hostTensors_.of(tensor));
        }
    }
    if (slots_ != nullptr) {
        slots_->placeResident(bindings_);
    }
}

/// Takes the places that the memory has now.
void Context::placeArena() {
    bool const ofProfile = memory_.layout() != nullptr;
    shapes_.setCapacity(ofProfile ? engine_.layoutFor(shapes_.profile())->capacity
                                  : engine_.capacity());
    if (!memory_.isMissing()) {
        bindings_.setArena(memory_.arena(), memory_.layout());
        if (streams()) {
            slots_->place(memory_.scratch(), bindings_);
        }
    }
    setCalls();
}

void Context::setCalls() {
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        std::size_t const kernel =
            document_.steps[i].kernelFor(static_cast<std::size_t>(shapes_.profile()));
        launches_.setCall(i, bindings_.callOf(i, kernel));
    }
}

void Context::decideWatched() {
    watched_ = controls_ || points_.any() || !shapes_.inputsByValue().empty() || watchers_.any() ||
               streams() || ranges_ != nullptr;
}

void Context::setRanges(nvinfer1::ProfilingVerbosity verbosity) {
    ranges_ = StepRanges::make(document_, verbosity);
    decideWatched();
}

void Context::setArena(void* memory, std::optional<uint64_t> bytes) {
    uint64_t const given = bytes.has_value() ? memory_.arenaPart(*bytes) : UINT64_MAX;
    uint64_t least = document_.arenaBytes;
    if (given < least) {
        least = engine_.layoutFor(shapes_.profile())->bytes;
    }
    if (given < least && missingInputs().empty()) {
        least = arenaBytesForShapes();
    }
    memory_.give(memory, bytes, least);
    memory_.use(shapes_.profile(), nullptr);
    prepared_ = prepared_ && !memory_.followsShapes(shapes_.profile());
    placeArena();
}

uint64_t Context::arenaBytesForShapes() {
    readInputs();
    shapes_.expectInputs();
    if (!prepared_) {
        shapes_.resolve();
    }
    return layoutForShapes().bytes;
}

/// At most as large as that of the profile. The shapes must be resolved.
MemoryLayout Context::layoutForShapes() const {
    std::shared_ptr<MemoryLayout const> const most = engine_.layoutFor(shapes_.profile());
    std::vector<uint64_t> workspaces = most->workspaces;
    launches_.fitWorkspaces(currentShapes(), workspaces);
    MemoryLayout layout = layOut(document_, shapes_.bytes(), std::move(workspaces));
    return layout.bytes < most->bytes ? std::move(layout) : *most;
}

void Context::setInputShape(plan::TensorId tensor, Dims const& dims) {
    if (shapes_.setInput(tensor, dims)) {
        sizes_.forget();
        prepared_ = false;
    }
}

void Context::setProfile(int32_t profile, target::StreamHandle stream) {
    shapes_.checkProfile(profile);
    if (profile != shapes_.profile()) {
        launches_.select(profile);
        shapes_.setProfile(profile);
        sizes_.forget();
        prepared_ = false;
        memory_.use(profile, stream);
        placeArena(); // another kernel may read other constants
    }
}

Context::Instances Context::newInstances(std::span<std::size_t const> steps) const {
    Instances made;
    for (std::size_t const step : steps) {
        made.push_back(
            engine_.instantiate(step, shapes_.profile(), {})); // kernels need no services
    }
    return made;
}

void Context::takeInstances(std::span<std::size_t const> steps, Instances instances,
                            std::span<plan::TensorId const> constants) noexcept {
    for (std::size_t i = 0; i < steps.size(); ++i) {
        launches_.replace(steps[i], std::move(instances[i]));
    }
    for (plan::TensorId const constant : constants) {
        placeConstant(constant);
    }
    prepared_ = false;
}

void Context::setAddress(plan::TensorId tensor, void* address) {
    if (address != nullptr && address != this->address(tensor)) {
        checkAddress(device_, document_.tensors[tensor], hostTensors_.isHostMemory(tensor),
                     address);
    }
    bindings_.set(tensor, address);
    prepared_ = prepared_ && address != nullptr; // the next run reports a missing address
}

void Context::setOutputAllocator(plan::TensorId tensor, nvinfer1::IOutputAllocator* allocator) {
    watch([&](Watchers& watchers) { watchers.setAllocator(tensor, allocator); });
    prepared_ = false; // without an allocator, the output needs an address
}

std::vector<plan::TensorId> Context::missingInputs() {
    readInputs();
    std::vector<plan::TensorId> missing;
    for (plan::TensorId const tensor : engine_.io()) {
        bool const unread = address(tensor) == nullptr && shapes_.isByValue(tensor);
        if (document_.tensors[tensor].role == plan::TensorRole::kInput &&
            (unread || !shapes_.inputKnown(tensor))) {
            missing.push_back(tensor);
        }
    }
    return missing;
}

} // namespace kiln::runtime
