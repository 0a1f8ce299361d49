// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <NvInfer.h>

#include "api/optimization_profile.h"
#include "api/python_source.h"
#include "api/reporter.h"
#include "api/timing_cache.h"

namespace kiln::api {

/// The settings of an IBuilderConfig, as they were set.
struct ConfigSettings {
    ConfigSettings() { poolLimits.fill(kNoLimit); }

    static constexpr std::size_t kNoLimit = SIZE_MAX; ///< the pool's limit is not set

    // The API's default: the sources that need no other library.
    static constexpr nvinfer1::TacticSources kDefaultSources =
        1U << static_cast<uint32_t>(nvinfer1::TacticSource::kEDGE_MASK_CONVOLUTIONS) |
        1U << static_cast<uint32_t>(nvinfer1::TacticSource::kJIT_CONVOLUTIONS);

    std::vector<std::shared_ptr<OptimizationProfile const>> profiles;
    std::vector<std::string> pluginsToSerialize; ///< paths
    std::vector<OwnedSource> sources;
    nvinfer1::BuilderFlags flags = 1U << static_cast<uint32_t>(nvinfer1::BuilderFlag::kTF32);
    uint32_t previewFeatures =
        1U << static_cast<uint32_t>(nvinfer1::PreviewFeature::kPROFILE_SHARING_0806);
    nvinfer1::QuantizationFlags quantizationFlags = 0;
    nvinfer1::TacticSources tacticSources = kDefaultSources;
    TimingCache const* timingCache = nullptr; ///< the caller owns this and the next three
    nvinfer1::IProgressMonitor* progress = nullptr;
    nvinfer1::IInt8Calibrator* calibrator = nullptr;
    nvinfer1::IAlgorithmSelector* selector = nullptr;
    std::shared_ptr<OptimizationProfile const> calibrationProfile;
    int32_t timingIterations = 1;
    int32_t optimizationLevel = 3;
    int32_t maxAuxStreams = -1;
    int32_t maxTactics = -1;
    nvinfer1::TilingOptimizationLevel tiling = nvinfer1::TilingOptimizationLevel::kNONE;
    int64_t l2LimitForTiling = -1;
    nvinfer1::ProfilingVerbosity verbosity = nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    nvinfer1::EngineCapability capability = nvinfer1::EngineCapability::kSTANDARD;
    nvinfer1::HardwareCompatibilityLevel compatibility =
        nvinfer1::HardwareCompatibilityLevel::kNONE;
    nvinfer1::RuntimePlatform platform = nvinfer1::RuntimePlatform::kSAME_AS_BUILD;
    nvinfer1::DeviceType defaultDevice = nvinfer1::DeviceType::kGPU;
    std::map<nvinfer1::ILayer const*, nvinfer1::DeviceType> devices; ///< from setDeviceType()
    int32_t dlaCore = -1;
    cudaStream_t stream = nullptr;
    std::string remoteAutoTuning;
    std::string buildRoute;
    std::array<std::size_t, nvinfer1::EnumMax<nvinfer1::MemoryPoolType>()> poolLimits{};
};

/// IBuilderConfig. Setters check ranges and store values, getters return them. checkConfig()
/// decides at the build which of them Kiln supports.
class BuilderConfig final : public nvinfer1::IBuilderConfig {
public:
    explicit BuilderConfig(Log log) : reporter_(log) {}

    ConfigSettings const& settings() const noexcept { return settings_; }
    bool addSource(PythonSource const& source) noexcept;

    void setAvgTimingIterations(int32_t avgTiming) noexcept override;
    int32_t getAvgTimingIterations() const noexcept override { return settings_.timingIterations; }
    void setEngineCapability(nvinfer1::EngineCapability capability) noexcept override;
    nvinfer1::EngineCapability getEngineCapability() const noexcept override {
        return settings_.capability;
    }
    void setFlags(nvinfer1::BuilderFlags builderFlags) noexcept override;
    nvinfer1::BuilderFlags getFlags() const noexcept override { return settings_.flags; }
    void clearFlag(nvinfer1::BuilderFlag builderFlag) noexcept override;
    void setFlag(nvinfer1::BuilderFlag builderFlag) noexcept override;
    bool getFlag(nvinfer1::BuilderFlag builderFlag) const noexcept override;
    void setDeviceType(nvinfer1::ILayer const* layer,
                       nvinfer1::DeviceType deviceType) noexcept override;
    nvinfer1::DeviceType getDeviceType(nvinfer1::ILayer const* layer) const noexcept override;
    bool isDeviceTypeSet(nvinfer1::ILayer const* layer) const noexcept override;
    void resetDeviceType(nvinfer1::ILayer const* layer) noexcept override;
    bool canRunOnDLA(nvinfer1::ILayer const*) const noexcept override { return false; }
    void setDLACore(int32_t dlaCore) noexcept override { settings_.dlaCore = dlaCore; }
    int32_t getDLACore() const noexcept override { return settings_.dlaCore; }
    void setDefaultDeviceType(nvinfer1::DeviceType deviceType) noexcept override;
    nvinfer1::DeviceType getDefaultDeviceType() const noexcept override {
        return settings_.defaultDevice;
    }
    void reset() noexcept override;
    void setProfileStream(cudaStream_t stream) noexcept override { settings_.stream = stream; }
    cudaStream_t getProfileStream() const noexcept override { return settings_.stream; }
    int32_t addOptimizationProfile(nvinfer1::IOptimizationProfile const* profile) noexcept override;
    int32_t getNbOptimizationProfiles() const noexcept override;
    void setProfilingVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept override;
    nvinfer1::ProfilingVerbosity getProfilingVerbosity() const noexcept override {
        return settings_.verbosity;
    }
    bool setTacticSources(nvinfer1::TacticSources tacticSources) noexcept override;
    nvinfer1::TacticSources getTacticSources() const noexcept override {
        return settings_.tacticSources;
    }
    nvinfer1::ITimingCache* createTimingCache(void const* blob,
                                              std::size_t size) const noexcept override;
    bool setTimingCache(nvinfer1::ITimingCache const& cache, bool ignoreMismatch) noexcept override;
    nvinfer1::ITimingCache const* getTimingCache() const noexcept override;
    /// The timing cache that builds read and write; null if none is set.
    compiler::TimingCache* timingCache() const noexcept;
    void setMemoryPoolLimit(nvinfer1::MemoryPoolType pool, std::size_t poolSize) noexcept override;
    /// Workspace limit of a layer in bytes; SIZE_MAX unless set, unlike in getMemoryPoolLimit().
    std::size_t workspaceLimit() const noexcept {
        return settings_.poolLimits[static_cast<std::size_t>(nvinfer1::MemoryPoolType::kWORKSPACE)];
    }
    std::size_t getMemoryPoolLimit(nvinfer1::MemoryPoolType pool) const noexcept override;
    void setPreviewFeature(nvinfer1::PreviewFeature feature, bool enable) noexcept override;
    bool getPreviewFeature(nvinfer1::PreviewFeature feature) const noexcept override;
    void setBuilderOptimizationLevel(int32_t level) noexcept override;
    int32_t getBuilderOptimizationLevel() noexcept override { return settings_.optimizationLevel; }
    void setHardwareCompatibilityLevel(
        nvinfer1::HardwareCompatibilityLevel level) noexcept override;
    nvinfer1::HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept override {
        return settings_.compatibility;
    }
    void setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept override;
    char const* getPluginToSerialize(int32_t index) const noexcept override;
    int32_t getNbPluginsToSerialize() const noexcept override {
        return static_cast<int32_t>(settings_.pluginsToSerialize.size());
    }
    bool setMaxAuxStreams(int32_t nbStreams) noexcept override;
    int32_t getMaxAuxStreams() const noexcept override { return settings_.maxAuxStreams; }
    void setProgressMonitor(nvinfer1::IProgressMonitor* monitor) noexcept override {
        settings_.progress = monitor;
    }
    nvinfer1::IProgressMonitor* getProgressMonitor() const noexcept override {
        return settings_.progress;
    }
    void setRuntimePlatform(nvinfer1::RuntimePlatform runtimePlatform) noexcept override;
    nvinfer1::RuntimePlatform getRuntimePlatform() const noexcept override {
        return settings_.platform;
    }
    void setMaxNbTactics(int32_t maxNbTactics) noexcept override {
        settings_.maxTactics = maxNbTactics;
    }
    int32_t getMaxNbTactics() const noexcept override { return settings_.maxTactics; }
    bool setTilingOptimizationLevel(nvinfer1::TilingOptimizationLevel level) noexcept override;
    nvinfer1::TilingOptimizationLevel getTilingOptimizationLevel() const noexcept override {
        return settings_.tiling;
    }
    bool setL2LimitForTiling(int64_t size) noexcept override;
    int64_t getL2LimitForTiling() const noexcept override { return settings_.l2LimitForTiling; }
    bool setRemoteAutoTuningConfig(char const* config) noexcept override;
    char const* getRemoteAutoTuningConfig() const noexcept override {
        return settings_.remoteAutoTuning.c_str();
    }
    bool setBuildRoute(char const* buildRoute) noexcept override;
    char const* getBuildRoute() const noexcept override { return settings_.buildRoute.c_str(); }
    char const* getAllBuildRoutes() const noexcept override { return ""; }
    void setInt8Calibrator(nvinfer1::IInt8Calibrator* calibrator) noexcept override {
        settings_.calibrator = calibrator;
    }
    nvinfer1::IInt8Calibrator* getInt8Calibrator() const noexcept override {
        return settings_.calibrator;
    }
    void setAlgorithmSelector(nvinfer1::IAlgorithmSelector* selector) noexcept override {
        settings_.selector = selector;
    }
    nvinfer1::IAlgorithmSelector* getAlgorithmSelector() const noexcept override {
        return settings_.selector;
    }
    bool setCalibrationProfile(nvinfer1::IOptimizationProfile const* profile) noexcept override;
    nvinfer1::IOptimizationProfile const* getCalibrationProfile() noexcept override {
        return settings_.calibrationProfile.get();
    }
    void setQuantizationFlags(nvinfer1::QuantizationFlags flags) noexcept override;
    nvinfer1::QuantizationFlags getQuantizationFlags() const noexcept override {
        return settings_.quantizationFlags;
    }
    void clearQuantizationFlag(nvinfer1::QuantizationFlag flag) noexcept override;
    void setQuantizationFlag(nvinfer1::QuantizationFlag flag) noexcept override;
    bool getQuantizationFlag(nvinfer1::QuantizationFlag flag) const noexcept override;

private:
    Reporter reporter_;
    ConfigSettings settings_;
};

} // namespace kiln::api
