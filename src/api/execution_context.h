// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <NvInferRuntime.h>

#include "api/live_contexts.h"
#include "api/reporter.h"
#include "runtime/context.h"

namespace kiln::api {

/// IExecutionContext over a runtime context. Shares ownership of the runtime engine, so either
/// object may be destroyed first.
class ExecutionContext final : public nvinfer1::IExecutionContext {
public:
    ExecutionContext(nvinfer1::ICudaEngine const& owner,
                     std::shared_ptr<runtime::Engine const> engine,
                     std::shared_ptr<LiveContexts> contexts, nvinfer1::IGpuAllocator* allocator,
                     nvinfer1::IErrorRecorder* recorder,
                     nvinfer1::ExecutionContextAllocationStrategy strategy);
    ~ExecutionContext() noexcept override;

    bool callsPythonAlone() const noexcept { return context_.callsPythonAlone(); }

    void setDebugSync(bool sync) noexcept override {
        debugSync_ = sync;
        context_.watch([&](runtime::Watchers& watchers) { watchers.setSync(sync); });
    }
    bool getDebugSync() const noexcept override { return debugSync_; }
    void setProfiler(nvinfer1::IProfiler* profiler) noexcept override;
    nvinfer1::IProfiler* getProfiler() const noexcept override;
    nvinfer1::ICudaEngine const& getEngine() const noexcept override { return owner_; }
    void setName(char const* name) noexcept override;
    char const* getName() const noexcept override { return name_.c_str(); }
    void setDeviceMemory(void* memory) noexcept override;
    void setDeviceMemoryV2(void* memory, int64_t size) noexcept override;
    nvinfer1::Dims getTensorStrides(char const* tensorName) const noexcept override;
    int32_t getOptimizationProfile() const noexcept override { return context_.shapes().profile(); }
    bool setInputShape(char const* tensorName, nvinfer1::Dims const& dims) noexcept override;
    nvinfer1::Dims getTensorShape(char const* tensorName) const noexcept override;
    nvinfer1::Dims foundShape(char const* tensorName) noexcept; ///< kiln::foundShape()
    bool allInputDimensionsSpecified() const noexcept override {
        return context_.shapes().inputsKnown();
    }
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    bool executeV2(void* const* bindings) noexcept override;
    bool setOptimizationProfileAsync(int32_t profileIndex, cudaStream_t stream) noexcept override;
    void setEnqueueEmitsProfile(bool enqueueEmitsProfile) noexcept override;
    bool getEnqueueEmitsProfile() const noexcept override;
    bool reportToProfiler() const noexcept override;
    bool setTensorAddress(char const* tensorName, void* data) noexcept override;
    void const* getTensorAddress(char const* tensorName) const noexcept override;
    bool setOutputTensorAddress(char const* tensorName, void* data) noexcept override;
    bool setInputTensorAddress(char const* tensorName, void const* data) noexcept override;
    void* getOutputTensorAddress(char const* tensorName) const noexcept override;
    int32_t inferShapes(int32_t nbMaxNames, char const** tensorNames) noexcept override;
    std::size_t updateDeviceMemorySizeForShapes() noexcept override;
    bool setInputConsumedEvent(cudaEvent_t event) noexcept override;
    cudaEvent_t getInputConsumedEvent() const noexcept override { return consumed_; }
    bool setOutputAllocator(char const* tensorName,
                            nvinfer1::IOutputAllocator* outputAllocator) noexcept override;
    nvinfer1::IOutputAllocator* getOutputAllocator(char const* tensorName) const noexcept override;
    int64_t getMaxOutputSize(char const* tensorName) const noexcept override;
    bool setTemporaryStorageAllocator(nvinfer1::IGpuAllocator* allocator) noexcept override;
    nvinfer1::IGpuAllocator* getTemporaryStorageAllocator() const noexcept override {
        return temporary_;
    }
    bool enqueueV3(cudaStream_t stream) noexcept override;
    void setPersistentCacheLimit(std::size_t size) noexcept override { cacheLimit_ = size; }
    std::size_t getPersistentCacheLimit() const noexcept override { return cacheLimit_; }
    bool setNvtxVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept override;
    nvinfer1::ProfilingVerbosity getNvtxVerbosity() const noexcept override;
    void setAuxStreams(cudaStream_t*, int32_t) noexcept override {} // auxiliary streams are unused
    bool setDebugListener(nvinfer1::IDebugListener* listener) noexcept override;
    nvinfer1::IDebugListener* getDebugListener() noexcept override;
    bool setTensorDebugState(char const* name, bool flag) noexcept override;
    bool getDebugState(char const* name) const noexcept override;
    nvinfer1::IRuntimeConfig* getRuntimeConfig() const noexcept override;
    bool setAllTensorsDebugState(bool flag) noexcept override;
    bool setUnfusedTensorsDebugState(bool flag) noexcept override;
    bool getUnfusedTensorsDebugState() const noexcept override { return unfusedDebug_; }
    bool setCommunicator(void* communicator) noexcept override;
    bool allInputShapesSpecified() const noexcept override;

    /// For the inspector, which shows the current dimensions.
    runtime::Context const& core() const noexcept { return context_; }

private:
    void run(cudaStream_t stream);
    bool bind(char const* tensorName, void* data, int32_t wantedRole) noexcept;
    plan::TensorId index(char const* tensorName) const;
    plan::TensorRecord const& record(plan::TensorId index) const;

    nvinfer1::ICudaEngine const& owner_;
    Reporter reporter_;
    std::optional<plugin::LateReports> leaving_; ///< active while the members below are destroyed
    std::shared_ptr<runtime::Engine const> engine_;
    mutable runtime::Context context_; ///< reportToProfiler() is const in the API
    LiveContexts::Entry entry_;
    std::string name_;
    nvinfer1::ExecutionContextAllocationStrategy strategy_;
    cudaEvent_t consumed_ = nullptr;
    nvinfer1::IGpuAllocator* temporary_ = nullptr;
    std::size_t cacheLimit_ = 0;
    nvinfer1::ProfilingVerbosity nvtxVerbosity_ = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    void* communicator_ = nullptr; ///< an ncclComm_t of the user's
    bool debugSync_ = false;
    bool unfusedDebug_ = false;
};

} // namespace kiln::api
