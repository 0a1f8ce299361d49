// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include <NvInfer.h>

#include "api/optimization_profile.h"
#include "api/python_source.h"
#include "api/reporter.h"
#include "api/timing_cache.h"

namespace kiln::api {

/// IBuilderConfig: plain settings. What Kiln has no use for yet is kept and given back only where
/// ignoring it cannot change a result; everything else refuses by name.
class BuilderConfig final : public nvinfer1::IBuilderConfig {
public:
    explicit BuilderConfig(Log log);

    std::vector<OptimizationProfile const*> const& profiles() const noexcept { return profiles_; }
    bool addSource(PythonSource const& source) noexcept;
    std::vector<OwnedSource> const& sources() const noexcept { return sources_; }

    void setAvgTimingIterations(int32_t avgTiming) noexcept override;
    int32_t getAvgTimingIterations() const noexcept override { return timingIterations_; }
    void setEngineCapability(nvinfer1::EngineCapability capability) noexcept override;
    nvinfer1::EngineCapability getEngineCapability() const noexcept override;
    void setFlags(nvinfer1::BuilderFlags builderFlags) noexcept override;
    nvinfer1::BuilderFlags getFlags() const noexcept override { return flags_; }
    void clearFlag(nvinfer1::BuilderFlag builderFlag) noexcept override;
    void setFlag(nvinfer1::BuilderFlag builderFlag) noexcept override;
    bool getFlag(nvinfer1::BuilderFlag builderFlag) const noexcept override;
    void setDeviceType(nvinfer1::ILayer const* layer,
                       nvinfer1::DeviceType deviceType) noexcept override;
    nvinfer1::DeviceType getDeviceType(nvinfer1::ILayer const* layer) const noexcept override;
    bool isDeviceTypeSet(nvinfer1::ILayer const*) const noexcept override { return false; }
    void resetDeviceType(nvinfer1::ILayer const*) noexcept override {}
    bool canRunOnDLA(nvinfer1::ILayer const*) const noexcept override { return false; }
    void setDLACore(int32_t dlaCore) noexcept override;
    int32_t getDLACore() const noexcept override { return -1; }
    void setDefaultDeviceType(nvinfer1::DeviceType deviceType) noexcept override;
    nvinfer1::DeviceType getDefaultDeviceType() const noexcept override;
    void reset() noexcept override;
    void setProfileStream(cudaStream_t stream) noexcept override { stream_ = stream; }
    cudaStream_t getProfileStream() const noexcept override { return stream_; }
    int32_t addOptimizationProfile(nvinfer1::IOptimizationProfile const* profile) noexcept override;
    int32_t getNbOptimizationProfiles() const noexcept override;
    void setProfilingVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept override;
    nvinfer1::ProfilingVerbosity getProfilingVerbosity() const noexcept override;
    bool setTacticSources(nvinfer1::TacticSources tacticSources) noexcept override;
    nvinfer1::TacticSources getTacticSources() const noexcept override { return tacticSources_; }
    nvinfer1::ITimingCache* createTimingCache(void const* blob,
                                              std::size_t size) const noexcept override;
    bool setTimingCache(nvinfer1::ITimingCache const& cache, bool ignoreMismatch) noexcept override;
    nvinfer1::ITimingCache const* getTimingCache() const noexcept override;
    /// The cache that builds read and write; null if none was set.
    compiler::TimingCache* timingCache() const noexcept;
    void setMemoryPoolLimit(nvinfer1::MemoryPoolType pool, std::size_t poolSize) noexcept override;
    /// What a plugin may ask for; SIZE_MAX, unless a limit was set: contexts see what they get.
    std::size_t workspaceLimit() const noexcept {
        return poolLimits_[static_cast<std::size_t>(nvinfer1::MemoryPoolType::kWORKSPACE)];
    }
    std::size_t getMemoryPoolLimit(nvinfer1::MemoryPoolType pool) const noexcept override;
    void setPreviewFeature(nvinfer1::PreviewFeature feature, bool enable) noexcept override;
    bool getPreviewFeature(nvinfer1::PreviewFeature feature) const noexcept override;
    void setBuilderOptimizationLevel(int32_t level) noexcept override;
    int32_t getBuilderOptimizationLevel() noexcept override { return optimizationLevel_; }
    void setHardwareCompatibilityLevel(
        nvinfer1::HardwareCompatibilityLevel hardwareCompatibilityLevel) noexcept override;
    nvinfer1::HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override;
    void setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept override;
    char const* getPluginToSerialize(int32_t index) const noexcept override;
    int32_t getNbPluginsToSerialize() const noexcept override {
        return static_cast<int32_t>(pluginsToSerialize_.size());
    }
    bool setMaxAuxStreams(int32_t nbStreams) noexcept override;
    int32_t getMaxAuxStreams() const noexcept override { return maxAuxStreams_; }
    void setProgressMonitor(nvinfer1::IProgressMonitor* monitor) noexcept override;
    nvinfer1::IProgressMonitor* getProgressMonitor() const noexcept override { return progress_; }
    void setRuntimePlatform(nvinfer1::RuntimePlatform runtimePlatform) noexcept override;
    nvinfer1::RuntimePlatform getRuntimePlatform() const noexcept override;
    void setMaxNbTactics(int32_t maxNbTactics) noexcept override { maxTactics_ = maxNbTactics; }
    int32_t getMaxNbTactics() const noexcept override { return maxTactics_; }
    bool setTilingOptimizationLevel(nvinfer1::TilingOptimizationLevel level) noexcept override;
    nvinfer1::TilingOptimizationLevel getTilingOptimizationLevel() const noexcept override;
    bool setL2LimitForTiling(int64_t size) noexcept override;
    int64_t getL2LimitForTiling() const noexcept override { return -1; }
    bool setRemoteAutoTuningConfig(char const* config) noexcept override;
    char const* getRemoteAutoTuningConfig() const noexcept override { return ""; }
    bool setBuildRoute(char const* buildRoute) noexcept override;
    char const* getBuildRoute() const noexcept override { return ""; }
    char const* getAllBuildRoutes() const noexcept override { return ""; }
    void setInt8Calibrator(nvinfer1::IInt8Calibrator* calibrator) noexcept override;
    nvinfer1::IInt8Calibrator* getInt8Calibrator() const noexcept override { return nullptr; }
    void setAlgorithmSelector(nvinfer1::IAlgorithmSelector* selector) noexcept override;
    nvinfer1::IAlgorithmSelector* getAlgorithmSelector() const noexcept override { return nullptr; }
    bool setCalibrationProfile(nvinfer1::IOptimizationProfile const* profile) noexcept override;
    nvinfer1::IOptimizationProfile const* getCalibrationProfile() noexcept override {
        return nullptr;
    }
    void setQuantizationFlags(nvinfer1::QuantizationFlags flags) noexcept override;
    nvinfer1::QuantizationFlags getQuantizationFlags() const noexcept override { return 0; }
    void clearQuantizationFlag(nvinfer1::QuantizationFlag) noexcept override {}
    void setQuantizationFlag(nvinfer1::QuantizationFlag flag) noexcept override;
    bool getQuantizationFlag(nvinfer1::QuantizationFlag) const noexcept override { return false; }

    std::vector<std::string> const& pluginsToSerialize() const noexcept {
        return pluginsToSerialize_;
    }

private:
    Reporter reporter_;
    std::vector<OptimizationProfile const*> profiles_;
    std::vector<std::string> pluginsToSerialize_; ///< paths
    std::vector<OwnedSource> sources_;
    nvinfer1::BuilderFlags flags_ = 0;
    uint32_t previewFeatures_ = 0;
    TimingCache const* timingCache_ = nullptr; ///< the caller's
    nvinfer1::IProgressMonitor* progress_ = nullptr;
    int32_t timingIterations_ = 1;
    int32_t optimizationLevel_ = 3;
    int32_t maxAuxStreams_ = -1;
    int32_t maxTactics_ = -1;
    nvinfer1::TacticSources tacticSources_ = 0;
    nvinfer1::ProfilingVerbosity verbosity_ = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    cudaStream_t stream_ = nullptr;
    std::array<std::size_t, nvinfer1::EnumMax<nvinfer1::MemoryPoolType>()> poolLimits_{};
};

} // namespace kiln::api
