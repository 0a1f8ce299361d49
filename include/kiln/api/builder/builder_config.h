// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/builder/algorithm_selector.h"
#include "kiln/api/builder/builder_flag.h"
#include "kiln/api/builder/hardware_compatibility_level.h"
#include "kiln/api/builder/memory_pool_type.h"
#include "kiln/api/builder/preview_feature.h"
#include "kiln/api/builder/progress_monitor.h"
#include "kiln/api/builder/quantization.h"
#include "kiln/api/builder/runtime_platform.h"
#include "kiln/api/builder/tiling_optimization_level.h"
#include "kiln/api/builder/timing_cache.h"
#include "kiln/api/network/layer.h"

namespace nvinfer1 {

class IBuilderConfig : public INoCopy {
public:
    ~IBuilderConfig() noexcept override = default;

    virtual void setAvgTimingIterations(int32_t avgTiming) noexcept = 0;
    virtual int32_t getAvgTimingIterations() const noexcept = 0;
    virtual void setEngineCapability(EngineCapability capability) noexcept = 0;
    virtual EngineCapability getEngineCapability() const noexcept = 0;
    virtual void setFlags(BuilderFlags builderFlags) noexcept = 0;
    virtual BuilderFlags getFlags() const noexcept = 0;
    virtual void clearFlag(BuilderFlag builderFlag) noexcept = 0;
    virtual void setFlag(BuilderFlag builderFlag) noexcept = 0;
    virtual bool getFlag(BuilderFlag builderFlag) const noexcept = 0;
    virtual void setDeviceType(const ILayer* layer, DeviceType deviceType) noexcept = 0;
    virtual DeviceType getDeviceType(const ILayer* layer) const noexcept = 0;
    virtual bool isDeviceTypeSet(const ILayer* layer) const noexcept = 0;
    virtual void resetDeviceType(const ILayer* layer) noexcept = 0;
    virtual bool canRunOnDLA(const ILayer* layer) const noexcept = 0;
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;
    virtual int32_t getDLACore() const noexcept = 0;
    virtual void setDefaultDeviceType(DeviceType deviceType) noexcept = 0;
    virtual DeviceType getDefaultDeviceType() const noexcept = 0;
    virtual void reset() noexcept = 0;
    virtual void setProfileStream(const cudaStream_t stream) noexcept = 0;
    virtual cudaStream_t getProfileStream() const noexcept = 0;
    virtual int32_t addOptimizationProfile(const IOptimizationProfile* profile) noexcept = 0;
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;
    virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;
    virtual bool setTacticSources(TacticSources tacticSources) noexcept = 0;
    virtual TacticSources getTacticSources() const noexcept = 0;
    virtual ITimingCache* createTimingCache(const void* blob, std::size_t size) const noexcept = 0;
    virtual bool setTimingCache(const ITimingCache& cache, bool ignoreMismatch) noexcept = 0;
    virtual const ITimingCache* getTimingCache() const noexcept = 0;
    virtual void setMemoryPoolLimit(MemoryPoolType pool, std::size_t poolSize) noexcept = 0;
    virtual std::size_t getMemoryPoolLimit(MemoryPoolType pool) const noexcept = 0;
    virtual void setPreviewFeature(PreviewFeature feature, bool enable) noexcept = 0;
    virtual bool getPreviewFeature(PreviewFeature feature) const noexcept = 0;
    virtual void setBuilderOptimizationLevel(int32_t level) noexcept = 0;
    virtual int32_t getBuilderOptimizationLevel() noexcept = 0;
    virtual void setHardwareCompatibilityLevel(HardwareCompatibilityLevel hardwareCompatibilityLevel) noexcept = 0;
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;
    virtual void setPluginsToSerialize(const char* const* paths, int32_t nbPaths) noexcept = 0;
    virtual const char* getPluginToSerialize(int32_t index) const noexcept = 0;
    virtual int32_t getNbPluginsToSerialize() const noexcept = 0;
    virtual bool setMaxAuxStreams(int32_t nbStreams) noexcept = 0;
    virtual int32_t getMaxAuxStreams() const noexcept = 0;
    virtual void setProgressMonitor(IProgressMonitor* monitor) noexcept = 0;
    virtual IProgressMonitor* getProgressMonitor() const noexcept = 0;
    virtual void setRuntimePlatform(RuntimePlatform runtimePlatform) noexcept = 0;
    virtual RuntimePlatform getRuntimePlatform() const noexcept = 0;
    virtual void setMaxNbTactics(int32_t maxNbTactics) noexcept = 0;
    virtual int32_t getMaxNbTactics() const noexcept = 0;
    virtual bool setTilingOptimizationLevel(TilingOptimizationLevel level) noexcept = 0;
    virtual TilingOptimizationLevel getTilingOptimizationLevel() const noexcept = 0;
    virtual bool setL2LimitForTiling(int64_t size) noexcept = 0;
    virtual int64_t getL2LimitForTiling() const noexcept = 0;
    virtual bool setRemoteAutoTuningConfig(const char* config) noexcept = 0;
    virtual const char* getRemoteAutoTuningConfig() const noexcept = 0;
    virtual bool setBuildRoute(const char* buildRoute) noexcept = 0;
    virtual const char* getBuildRoute() const noexcept = 0;
    virtual const char* getAllBuildRoutes() const noexcept = 0;
    TRT_DEPRECATED virtual void setInt8Calibrator(IInt8Calibrator* calibrator) noexcept = 0;
    TRT_DEPRECATED virtual IInt8Calibrator* getInt8Calibrator() const noexcept = 0;
    TRT_DEPRECATED virtual void setAlgorithmSelector(IAlgorithmSelector* selector) noexcept = 0;
    TRT_DEPRECATED virtual IAlgorithmSelector* getAlgorithmSelector() const noexcept = 0;
    TRT_DEPRECATED virtual bool setCalibrationProfile(const IOptimizationProfile* profile) noexcept = 0;
    TRT_DEPRECATED virtual const IOptimizationProfile* getCalibrationProfile() noexcept = 0;
    TRT_DEPRECATED virtual void setQuantizationFlags(QuantizationFlags flags) noexcept = 0;
    TRT_DEPRECATED virtual QuantizationFlags getQuantizationFlags() const noexcept = 0;
    TRT_DEPRECATED virtual void clearQuantizationFlag(QuantizationFlag flag) noexcept = 0;
    TRT_DEPRECATED virtual void setQuantizationFlag(QuantizationFlag flag) noexcept = 0;
    TRT_DEPRECATED virtual bool getQuantizationFlag(QuantizationFlag flag) const noexcept = 0;
};

} // namespace nvinfer1
