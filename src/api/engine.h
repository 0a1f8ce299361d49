// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <NvInfer.h>

#include "api/dynamic_ranges.h"
#include "api/live_contexts.h"
#include "api/refit_names.h"
#include "api/reporter.h"
#include "runtime/engine.h"

namespace kiln::api {

/// ICudaEngine over a runtime engine. Contexts share the runtime engine and may outlive this
/// object.
class Engine final : public nvinfer1::ICudaEngine {
public:
    Engine(std::shared_ptr<runtime::Engine> engine, nvinfer1::IGpuAllocator* allocator,
           nvinfer1::IErrorRecorder* recorder);
    ~Engine() noexcept override;

    runtime::Engine const& core() const noexcept { return *engine_; }

    // For the refitter.
    RefitNames const& refitNames() const noexcept { return refitNames_; }
    DynamicRanges& dynamicRanges() noexcept { return dynamicRanges_; }
    /// Replaces weights, for all contexts. `validation` receives warnings about them; may be null.
    void refit(std::span<runtime::NewWeights const> weights, Log const* validation);

    nvinfer1::Dims getTensorShape(char const* tensorName) const noexcept override;
    nvinfer1::DataType getTensorDataType(char const* tensorName) const noexcept override;
    int32_t getNbLayers() const noexcept override;
    nvinfer1::IHostMemory* serialize() const noexcept override;
    nvinfer1::IExecutionContext* createExecutionContext(
        nvinfer1::ExecutionContextAllocationStrategy strategy) noexcept override;
    nvinfer1::TensorLocation getTensorLocation(char const* tensorName) const noexcept override;
    bool isShapeInferenceIO(char const* tensorName) const noexcept override;
    nvinfer1::TensorIOMode getTensorIOMode(char const* tensorName) const noexcept override;
    char const* getAliasedInputTensor(char const* tensorName) const noexcept override;
    nvinfer1::IExecutionContext* createExecutionContext(
        nvinfer1::IRuntimeConfig* runtimeConfig) noexcept override;
    nvinfer1::IRuntimeConfig* createRuntimeConfig() noexcept override;
    int64_t getDeviceMemorySizeV2() const noexcept override;
    int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept override;
    bool isRefittable() const noexcept override;
    int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept override;
    int32_t getTensorBytesPerComponent(char const* tensorName,
                                       int32_t profileIndex) const noexcept override;
    int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept override;
    int32_t getTensorComponentsPerElement(char const* tensorName,
                                          int32_t profileIndex) const noexcept override;
    nvinfer1::TensorFormat getTensorFormat(char const* tensorName) const noexcept override;
    nvinfer1::TensorFormat getTensorFormat(char const* tensorName,
                                           int32_t profileIndex) const noexcept override;
    char const* getTensorFormatDesc(char const* tensorName) const noexcept override;
    char const* getTensorFormatDesc(char const* tensorName,
                                    int32_t profileIndex) const noexcept override;
    int32_t getTensorVectorizedDim(char const* tensorName) const noexcept override;
    int32_t getTensorVectorizedDim(char const* tensorName,
                                   int32_t profileIndex) const noexcept override;
    char const* getName() const noexcept override;
    int32_t getNbOptimizationProfiles() const noexcept override;
    nvinfer1::Dims getProfileShape(char const* tensorName, int32_t profileIndex,
                                   nvinfer1::OptProfileSelector select) const noexcept override;
    nvinfer1::EngineCapability getEngineCapability() const noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    nvinfer1::TacticSources getTacticSources() const noexcept override { return 0; }
    nvinfer1::ProfilingVerbosity getProfilingVerbosity() const noexcept override;
    nvinfer1::IEngineInspector* createEngineInspector() const noexcept override;
    int32_t getNbIOTensors() const noexcept override;
    char const* getIOTensorName(int32_t index) const noexcept override;
    nvinfer1::HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override;
    int32_t getNbAuxStreams() const noexcept override { return 0; }
    nvinfer1::ISerializationConfig* createSerializationConfig() noexcept override;
    nvinfer1::IHostMemory* serializeWithConfig(
        nvinfer1::ISerializationConfig& config) const noexcept override;
    int64_t getStreamableWeightsSize() const noexcept override;
    bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept override;
    int64_t getWeightStreamingBudgetV2() const noexcept override;
    int64_t getWeightStreamingAutomaticBudget() const noexcept override;
    int64_t getWeightStreamingScratchMemorySize() const noexcept override;
    bool isDebugTensor(char const* name) const noexcept override;
    int64_t const* getProfileTensorValuesV2(
        char const* tensorName, int32_t profileIndex,
        nvinfer1::OptProfileSelector select) const noexcept override;
    int64_t getEngineStat(nvinfer1::EngineStat stat) const noexcept override;
    nvinfer1::IExecutionContext* createExecutionContextWithoutDeviceMemory() noexcept override;
    std::size_t getDeviceMemorySize() const noexcept override;
    std::size_t getDeviceMemorySizeForProfile(int32_t profileIndex) const noexcept override;
    int32_t const* getProfileTensorValues(
        char const* tensorName, int32_t profileIndex,
        nvinfer1::OptProfileSelector select) const noexcept override;
    bool hasImplicitBatchDimension() const noexcept override { return false; }
    bool setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept override;
    int64_t getWeightStreamingBudget() const noexcept override;
    int64_t getMinimumWeightStreamingBudget() const noexcept override;

private:
    plan::TensorRecord const* find(char const* name) const noexcept;
    std::vector<int64_t> const* profileValues(char const* tensorName, int32_t profileIndex,
                                              nvinfer1::OptProfileSelector select) const;

    std::shared_ptr<runtime::Engine> engine_;
    nvinfer1::IGpuAllocator* allocator_;
    Reporter reporter_;
    std::vector<int32_t> shapeInputs_; ///< sorted input numbers of the shape inputs
    RefitNames refitNames_;
    DynamicRanges dynamicRanges_;
    std::map<plan::TensorRecord const*, std::string> formatWords_; ///< of inputs and outputs
    std::shared_ptr<LiveContexts> contexts_ = std::make_shared<LiveContexts>();
    mutable std::mutex narrowMutex_;
    /// Arrays that getProfileTensorValues() returned, by tensor and by 3 * profile + selector.
    mutable std::map<std::pair<std::string, int32_t>, std::vector<int32_t>> narrow_;
};

/// Tensor index of an input or output. Throws kInvalidArgument, listing all names, for other names.
plan::TensorId ioIndexOf(runtime::Engine const& engine, char const* name);

} // namespace kiln::api
