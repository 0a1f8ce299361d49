// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/builder/builder_config.h"
#include "kiln/api/network/network_definition.h"

extern "C" TENSORRTAPI void* createInferBuilder_INTERNAL(void* logger, int32_t version) noexcept;

namespace nvinfer1 {

class IBuilder : public INoCopy {
public:
    ~IBuilder() noexcept override = default;

    virtual int32_t getMaxDLABatchSize() const noexcept = 0;
    virtual int32_t getNbDLACores() const noexcept = 0;
    virtual void setGpuAllocator(IGpuAllocator* allocator) noexcept = 0;
    virtual IBuilderConfig* createBuilderConfig() noexcept = 0;
    virtual INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept = 0;
    virtual IOptimizationProfile* createOptimizationProfile() noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    virtual void reset() noexcept = 0;
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network,
        IBuilderConfig& config) noexcept = 0;
    virtual bool buildSerializedNetworkToStream(INetworkDefinition& network, IBuilderConfig& config,
        IStreamWriter& writer) noexcept = 0;
    virtual IHostMemory* buildSerializedNetwork(INetworkDefinition& network, IBuilderConfig& config,
        IHostMemory*& kernelText) noexcept = 0;
    virtual ICudaEngine* buildEngineWithConfig(INetworkDefinition& network,
        IBuilderConfig& config) noexcept = 0;
    virtual bool isNetworkSupported(const INetworkDefinition& network,
        const IBuilderConfig& config) const noexcept = 0;
    virtual ILogger* getLogger() const noexcept = 0;
    virtual bool setMaxThreads(int32_t maxThreads) noexcept = 0;
    virtual int32_t getMaxThreads() const noexcept = 0;
    virtual IPluginRegistry& getPluginRegistry() noexcept = 0;
    TRT_DEPRECATED virtual bool platformHasFastFp16() const noexcept = 0;
    TRT_DEPRECATED virtual bool platformHasFastInt8() const noexcept = 0;
    TRT_DEPRECATED virtual bool platformHasTf32() const noexcept = 0;
};

namespace safe {
class IPluginRegistry;
}

extern "C" TENSORRTAPI IPluginRegistry* getBuilderPluginRegistry(
        EngineCapability capability) noexcept;
extern "C" TENSORRTAPI TRT_DEPRECATED safe::IPluginRegistry* getBuilderSafePluginRegistry(
        EngineCapability capability) noexcept;
extern "C" TENSORRTAPI bool setInternalLibraryPath(const AsciiChar* path) noexcept;

inline IBuilder* createInferBuilder(ILogger& logger) noexcept {
    return static_cast<IBuilder*>(createInferBuilder_INTERNAL(&logger, NV_TENSORRT_VERSION));
}

} // namespace nvinfer1
