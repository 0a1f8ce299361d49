// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <NvInfer.h>

#include "api/builder_config.h"
#include "api/calibration.h"
#include "api/global_logger.h"
#include "api/network.h"
#include "api/optimization_profile.h"
#include "api/plugin_registry.h"
#include "target/device_choice.h"

namespace kiln::api {

/// IBuilder: creates networks, configurations and profiles, and builds engines.
class Builder final : public nvinfer1::IBuilder {
public:
    explicit Builder(nvinfer1::ILogger& logger);

    int32_t getMaxDLABatchSize() const noexcept override { return 0; }
    int32_t getNbDLACores() const noexcept override { return 0; }
    void setGpuAllocator(nvinfer1::IGpuAllocator* allocator) noexcept override;
    nvinfer1::IBuilderConfig* createBuilderConfig() noexcept override;
    nvinfer1::INetworkDefinition* createNetworkV2(
        nvinfer1::NetworkDefinitionCreationFlags flags) noexcept override;
    nvinfer1::IOptimizationProfile* createOptimizationProfile() noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override;
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override;
    void reset() noexcept override;
    nvinfer1::IHostMemory* buildSerializedNetwork(
        nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config) noexcept override;
    bool buildSerializedNetworkToStream(nvinfer1::INetworkDefinition& network,
                                        nvinfer1::IBuilderConfig& config,
                                        nvinfer1::IStreamWriter& writer) noexcept override;
    nvinfer1::IHostMemory* buildSerializedNetwork(
        nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config,
        nvinfer1::IHostMemory*& kernelText) noexcept override;
    nvinfer1::ICudaEngine* buildEngineWithConfig(
        nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config) noexcept override;
    bool isNetworkSupported(nvinfer1::INetworkDefinition const& network,
                            nvinfer1::IBuilderConfig const& config) const noexcept override;
    nvinfer1::ILogger* getLogger() const noexcept override { return reporter_.log().logger(); }
    bool setMaxThreads(int32_t maxThreads) noexcept override;
    int32_t getMaxThreads() const noexcept override { return maxThreads_; }
    nvinfer1::IPluginRegistry& getPluginRegistry() noexcept override;
    bool platformHasFastFp16() const noexcept override;
    bool platformHasFastInt8() const noexcept override;
    bool platformHasTf32() const noexcept override;

private:
    Bytes compile(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config) const;
    /// Largest magnitudes of tensors, from the calibrator of the settings.
    Magnitudes calibrated(nvinfer1::INetworkDefinition& network, ConfigSettings const& settings,
                          compiler::Options const& options) const;
    nvinfer1::ICudaEngine* openPlan(Bytes const& plan) const;

    Reporter reporter_;
    LoggerLease lease_;
    PluginRegistry registry_;
    target::DeviceChoice devices_;
    nvinfer1::IGpuAllocator* allocator_ = nullptr;
    int32_t maxThreads_ = 1;
    std::vector<std::shared_ptr<OptimizationProfile>> profiles_; ///< kept until destruction
};

} // namespace kiln::api
