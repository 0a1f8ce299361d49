// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/context.h"

#include <algorithm>

#include "base/tensor_layout.h"
#include "plugin/spare_tensors.h"
#include "runtime/host_step.h"

namespace kiln::runtime {

Context::Context(Engine const& engine, plugin::ContextServices const& services, bool allocateArena,
                 nvinfer1::IGpuAllocator* allocator)
    : engine_(engine), backend_(engine.backend()), separate_(!backend_.readsHostMemory()),
      remote_(backend_.entersThreads()), document_(engine.document()), services_(services),
      leaves_(document_), sizePoints_(document_), hostValues_(document_),
      values_(document_.exprs.size()), dims_(document_.tensors.size()),
      sizes_(backend_, document_, sizePoints_), debugOn_(document_.tensors.size(), false) {
    target::ThreadScope const scope(backend_);
    layOutPointers();
    pythonAlone_ = !document_.steps.empty();
    for (std::size_t i = 0; i < document_.steps.size(); ++i) {
        instances_.push_back(engine.instantiate(i, profile_, services));
        attached_ = attached_ || engine.isPluginCode(i);
        pythonAlone_ = pythonAlone_ && engine.isPythonCode(i);
        anyPython_ = anyPython_ || engine.isPythonCode(i);
    }
    unasked_ = remote_ && pythonAlone_;
    preparedFor_.resize(document_.steps.size());
    sync_ = separate_ && syncWanted();
    placeFixed();
    decideWatched();
    if (allocateArena) {
        ownArena_ = DeviceBuffer(
            backend_, document_.arenaBytes,
            fmt::format("the arena of an execution context of engine '{}'", document_.name),
            allocator);
        placeArena(static_cast<std::byte*>(ownArena_.data()));
    }
}

Context::~Context() {
    try {
        leaving_.emplace(backend_); // for plugins that are destroyed here
        if (!pendingSizes_.empty() && !graphSizes_) {
            sizes_.waitForMark(); // pending copies write to memory that is freed here
        }
    } catch (...) { // device lost or no memory: plugins are destroyed anyway
    }
}

/// Whether the user's address of a tensor is in host memory on every target.
bool Context::isHostTensor(int32_t tensor) const {
    return document_.tensors[static_cast<std::size_t>(tensor)].shapeOutput ||
           std::find(shapeInputs_.begin(), shapeInputs_.end(), tensor) != shapeInputs_.end();
}

/// The fixed address of an operand that does not use the tensor's own memory: a constant that the
/// host reads, or the device copy of a host tensor. Else null.
void* Context::fixedOperand(plan::StepRecord const& step, std::size_t input) {
    int32_t const tensor = step.inputs[input];
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
    bool const readOnHost = isHostStep(document_, step) || isHostOperand(document_, step, input);
    if (record.role == plan::TensorRole::kConstant) {
        return readOnHost ? const_cast<std::byte*>(record.data.data()) : nullptr;
    }
    return !readOnHost && copies_.wanted(tensor) ? copies_.of(tensor) : nullptr;
}

void Context::layOutPointers() {
    std::vector<int32_t> const byValue = valueInputs(document_);
    for (plan::StepRecord const& step : document_.steps) {
        for (std::size_t i = 0; separate_ && i < step.inputs.size(); ++i) {
            if (step.inputs[i] == plan::kAbsent) {
                continue;
            }
            auto const tensor = static_cast<std::size_t>(step.inputs[i]);
            plan::TensorRecord const& record = document_.tensors[tensor];
            if (record.role != plan::TensorRole::kConstant && knownOnHost(record, byValue)) {
                copies_.want(step.inputs[i], engine_.capacity()[tensor]);
            }
        }
    }
    copies_.allocate(backend_);
    places_.resize(document_.tensors.size());
    addresses_.resize(document_.tensors.size(), nullptr);
    for (plan::StepRecord const& step : document_.steps) {
        firstOperand_.push_back(pointers_.size());
        for (std::size_t i = 0; i < step.inputs.size() + step.outputs.size(); ++i) {
            bool const reads = i < step.inputs.size();
            if (reads && step.inputs[i] == plan::kAbsent) {
                pointers_.push_back(nullptr);
                continue;
            }
            void* const fixed = separate_ && reads ? fixedOperand(step, i) : nullptr;
            if (reads && step.inputs[i] >= 0 &&
                plan::memoryRole(document_, step.inputs[i]) == plan::TensorRole::kInput) {
                lastReader_ = firstOperand_.size() - 1;
            }
            if (fixed == nullptr) {
                int32_t const tensor =
                    reads ? step.inputs[i] : step.outputs[i - step.inputs.size()];
                places_[static_cast<std::size_t>(tensor)].push_back(
                    static_cast<uint32_t>(pointers_.size()));
            }
            pointers_.push_back(fixed);
        }
    }
    pointers_.insert(pointers_.end(), plugin::kSpareTensors,
                     separate_ ? nullptr : plugin::spareMemory());
    for (std::size_t i = 0; i < document_.steps.size(); ++i) {
        Step step;
        step.call.inputs = pointers_.data() + firstOperand_[i];
        step.call.outputs = pointers_.data() + firstOperand_[i] + document_.steps[i].inputs.size();
        steps_.push_back(step);
    }
}

/// Sets the addresses of constants and host tensors, which never change.
void Context::placeFixed() {
    std::vector<int32_t> const byValue = valueInputs(document_);
    sharers_.resize(document_.tensors.size());
    for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
        plan::TensorRecord const& record = document_.tensors[i];
        auto const tensor = static_cast<int32_t>(i);
        if (record.role == plan::TensorRole::kConstant) {
            point(tensor, const_cast<void*>(engine_.constant(tensor)));
        } else if (record.role == plan::TensorRole::kValues) {
            point(tensor, hostValues_.of(tensor));
        } else if (record.role == plan::TensorRole::kInput &&
                   std::binary_search(byValue.begin(), byValue.end(), record.inputIndex)) {
            shapeInputs_.push_back(tensor);
        }
        if (record.sharesWith >= 0) {
            sharers_[static_cast<std::size_t>(record.sharesWith)].push_back(tensor);
        }
    }
}

/// Sets the address of a tensor and of all tensors that share its memory.
void Context::setTarget(int32_t tensor, void* address) {
    point(tensor, address);
    for (int32_t const sharer : sharers_[static_cast<std::size_t>(tensor)]) {
        point(sharer, address);
    }
}

void Context::point(int32_t tensor, void* address) {
    addresses_[static_cast<std::size_t>(tensor)] = address;
    for (uint32_t const place : places_[static_cast<std::size_t>(tensor)]) {
        pointers_[place] = address;
    }
}

void Context::placeArena(std::byte* base) {
    arena_ = base;
    for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
        plan::TensorRecord const& record = document_.tensors[i];
        if (record.role == plan::TensorRole::kInternal && record.sharesWith < 0) {
            setTarget(static_cast<int32_t>(i), base + record.offset);
        }
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        plan::StepRecord const& record = document_.steps[i];
        steps_[i].call.workspace =
            record.workspaceBytes == 0 ? nullptr : base + record.workspaceOffset;
    }
}

void Context::setArena(void* memory, uint64_t bytes) {
    if (bytes < document_.arenaBytes || (memory == nullptr && document_.arenaBytes > 0)) {
        fail(ErrorKind::kInvalidArgument,
             "[run] device memory: expected {} bytes or more, got {}{}. Ask the engine for its "
             "device memory size.",
             document_.arenaBytes, bytes, memory == nullptr ? " at a null address" : "");
    }
    if (separate_ && memory != nullptr) {
        std::string problem = backend_.pointerProblem(memory);
        if (problem.empty() &&
            reinterpret_cast<std::uintptr_t>(memory) % DeviceBuffer::kAlignment != 0) {
            problem = fmt::format("expected an address that is a multiple of {}",
                                  DeviceBuffer::kAlignment);
        }
        if (!problem.empty()) {
            fail(ErrorKind::kInvalidArgument, "[run] device memory, address {}: {}.", memory,
                 problem);
        }
    }
    placeArena(static_cast<std::byte*>(memory));
    ownArena_ = DeviceBuffer();
}

void Context::setInputShape(int32_t tensor, Dims const& dims) {
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
    if (record.role != plan::TensorRole::kInput) {
        fail(ErrorKind::kInvalidArgument,
             "[run] tensor '{}', set input shape: expected an input, got an output.", record.name);
    }
    checkDims(dims, 0, fmt::format("input '{}'", record.name));
    Dims lowest{};
    Dims highest{};
    lowest.nbDims = highest.nbDims = record.shape.rank;
    for (int32_t axis = 0; axis < record.shape.rank; ++axis) {
        lowest.d[axis] = highest.d[axis] =
            document_.exprs[static_cast<std::size_t>(record.shape[axis])].value;
    }
    if (!document_.profiles.empty()) {
        for (plan::ProfileRange const& range :
             document_.profiles[static_cast<std::size_t>(profile_)].ranges) {
            if (range.tensor == tensor) {
                lowest = range.min;
                highest = range.max;
            }
        }
    }
    bool inside = dims.nbDims == lowest.nbDims;
    for (int32_t axis = 0; inside && axis < dims.nbDims; ++axis) {
        inside = dims.d[axis] >= lowest.d[axis] && dims.d[axis] <= highest.d[axis];
    }
    if (!inside) {
        fail(ErrorKind::kInvalidArgument,
             "[run] input '{}': expected a shape from {} to {} (optimization profile {}), got {}. "
             "Use a shape in that range or build with a wider profile.",
             record.name, toText(lowest), toText(highest), profile_, toText(dims));
    }
    Dims& current = leaves_.of(record.inputIndex);
    if (!sameDims(current, dims)) {
        current = dims;
        pendingSizes_.clear();
        known_ = SizePoints::kAlways; // the last run's sizes belong to other shapes
        leaves_.forgetSizes();
        stale_ = true;
    }
}

bool Context::inputShapesKnown() const {
    for (int32_t const index : engine_.io()) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(index)];
        if (record.role != plan::TensorRole::kInput) {
            continue;
        }
        Dims const& dims = leaves_.of(record.inputIndex);
        if (std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; })) {
            return false;
        }
    }
    return true;
}

bool Context::inputValuesKnown() const {
    return std::all_of(shapeInputs_.begin(), shapeInputs_.end(), [&](int32_t tensor) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
        bool const empty = record.shape.rank == 1 && leaves_.of(record.inputIndex).d[0] == 0;
        return empty || !leaves_.valuesOf(record.inputIndex).empty();
    });
}

/// Dimensions of a tensor, with the sizes that are known after step `known`.
Dims Context::shapeUpTo(int32_t tensor, int32_t known) const {
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
    if (record.role == plan::TensorRole::kInput) {
        return leaves_.of(record.inputIndex);
    }
    bool const evaluated = shapesKnown();
    std::vector<int64_t> values(document_.exprs.size());
    if (evaluated) {
        graph::evaluate(document_.exprs, leaves_, values);
    }
    Dims dims{};
    dims.nbDims = record.shape.rank;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        graph::ExprRef const ref = record.shape[axis];
        graph::ExprNode const& node = document_.exprs[static_cast<std::size_t>(ref)];
        bool const resolved = evaluated && sizePoints_.knownAfter(ref) <= known;
        dims.d[axis] = node.op == graph::ExprOp::kConstant ? node.value
                       : resolved                          ? values[static_cast<std::size_t>(ref)]
                                                           : -1;
    }
    return dims;
}

void Context::setProfile(int32_t profile) {
    auto const count = static_cast<int32_t>(std::max<std::size_t>(1, document_.profiles.size()));
    if (profile < 0 || profile >= count) {
        fail(ErrorKind::kInvalidArgument, "[run] optimization profile: expected 0 to {}, got {}.",
             count - 1, profile);
    }
    if (profile != profile_) {
        target::ThreadScope const scope(backend_);
        selectPlugins(profile);
        profile_ = profile;
        pendingSizes_.clear();
        leaves_ = Leaves(document_); // shapes of another profile may not fit this one
        known_ = SizePoints::kAlways;
        stale_ = true;
    }
}

/// Attaches the plugins of a profile and makes the next run announce the shapes to all plugins.
/// Plugins of other profiles stay attached, because programs switch back and forth.
void Context::selectPlugins(int32_t profile) {
    auto const differ = [&](plan::StepRecord const& step) {
        return step.pluginFor(static_cast<std::size_t>(profile)) !=
               step.pluginFor(static_cast<std::size_t>(profile_));
    };
    auto const key = [&](std::size_t step, int32_t selected) {
        return std::pair(step, document_.steps[step].pluginFor(static_cast<std::size_t>(selected)));
    };
    for (std::size_t i = 0; i < instances_.size(); ++i) {
        if (differ(document_.steps[i]) && parked_.count(key(i, profile)) == 0) {
            auto made = engine_.instantiate(i, profile, services_);
            parked_.emplace(key(i, profile), std::move(made));
        }
        if (differ(document_.steps[i])) {
            parked_.try_emplace(key(i, profile_)); // room for the instance that the switch parks
        }
    }
    for (std::size_t i = 0; i < instances_.size(); ++i) { // nothing throws from here on
        if (differ(document_.steps[i])) {
            auto const taken = parked_.extract(key(i, profile));
            parked_.find(key(i, profile_))->second = std::move(instances_[i]);
            instances_[i] = std::move(taken.mapped());
        }
        if (document_.steps[i].plugin >= 0) {
            preparedFor_[i].clear();
        }
    }
}

void Context::checkAddress(int32_t tensor, void const* address) const {
    target::Backend const& backend = backend_;
    std::string const problem = isHostTensor(tensor) ? backend.hostPointerProblem(address)
                                                     : backend.pointerProblem(address);
    if (!problem.empty()) {
        fail(ErrorKind::kInvalidArgument, "[run] tensor '{}', address {}: {}.",
             document_.tensors[static_cast<std::size_t>(tensor)].name, address, problem);
    }
}

void Context::setAddress(int32_t tensor, void* address) {
    if (address != nullptr && address != this->address(tensor)) {
        checkAddress(tensor, address);
    }
    setTarget(tensor, address);
    if (address == nullptr) {
        stale_ = true;
    }
}

void Context::checkReady() const {
    for (int32_t const index : engine_.io()) {
        plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(index)];
        if (record.role == plan::TensorRole::kInput) {
            Dims const& dims = leaves_.of(record.inputIndex);
            for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
                if (dims.d[axis] < 0) {
                    fail(ErrorKind::kInvalidState,
                         "[run] input '{}': its shape {} has unknown extents. Set the shape of the "
                         "input before the engine runs.",
                         record.name, toText(dims));
                }
            }
        }
        if (address(index) == nullptr && allocators_.count(index) == 0) {
            fail(ErrorKind::kInvalidState,
                 "[run] {} '{}': no address is bound. Set the address of the tensor before the "
                 "engine runs.",
                 record.role == plan::TensorRole::kInput ? "input" : "output", record.name);
        }
    }
    if (arena_ == nullptr && document_.arenaBytes > 0) {
        fail(ErrorKind::kInvalidState,
             "[run] the context has no device memory. Set its device memory, of {} bytes.",
             document_.arenaBytes);
    }
}

/// Computes the extents that are known so far, and the host tensors.
void Context::resolveShapes() {
    graph::evaluate(document_.exprs, leaves_, values_);
    hostValues_.write(values_);
    shapesOf(document_, values_, dims_);
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        uploadValues(static_cast<int32_t>(i));
    }
    if (known_ == SizePoints::kAlways && sizePoints_.any()) {
        bounds_ = dims_;
    }
    for (std::size_t i = 0; i < dims_.size(); ++i) {
        checkResolved(i);
        hideUnknown(static_cast<int32_t>(i));
    }
}

/// Puts the elements of a host tensor into the next upload, if kernels cannot read host memory.
void Context::uploadValues(int32_t tensor) {
    auto const index = static_cast<std::size_t>(tensor);
    if (separate_ && document_.tensors[index].role == plan::TensorRole::kValues) {
        copies_.set(tensor, hostValues_.of(tensor), engine_.capacity()[index]);
    }
}

/// Sets the extents of a tensor that depend on unknown sizes to -1.
void Context::hideUnknown(int32_t tensor) {
    plan::TensorRecord const& record = document_.tensors[static_cast<std::size_t>(tensor)];
    for (int32_t axis = 0; axis < record.shape.rank; ++axis) {
        if (sizePoints_.knownAfter(record.shape[axis]) > known_) {
            dims_[static_cast<std::size_t>(tensor)].d[axis] = -1;
        }
    }
}

/// Checks a tensor's shape. Sizes that are not known yet are at their upper bound here.
void Context::checkResolved(std::size_t tensor) const {
    plan::TensorRecord const& record = document_.tensors[tensor];
    Dims const& dims = dims_[tensor];
    if (record.role == plan::TensorRole::kInput && !sameDims(dims, leaves_.of(record.inputIndex))) {
        fail(ErrorKind::kInvalidArgument,
             "[run] input '{}': expected shape {}, because dimensions of one name are equal, "
             "got {}. Give all inputs with that dimension name the same extent.",
             record.name, toText(dims), toText(leaves_.of(record.inputIndex)));
    }
    std::size_t const bytes = storageBytes(record.type.type, record.type.format, dims, record.name);
    if (record.role == plan::TensorRole::kInternal && bytes > engine_.capacity()[tensor]) {
        fail(ErrorKind::kInvalidState,
             "[run] tensor '{}' of shape {}: expected at most {} bytes, got {}. Its shape does "
             "not grow with the inputs; build with a profile whose corners include this case.",
             record.name, toText(dims), engine_.capacity()[tensor], bytes);
    }
}

// Kernels write to the plan's workspace without checks, so its size must suffice. Plugins are not
// asked again here: askPlugins() checks their workspace when the plan is opened.
void Context::expectWorkspace(plan::StepRecord const& record, std::size_t wanted) {
    if (wanted > record.workspaceBytes) {
        fail(ErrorKind::kCorruptData,
             "expected {} bytes of workspace, the plan has {}. Build the plan again.", wanted,
             record.workspaceBytes);
    }
}

void Context::reshapeSteps(std::size_t first, std::size_t last) {
    std::vector<Dims> operands;
    for (std::size_t i = first; i < last; ++i) {
        plan::StepRecord const& record = document_.steps[i];
        operands.clear();
        for (auto const* list : {&record.inputs, &record.outputs}) {
            bool const roomy = sizePoints_.finds(i) && list == &record.outputs;
            std::vector<Dims> const& dims = roomy || sizePoints_.counts(i) ? bounds_ : dims_;
            for (int32_t const tensor : *list) {
                operands.push_back(tensor == plan::kAbsent
                                       ? target::kAbsentDims
                                       : dims[static_cast<std::size_t>(tensor)]);
            }
        }
        std::vector<Dims>& last = preparedFor_[i];
        if (last.size() == operands.size() &&
            std::equal(last.begin(), last.end(), operands.begin(), sameDims)) {
            continue;
        }
        last.clear(); // if reshape throws, the step is prepared again next time
        std::span<Dims const> const all(operands);
        auto const inputs = all.first(record.inputs.size());
        auto const outputs = all.subspan(record.inputs.size());
        try {
            instances_[i]->takeValues(values_);
            instances_[i]->reshape(inputs, outputs);
            expectWorkspace(record, instances_[i]->workspaceBytes(inputs, outputs));
        } catch (Error const& error) {
            if (error.kind() == ErrorKind::kPlugin) {
                throw;
            }
            fail(error.kind(), "[run] layer '{}': {}", record.name, error.what());
        }
        steps_[i].launch = instances_[i]->launch();
        last = operands;
    }
}

} // namespace kiln::runtime
