// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ENGINE_H
#define KILN_API_ENGINE_H

#include "kiln/api/data_type.h"
#include "kiln/api/dims.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/engine_inspector.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/execution_context.h"
#include "kiln/api/host_memory.h"
#include "kiln/api/optimization_profile.h"
#include "kiln/api/runtime_config.h"
#include "kiln/api/serialization_config.h"
#include "kiln/api/tensor_enums.h"
#include "kiln/api/tensor_format.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

enum class HardwareCompatibilityLevel : int32_t;

class ICudaEngine : public INoCopy
{
public:
    virtual Dims getTensorShape(char const* tensorName) const noexcept = 0;
    virtual DataType getTensorDataType(char const* tensorName) const noexcept = 0;
    virtual int32_t getNbLayers() const noexcept = 0;
    virtual IHostMemory* serialize() const noexcept = 0;
    virtual IExecutionContext* createExecutionContext(
        ExecutionContextAllocationStrategy strategy = ExecutionContextAllocationStrategy::kSTATIC) noexcept = 0;
    virtual TensorLocation getTensorLocation(char const* tensorName) const noexcept = 0;
    virtual bool isShapeInferenceIO(char const* tensorName) const noexcept = 0;
    virtual TensorIOMode getTensorIOMode(char const* tensorName) const noexcept = 0;
    virtual char const* getAliasedInputTensor(char const* tensorName) const noexcept = 0;
    virtual IExecutionContext* createExecutionContext(IRuntimeConfig* runtimeConfig) noexcept = 0;
    virtual IRuntimeConfig* createRuntimeConfig() noexcept = 0;
    virtual int64_t getDeviceMemorySizeV2() const noexcept = 0;
    virtual int64_t getDeviceMemorySizeForProfileV2(int32_t profileIndex) const noexcept = 0;
    virtual bool isRefittable() const noexcept = 0;
    virtual int32_t getTensorBytesPerComponent(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorBytesPerComponent(char const* tensorName,
        int32_t profileIndex) const noexcept = 0;
    virtual int32_t getTensorComponentsPerElement(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorComponentsPerElement(char const* tensorName,
        int32_t profileIndex) const noexcept = 0;
    virtual TensorFormat getTensorFormat(char const* tensorName) const noexcept = 0;
    virtual TensorFormat getTensorFormat(char const* tensorName,
        int32_t profileIndex) const noexcept = 0;
    virtual char const* getTensorFormatDesc(char const* tensorName) const noexcept = 0;
    virtual char const* getTensorFormatDesc(char const* tensorName,
        int32_t profileIndex) const noexcept = 0;
    virtual int32_t getTensorVectorizedDim(char const* tensorName) const noexcept = 0;
    virtual int32_t getTensorVectorizedDim(char const* tensorName,
        int32_t profileIndex) const noexcept = 0;
    virtual char const* getName() const noexcept = 0;
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    virtual Dims getProfileShape(char const* tensorName, int32_t profileIndex,
        OptProfileSelector select) const noexcept = 0;
    virtual EngineCapability getEngineCapability() const noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual TacticSources getTacticSources() const noexcept = 0;
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;
    virtual IEngineInspector* createEngineInspector() const noexcept = 0;
    virtual int32_t getNbIOTensors() const noexcept = 0;
    virtual char const* getIOTensorName(int32_t index) const noexcept = 0;
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;
    virtual int32_t getNbAuxStreams() const noexcept = 0;
    virtual ISerializationConfig* createSerializationConfig() noexcept = 0;
    virtual IHostMemory* serializeWithConfig(ISerializationConfig& config) const noexcept = 0;
    virtual int64_t getStreamableWeightsSize() const noexcept = 0;
    virtual bool setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept = 0;
    virtual int64_t getWeightStreamingBudgetV2() const noexcept = 0;
    virtual int64_t getWeightStreamingAutomaticBudget() const noexcept = 0;
    virtual int64_t getWeightStreamingScratchMemorySize() const noexcept = 0;
    virtual bool isDebugTensor(char const* name) const noexcept = 0;
    virtual int64_t const* getProfileTensorValuesV2(char const* tensorName, int32_t profileIndex,
        OptProfileSelector select) const noexcept = 0;
    virtual int64_t getEngineStat(EngineStat stat) const noexcept = 0;
    ~ICudaEngine() noexcept override = default;
    TRT_DEPRECATED virtual IExecutionContext* createExecutionContextWithoutDeviceMemory(
        ) noexcept = 0;
    TRT_DEPRECATED virtual size_t getDeviceMemorySize() const noexcept = 0;
    TRT_DEPRECATED virtual size_t getDeviceMemorySizeForProfile(
        int32_t profileIndex) const noexcept = 0;
    TRT_DEPRECATED virtual int32_t const* getProfileTensorValues(char const* tensorName,
        int32_t profileIndex, OptProfileSelector select) const noexcept = 0;
    TRT_DEPRECATED virtual bool hasImplicitBatchDimension() const noexcept = 0;
    TRT_DEPRECATED virtual bool setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept = 0;
    TRT_DEPRECATED virtual int64_t getWeightStreamingBudget() const noexcept = 0;
    TRT_DEPRECATED virtual int64_t getMinimumWeightStreamingBudget() const noexcept = 0;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ENGINE_H
