// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/execution_context.h"

#include <algorithm>

#include "api/engine.h"
#include "api/enum_names.h"
#include "api/runtime.h"
#include "api/runtime_config.h"
#include "base/tensor_layout.h"
#include "base/text.h"
#include "target/communicator.h"

namespace kiln::api {
namespace {

constexpr int32_t kAnyRole = -1;

/// How much a verbosity tells; -1: it is none.
int32_t detailOf(nvinfer1::ProfilingVerbosity verbosity) {
    switch (verbosity) {
    case nvinfer1::ProfilingVerbosity::kNONE: return 0;
    case nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY: return 1;
    case nvinfer1::ProfilingVerbosity::kDETAILED: return 2;
    }
    return -1;
}

plugin::ContextServices servicesOf(runtime::Engine const& engine,
                                   nvinfer1::IGpuAllocator* allocator,
                                   nvinfer1::IErrorRecorder* recorder) {
    return {allocator != nullptr ? allocator : deviceAllocator(&engine.device()), recorder};
}

runtime::MemoryStrategy strategyOf(nvinfer1::ExecutionContextAllocationStrategy strategy) {
    using Strategy = nvinfer1::ExecutionContextAllocationStrategy;
    return strategy == Strategy::kUSER_MANAGED        ? runtime::MemoryStrategy::kUser
           : strategy == Strategy::kON_PROFILE_CHANGE ? runtime::MemoryStrategy::kPerProfile
                                                      : runtime::MemoryStrategy::kOnce;
}

} // namespace

ExecutionContext::ExecutionContext(nvinfer1::ICudaEngine const& owner,
                                   std::shared_ptr<runtime::Engine const> engine,
                                   std::shared_ptr<LiveContexts> contexts,
                                   nvinfer1::IGpuAllocator* allocator,
                                   nvinfer1::IErrorRecorder* recorder,
                                   nvinfer1::ExecutionContextAllocationStrategy strategy)
    : owner_(owner), reporter_(engine->log()), engine_(std::move(engine)),
      context_(*engine_, servicesOf(*engine_, allocator, recorder), strategyOf(strategy),
               allocator),
      entry_(std::move(contexts), context_), strategy_(strategy) {
    reporter_.setRecorder(recorder);
    nvtxVerbosity_ = engine_->document().verbosity;
}

ExecutionContext::~ExecutionContext() noexcept {
    leaving_.emplace(reporter_.lateSink());
}

plan::TensorId ExecutionContext::index(char const* tensorName) const {
    return ioIndexOf(*engine_, tensorName);
}

plan::TensorRecord const& ExecutionContext::record(plan::TensorId index) const {
    return engine_->document().tensors[index];
}

void ExecutionContext::run(cudaStream_t stream) {
    if (communicator_ == nullptr) [[likely]] {
        context_.run(stream);
    } else {
        target::CommunicatorScope const scope(communicator_);
        context_.run(stream);
    }
}

bool ExecutionContext::enqueueV3(cudaStream_t stream) noexcept {
    return reporter_.guard(false, [&] {
        run(stream);
        return true;
    });
}

bool ExecutionContext::executeV2(void* const* bindings) noexcept {
    return reporter_.guard(false, [&] {
        if (bindings == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[run] bindings: expected {} addresses in the order of the engine's inputs and "
                 "outputs, got null.",
                 engine_->io().size());
        }
        for (std::size_t i = 0; i < engine_->io().size(); ++i) {
            context_.setAddress(engine_->io()[i], bindings[i]);
        }
        run(nullptr);
        context_.finish(nullptr);
        return true;
    });
}

bool ExecutionContext::bind(char const* tensorName, void* data, int32_t wantedRole) noexcept {
    return reporter_.guard(false, [&] {
        plan::TensorId const tensor = index(tensorName);
        if (wantedRole != kAnyRole && static_cast<int32_t>(record(tensor).role) != wantedRole) {
            bool const isInput = record(tensor).role == plan::TensorRole::kInput;
            fail(ErrorKind::kInvalidArgument,
                 "[run] tensor '{}', set address: expected an {}, got an {}.", record(tensor).name,
                 isInput ? "output" : "input", isInput ? "input" : "output");
        }
        context_.setAddress(tensor, data);
        return true;
    });
}

bool ExecutionContext::setTensorAddress(char const* tensorName, void* data) noexcept {
    return bind(tensorName, data, kAnyRole);
}

bool ExecutionContext::setOutputTensorAddress(char const* tensorName, void* data) noexcept {
    return bind(tensorName, data, static_cast<int32_t>(plan::TensorRole::kOutput));
}

bool ExecutionContext::setInputTensorAddress(char const* tensorName, void const* data) noexcept {
    return bind(tensorName, const_cast<void*>(data),
                static_cast<int32_t>(plan::TensorRole::kInput));
}

void const* ExecutionContext::getTensorAddress(char const* tensorName) const noexcept {
    return reporter_.guard<void const*>(nullptr,
                                        [&] { return context_.address(index(tensorName)); });
}

void* ExecutionContext::getOutputTensorAddress(char const* tensorName) const noexcept {
    return reporter_.guard<void*>(nullptr, [&] {
        plan::TensorId const tensor = index(tensorName);
        plan::TensorRole const role = engine_->document().tensors[tensor].role;
        return role == plan::TensorRole::kOutput ? context_.address(tensor) : nullptr;
    });
}

bool ExecutionContext::setInputShape(char const* tensorName, nvinfer1::Dims const& dims) noexcept {
    return reporter_.guard(false, [&] {
        context_.setInputShape(index(tensorName), dims);
        return true;
    });
}

nvinfer1::Dims ExecutionContext::getTensorShape(char const* tensorName) const noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}},
                           [&] { return context_.shapes().of(index(tensorName)); });
}

nvinfer1::Dims ExecutionContext::foundShape(char const* tensorName) noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}},
                           [&] { return context_.foundShape(index(tensorName)); });
}

nvinfer1::Dims ExecutionContext::getTensorStrides(char const* tensorName) const noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}}, [&] {
        plan::TensorId const tensor = index(tensorName);
        plan::TensorRecord const& record = context_.engine().document().tensors[tensor];
        return stridesOf(record.type.format, context_.shapes().of(tensor));
    });
}

bool ExecutionContext::setOptimizationProfileAsync(int32_t profileIndex,
                                                   cudaStream_t stream) noexcept {
    return reporter_.guard(false, [&] {
        context_.setProfile(profileIndex, stream);
        return true;
    });
}

int32_t ExecutionContext::inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept {
    return reporter_.guard(-1, [&] {
        std::vector<plan::TensorId> const missing = context_.missingInputs();
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (static_cast<int32_t>(i) < nbMaxNames && tensorNames != nullptr) {
                tensorNames[i] = record(missing[i]).name.c_str();
            }
        }
        return static_cast<int32_t>(missing.size());
    });
}

bool ExecutionContext::allInputShapesSpecified() const noexcept {
    return reporter_.guard(false, [&] { return context_.shapes().valuesKnown(); });
}

std::size_t ExecutionContext::updateDeviceMemorySizeForShapes() noexcept {
    return reporter_.guard<std::size_t>(
        0, [&] { return engine_->contextBytes(context_.arenaBytesForShapes()); });
}

void ExecutionContext::setDeviceMemory(void* memory) noexcept {
    reporter_.guard([&] { context_.setArena(memory, std::nullopt); });
}

void ExecutionContext::setDeviceMemoryV2(void* memory, int64_t size) noexcept {
    reporter_.guard([&] { context_.setArena(memory, size < 0 ? 0 : static_cast<uint64_t>(size)); });
}

int64_t ExecutionContext::getMaxOutputSize(char const* tensorName) const noexcept {
    return reporter_.guard(int64_t{-1}, [&] {
        plan::TensorId const tensor = index(tensorName);
        nvinfer1::Dims const dims = context_.shapes().of(tensor);
        bool const open =
            std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; });
        if (open) { // unknown extents, such as a size tensor: use the upper bound
            return static_cast<int64_t>(engine_->capacity()[tensor]);
        }
        return static_cast<int64_t>(storageBytes(
            record(tensor).type.type, record(tensor).type.format, dims, record(tensor).name));
    });
}

void ExecutionContext::setName(char const* name) noexcept {
    reporter_.guard([&] { name_ = orEmpty(name); });
}

void ExecutionContext::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* ExecutionContext::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

bool ExecutionContext::setInputConsumedEvent(cudaEvent_t event) noexcept {
    return reporter_.guard(false, [&] {
        context_.watch([&](runtime::Watchers& watchers) { watchers.setConsumedEvent(event); });
        consumed_ = event;
        return true;
    });
}

bool ExecutionContext::setTemporaryStorageAllocator(nvinfer1::IGpuAllocator* allocator) noexcept {
    temporary_ = allocator; // never called: the arena holds all memory that a run needs
    return true;
}

bool ExecutionContext::setNvtxVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept {
    return reporter_.guard(false, [&] {
        nvinfer1::ProfilingVerbosity const most = engine_->document().verbosity;
        if (detailOf(verbosity) < 0 || detailOf(verbosity) > detailOf(most)) {
            fail(ErrorKind::kInvalidArgument,
                 "[run] NVTX verbosity: expected at most that of the engine, {}, got {}. Build the "
                 "engine with a higher profiling verbosity.",
                 nameOf(most), nameOf(verbosity));
        }
        context_.setRanges(verbosity);
        nvtxVerbosity_ = verbosity;
        return true;
    });
}

nvinfer1::ProfilingVerbosity ExecutionContext::getNvtxVerbosity() const noexcept {
    return nvtxVerbosity_;
}

nvinfer1::IRuntimeConfig* ExecutionContext::getRuntimeConfig() const noexcept {
    return reporter_.guard<nvinfer1::IRuntimeConfig*>(
        nullptr, [&] { return new RuntimeConfig(reporter_.log(), strategy_); });
}

bool ExecutionContext::setCommunicator(void* communicator) noexcept {
    communicator_ = communicator;
    return true;
}

} // namespace kiln::api
