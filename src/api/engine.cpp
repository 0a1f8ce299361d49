// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/engine.h"

#include <algorithm>

#include "api/engine_inspector.h"
#include "api/execution_context.h"
#include "api/format_words.h"
#include "api/host_memory.h"
#include "api/narrow_values.h"
#include "api/runtime.h"
#include "api/runtime_config.h"
#include "api/serialization_config.h"
#include "base/tensor_layout.h"
#include "base/text.h"
#include "runtime/aliased_input.h"
#include "runtime/plan_shapes.h"

namespace kiln::api {
namespace {

using nvinfer1::ExecutionContextAllocationStrategy;
using nvinfer1::SerializationFlag;

/// A plan without weights stays one, unless the caller clears the flag.
nvinfer1::SerializationFlags defaultFlags(plan::Document const& document) {
    bool const stripped =
        std::any_of(document.tensors.begin(), document.tensors.end(),
                    [](plan::TensorRecord const& own) { return own.strippedBytes > 0; });
    auto const bit = [](SerializationFlag flag) { return 1U << static_cast<uint32_t>(flag); };
    return (stripped ? bit(SerializationFlag::kEXCLUDE_WEIGHTS) : 0U) |
           (document.refittable ? bit(SerializationFlag::kINCLUDE_REFIT) : 0U);
}

Bytes copyOf(ByteView bytes) {
    return {bytes.begin(), bytes.end()};
}

} // namespace

plan::TensorId ioIndexOf(runtime::Engine const& engine, char const* name) {
    plan::TensorId const index = engine.ioIndex(orEmpty(name));
    if (index.isNone()) {
        std::vector<std::string> names;
        for (plan::TensorId const known : engine.io()) {
            names.push_back(engine.document().tensors[known].name);
        }
        fail(ErrorKind::kInvalidArgument,
             "[engine] tensor '{}': expected the name of an input or output, which are: {}.",
             orEmpty(name), join(names, ", "));
    }
    return index;
}

Engine::Engine(std::shared_ptr<runtime::Engine> engine, nvinfer1::IGpuAllocator* allocator,
               nvinfer1::IErrorRecorder* recorder)
    : engine_(std::move(engine)), allocator_(allocator), reporter_(engine_->log()),
      refitNames_(engine_->document()), dynamicRanges_(engine_->document()) {
    reporter_.setRecorder(recorder);
    shapeInputs_ = runtime::valueInputs(engine_->document());
    for (plan::TensorId const index : engine_->io()) {
        plan::TensorRecord const& tensor = engine_->document().tensors[index];
        formatWords_[&tensor] = formatDescription(tensor.type.format, tensor.type.type);
    }
}

Engine::~Engine() noexcept {
    plugin::LateReports const late(reporter_.lateSink());
    engine_.reset();
}

plan::TensorRecord const* Engine::find(char const* name) const noexcept {
    return reporter_.guard<plan::TensorRecord const*>(
        nullptr, [&] { return &engine_->document().tensors[ioIndexOf(*engine_, name)]; });
}

nvinfer1::Dims Engine::getTensorShape(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    nvinfer1::Dims dims{-1, {}};
    if (tensor != nullptr) {
        dims.nbDims = tensor->shape.rank;
        for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
            graph::ExprNode const& node =
                engine_->document().exprs[static_cast<std::size_t>(tensor->shape[axis])];
            dims.d[axis] = node.op == graph::ExprOp::kConstant ? node.value : -1;
        }
    }
    return dims;
}

nvinfer1::DataType Engine::getTensorDataType(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    return tensor == nullptr ? nvinfer1::DataType::kFLOAT : tensor->type.type;
}

int32_t Engine::getNbLayers() const noexcept {
    return static_cast<int32_t>(engine_->document().steps.size());
}

nvinfer1::IHostMemory* Engine::serialize() const noexcept {
    SerializationConfig config(reporter_.log(), defaultFlags(engine_->document()));
    return serializeWithConfig(config);
}

nvinfer1::IExecutionContext* Engine::createExecutionContext(
    ExecutionContextAllocationStrategy strategy) noexcept {
    return reporter_.guard<nvinfer1::IExecutionContext*>(nullptr, [&] {
        plugin::LateReports const late(reporter_.lateSink());
        expectStrategy(strategy);
        engine_->expectWeights();
        return new ExecutionContext(*this, engine_, contexts_, allocator_, reporter_.recorder(),
                                    strategy);
    });
}

nvinfer1::IExecutionContext* Engine::createExecutionContext(
    nvinfer1::IRuntimeConfig* runtimeConfig) noexcept {
    return createExecutionContext(runtimeConfig == nullptr
                                      ? ExecutionContextAllocationStrategy::kSTATIC
                                      : runtimeConfig->getExecutionContextAllocationStrategy());
}

nvinfer1::IExecutionContext* Engine::createExecutionContextWithoutDeviceMemory() noexcept {
    return createExecutionContext(ExecutionContextAllocationStrategy::kUSER_MANAGED);
}

nvinfer1::IRuntimeConfig* Engine::createRuntimeConfig() noexcept {
    return reporter_.guard<nvinfer1::IRuntimeConfig*>(
        nullptr, [&] { return new RuntimeConfig(reporter_.log()); });
}

nvinfer1::TensorLocation Engine::getTensorLocation(char const* tensorName) const noexcept {
    return isShapeInferenceIO(tensorName) ? nvinfer1::TensorLocation::kHOST
                                          : nvinfer1::TensorLocation::kDEVICE;
}

char const* Engine::getAliasedInputTensor(char const* tensorName) const noexcept {
    return reporter_.guard<char const*>(nullptr, [&]() -> char const* {
        plan::Document const& document = engine_->document();
        plan::TensorId const input =
            runtime::aliasedInput(document, ioIndexOf(*engine_, tensorName));
        return input.isNone() ? nullptr : document.tensors[input].name.c_str();
    });
}

bool Engine::isShapeInferenceIO(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    return tensor != nullptr &&
           (tensor->shapeOutput ||
            (tensor->role == plan::TensorRole::kInput &&
             std::binary_search(shapeInputs_.begin(), shapeInputs_.end(), tensor->inputIndex)));
}

bool Engine::isDebugTensor(char const* name) const noexcept {
    auto const& tensors = engine_->document().tensors;
    return std::any_of(tensors.begin(), tensors.end(), [&](plan::TensorRecord const& tensor) {
        return tensor.isShown() && tensor.name == orEmpty(name);
    });
}

nvinfer1::TensorIOMode Engine::getTensorIOMode(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    if (tensor == nullptr) {
        return nvinfer1::TensorIOMode::kNONE;
    }
    return tensor->role == plan::TensorRole::kInput ? nvinfer1::TensorIOMode::kINPUT
                                                    : nvinfer1::TensorIOMode::kOUTPUT;
}

int64_t Engine::getDeviceMemorySizeV2() const noexcept {
    return static_cast<int64_t>(engine_->contextBytes(engine_->document().arenaBytes));
}

int64_t Engine::getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept {
    return reporter_.guard(int64_t{0}, [&] {
        if (profileIndex < 0 || profileIndex >= getNbOptimizationProfiles()) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] device memory size: expected a profile from 0 to {}, got {}.",
                 getNbOptimizationProfiles() - 1, profileIndex);
        }
        uint64_t const arenaBytes = engine_->layoutFor(profileIndex)->bytes;
        return static_cast<int64_t>(engine_->contextBytes(arenaBytes));
    });
}

std::size_t Engine::getDeviceMemorySize() const noexcept {
    return static_cast<std::size_t>(getDeviceMemorySizeV2());
}

std::size_t Engine::getDeviceMemorySizeForProfile(int32_t profileIndex) const noexcept {
    return static_cast<std::size_t>(getDeviceMemorySizeForProfileV2(profileIndex));
}

int32_t Engine::getTensorBytesPerComponent(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    return tensor == nullptr ? -1 : static_cast<int32_t>(bytesFor(tensor->type.type, 1));
}

int32_t Engine::getTensorBytesPerComponent(char const* tensorName, int32_t) const noexcept {
    return getTensorBytesPerComponent(tensorName);
}

int32_t Engine::getTensorComponentsPerElement(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    return tensor == nullptr ? -1 : static_cast<int32_t>(traitsOf(tensor->type.format)->vector);
}

int32_t Engine::getTensorComponentsPerElement(char const* tensorName, int32_t) const noexcept {
    return getTensorComponentsPerElement(tensorName);
}

nvinfer1::TensorFormat Engine::getTensorFormat(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    return tensor == nullptr ? nvinfer1::TensorFormat::kLINEAR : tensor->type.format;
}

nvinfer1::TensorFormat Engine::getTensorFormat(char const* tensorName, int32_t) const noexcept {
    return getTensorFormat(tensorName);
}

char const* Engine::getTensorFormatDesc(char const* tensorName) const noexcept {
    auto const found = formatWords_.find(find(tensorName));
    return found == formatWords_.end() ? "" : found->second.c_str();
}

char const* Engine::getTensorFormatDesc(char const* tensorName, int32_t) const noexcept {
    return getTensorFormatDesc(tensorName);
}

int32_t Engine::getTensorVectorizedDim(char const* tensorName) const noexcept {
    plan::TensorRecord const* const tensor = find(tensorName);
    if (tensor == nullptr || traitsOf(tensor->type.format)->vector == 1) {
        return -1;
    }
    return tensor->shape.rank - traitsOf(tensor->type.format)->channelsFromEnd;
}

int32_t Engine::getTensorVectorizedDim(char const* tensorName, int32_t) const noexcept {
    return getTensorVectorizedDim(tensorName);
}

char const* Engine::getName() const noexcept {
    return engine_->document().name.c_str();
}

int32_t Engine::getNbOptimizationProfiles() const noexcept {
    return static_cast<int32_t>(std::max<std::size_t>(1, engine_->document().profiles.size()));
}

nvinfer1::Dims Engine::getProfileShape(char const* tensorName, int32_t profileIndex,
                                       nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard(nvinfer1::Dims{-1, {}}, [&] {
        plan::TensorId const index = ioIndexOf(*engine_, tensorName);
        if (profileIndex < 0 || profileIndex >= getNbOptimizationProfiles()) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] profile shape: expected a profile from 0 to {}, got {}.",
                 getNbOptimizationProfiles() - 1, profileIndex);
        }
        auto const& profiles = engine_->document().profiles;
        if (static_cast<std::size_t>(profileIndex) < profiles.size()) {
            for (plan::ProfileRange const& range :
                 profiles[static_cast<std::size_t>(profileIndex)].ranges) {
                if (range.tensor == index) {
                    return select == nvinfer1::OptProfileSelector::kMIN   ? range.min
                           : select == nvinfer1::OptProfileSelector::kOPT ? range.opt
                                                                          : range.max;
                }
            }
        }
        return getTensorShape(tensorName);
    });
}

nvinfer1::EngineCapability Engine::getEngineCapability() const noexcept {
    return nvinfer1::EngineCapability::kSTANDARD;
}

void Engine::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    reporter_.setRecorder(recorder);
}

nvinfer1::IErrorRecorder* Engine::getErrorRecorder() const noexcept {
    return reporter_.recorder();
}

nvinfer1::ProfilingVerbosity Engine::getProfilingVerbosity() const noexcept {
    return engine_->document().verbosity;
}

nvinfer1::IEngineInspector* Engine::createEngineInspector() const noexcept {
    return reporter_.guard<nvinfer1::IEngineInspector*>(
        nullptr, [&] { return new EngineInspector(engine_, reporter_); });
}

int32_t Engine::getNbIOTensors() const noexcept {
    return static_cast<int32_t>(engine_->io().size());
}

char const* Engine::getIOTensorName(int32_t index) const noexcept {
    return reporter_.guard<char const*>(nullptr, [&] {
        if (index < 0 || index >= getNbIOTensors()) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] input or output: expected a number from 0 to {}, got {}.",
                 getNbIOTensors() - 1, index);
        }
        plan::TensorId const tensor = engine_->io()[static_cast<std::size_t>(index)];
        return engine_->document().tensors[tensor].name.c_str();
    });
}

nvinfer1::HardwareCompatibilityLevel Engine::getHardwareCompatibilityLevel() const noexcept {
    return engine_->document().compatibility;
}

nvinfer1::ISerializationConfig* Engine::createSerializationConfig() noexcept {
    return reporter_.guard<nvinfer1::ISerializationConfig*>(nullptr, [&] {
        return new SerializationConfig(reporter_.log(), defaultFlags(engine_->document()));
    });
}

nvinfer1::IHostMemory* Engine::serializeWithConfig(
    nvinfer1::ISerializationConfig& config) const noexcept {
    return reporter_.guard<nvinfer1::IHostMemory*>(nullptr, [&] {
        runtime::Engine::Serialization const what{
            !config.getFlag(SerializationFlag::kEXCLUDE_WEIGHTS),
            config.getFlag(SerializationFlag::kINCLUDE_REFIT)};
        bool const asOpened = !engine_->document().refittable ||
                              (what.withRefit && engine_->isAsOpened(what.withWeights));
        return new HostMemory(asOpened ? copyOf(engine_->bytes()) : engine_->serialized(what));
    });
}

bool Engine::isRefittable() const noexcept {
    return engine_->document().refittable;
}

void Engine::refit(std::span<runtime::NewWeights const> weights, Log const* validation) {
    contexts_->with([&](std::span<runtime::Context* const> contexts) {
        engine_->rebind(weights, contexts, validation);
    });
}

std::vector<int64_t> const* Engine::profileValues(char const* tensorName, int32_t profileIndex,
                                                  nvinfer1::OptProfileSelector select) const {
    plan::TensorId const index = ioIndexOf(*engine_, tensorName);
    auto const& profiles = engine_->document().profiles;
    if (profileIndex < 0 || static_cast<std::size_t>(profileIndex) >= profiles.size()) {
        fail(ErrorKind::kInvalidArgument,
             "[engine] profile values: expected a profile from 0 to {}, got {}.",
             static_cast<int32_t>(profiles.size()) - 1, profileIndex);
    }
    for (plan::ValueRange const& range : profiles[static_cast<std::size_t>(profileIndex)].values) {
        if (range.tensor == index) {
            return select == nvinfer1::OptProfileSelector::kMIN   ? &range.min
                   : select == nvinfer1::OptProfileSelector::kOPT ? &range.opt
                                                                  : &range.max;
        }
    }
    return nullptr;
}

int64_t const* Engine::getProfileTensorValuesV2(
    char const* tensorName, int32_t profileIndex,
    nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard<int64_t const*>(nullptr, [&]() -> int64_t const* {
        auto const* const values = profileValues(tensorName, profileIndex, select);
        return values == nullptr ? nullptr : values->data();
    });
}

int32_t const* Engine::getProfileTensorValues(char const* tensorName, int32_t profileIndex,
                                              nvinfer1::OptProfileSelector select) const noexcept {
    return reporter_.guard<int32_t const*>(nullptr, [&]() -> int32_t const* {
        auto const* const values = profileValues(tensorName, profileIndex, select);
        if (values == nullptr) {
            return nullptr;
        }
        std::lock_guard const lock(narrowMutex_);
        auto& kept = narrow_[{tensorName, profileIndex * 3 + static_cast<int32_t>(select)}];
        return kept.empty() ? narrowValues(*values, kept) : kept.data();
    });
}

int64_t Engine::getEngineStat(nvinfer1::EngineStat stat) const noexcept {
    int64_t all = 0;
    int64_t stripped = 0;
    for (plan::TensorRecord const& tensor : engine_->document().tensors) {
        if (tensor.role == plan::TensorRole::kConstant) {
            all += static_cast<int64_t>(tensor.constantBytes());
            stripped += static_cast<int64_t>(tensor.strippedBytes);
        }
    }
    return stat == nvinfer1::EngineStat::kTOTAL_WEIGHTS_SIZE ? all : stripped;
}

nvinfer1::ICudaEngine* makeEngine(std::shared_ptr<runtime::PlanBytes const> bytes, Log log,
                                  nvinfer1::IGpuAllocator* allocator,
                                  nvinfer1::IErrorRecorder* recorder,
                                  runtime::Engine::Creators const& creators,
                                  runtime::HostCode const& hostCode,
                                  target::DeviceChoice const& devices) {
    return new Engine(std::make_shared<runtime::Engine>(std::move(bytes), log, creators, hostCode,
                                                        allocator, devices),
                      allocator, recorder);
}

} // namespace kiln::api
