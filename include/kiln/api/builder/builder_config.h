// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kiln/api/builder/algorithm_selector.h"
#include "kiln/api/builder/builder_flag.h"
#include "kiln/api/builder/calibrator.h"
#include "kiln/api/builder/hardware_compatibility_level.h"
#include "kiln/api/builder/memory_pool_type.h"
#include "kiln/api/builder/preview_feature.h"
#include "kiln/api/builder/progress_monitor.h"
#include "kiln/api/builder/quantization.h"
#include "kiln/api/builder/runtime_platform.h"
#include "kiln/api/builder/tiling_optimization_level.h"
#include "kiln/api/builder/timing_cache.h"
#include "kiln/api/cuda_types.h"
#include "kiln/api/engine_enums.h"
#include "kiln/api/macros.h"
#include "kiln/api/no_copy.h"
#include "kiln/api/optimization_profile.h"

#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace nvinfer1 {

class ILayer;

//! Build settings. Created by IBuilder::createBuilderConfig().
//!
//! The caller owns the configuration and deletes it before its builder. Strings are copied. The
//! caller keeps ownership of objects passed by pointer; they must stay valid until the build ends.
//!
//! Every setting is stored and returned unchanged. A build fails, naming the settings, if Kiln does
//! not support a setting that affects results or guarantees of the engine. Unsupported settings
//! that only affect performance are listed once in the log. Invalid values, such as a number that
//! is not a member of its enumeration, are logged as errors and change nothing; functions that
//! return bool then return false. Not thread-safe.
class IBuilderConfig : public INoCopy {
public:
    ~IBuilderConfig() noexcept override = default;

    //! Restores all defaults and drops the optimization profiles.
    virtual void reset() noexcept = 0;

    //! \name Flags and features
    //!@{

    //! Replaces all flags. \param builderFlags bits 1U << int(BuilderFlag). Default: kTF32 alone.
    virtual void setFlags(BuilderFlags builderFlags) noexcept = 0;

    //! All flags as a bit mask.
    virtual BuilderFlags getFlags() const noexcept = 0;

    //! Switches a flag on.
    virtual void setFlag(BuilderFlag builderFlag) noexcept = 0;

    //! Switches a flag off.
    virtual void clearFlag(BuilderFlag builderFlag) noexcept = 0;

    //! True if a flag is set.
    virtual bool getFlag(BuilderFlag builderFlag) const noexcept = 0;

    //! Switches a preview feature on or off.
    virtual void setPreviewFeature(PreviewFeature feature, bool enable) noexcept = 0;

    //! True if a preview feature is enabled.
    virtual bool getPreviewFeature(PreviewFeature feature) const noexcept = 0;

    //!@}
    //! \name Shapes
    //!@{

    //! Adds an optimization profile: the range of each unknown extent. A network with unknown
    //! extents needs at least one.
    //! \param profile from IBuilder::createOptimizationProfile(). Not copied: the build uses its
    //! state at that time. It stays valid as long as this configuration or its builder.
    //! \return its index, starting at 0; -1, with a logged error, if it is null or invalid.
    virtual int32_t addOptimizationProfile(IOptimizationProfile const* profile) noexcept = 0;

    //! Number of profiles added.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;

    //!@}
    //! \name Effort and limits
    //!@{

    //! Trades build time for engine speed. \param level 0 (fastest build) to 5 (fastest engine);
    //! above 5 counts as 5. Default: 3. Kiln builds the same engine at all levels.
    virtual void setBuilderOptimizationLevel(int32_t level) noexcept = 0;

    //! The level that setBuilderOptimizationLevel() set.
    virtual int32_t getBuilderOptimizationLevel() noexcept = 0;

    //! Sets how many runs of a candidate are averaged. \param avgTiming 1 or more. Default: 1, with
    //! which Kiln chooses the number.
    virtual void setAvgTimingIterations(int32_t avgTiming) noexcept = 0;

    //! How many runs of a candidate are averaged.
    virtual int32_t getAvgTimingIterations() const noexcept = 0;

    //! Sets the maximum number of candidates timed for each layer; -1: the builder chooses
    //! (default).
    virtual void setMaxNbTactics(int32_t maxNbTactics) noexcept = 0;

    //! The maximum number of candidates timed for each layer.
    virtual int32_t getMaxNbTactics() const noexcept = 0;

    //! Sets the limit of a memory pool. \param poolSize bytes. Kiln applies the limit of kWORKSPACE
    //! to each layer; the others have no effect.
    virtual void setMemoryPoolLimit(MemoryPoolType pool, std::size_t poolSize) noexcept = 0;

    //! The limit of a memory pool, in bytes.
    virtual std::size_t getMemoryPoolLimit(MemoryPoolType pool) const noexcept = 0;

    //! Sets the maximum number of auxiliary streams of the engine.
    //! \param nbStreams 0 or more; -1: the builder chooses (default).
    virtual bool setMaxAuxStreams(int32_t nbStreams) noexcept = 0;

    //! The maximum number of auxiliary streams.
    virtual int32_t getMaxAuxStreams() const noexcept = 0;

    //! Sets the search effort for tilings. Default: kNONE.
    virtual bool setTilingOptimizationLevel(TilingOptimizationLevel level) noexcept = 0;

    //! The search effort for tilings.
    virtual TilingOptimizationLevel getTilingOptimizationLevel() const noexcept = 0;

    //! Sets how much L2 cache tilings may use. \param size bytes; -1: the builder chooses
    //! (default).
    virtual bool setL2LimitForTiling(int64_t size) noexcept = 0;

    //! How much L2 cache tilings may use, in bytes.
    virtual int64_t getL2LimitForTiling() const noexcept = 0;

    //! Sets which libraries may supply candidates. Without effect on Kiln's choice of candidates.
    //! \param tacticSources bits 1U << int(TacticSource). Default: kEDGE_MASK_CONVOLUTIONS and
    //! kJIT_CONVOLUTIONS. \return false for other bits.
    virtual bool setTacticSources(TacticSources tacticSources) noexcept = 0;

    //! The libraries that may supply candidates.
    virtual TacticSources getTacticSources() const noexcept = 0;

    //!@}
    //! \name Timing cache
    //!@{

    //! Creates a timing cache. \param blob bytes of ITimingCache::serialize(); null for an empty
    //! cache. \param size number of bytes; 0 for an empty cache.
    //! \return a cache that the caller owns and deletes; null if the bytes are not valid.
    virtual ITimingCache* createTimingCache(void const* blob, std::size_t size) const noexcept = 0;

    //! Sets the timing cache, which builds read and extend. It must outlive the configuration.
    //! \param ignoreMismatch accept a cache from another device. \return false for a mismatch.
    virtual bool setTimingCache(ITimingCache const& cache, bool ignoreMismatch) noexcept = 0;

    //! The cache that setTimingCache() set; null if there is none.
    virtual ITimingCache const* getTimingCache() const noexcept = 0;

    //!@}
    //! \name Target
    //!@{

    //! Sets the engine capability. Default: EngineCapability::kSTANDARD.
    virtual void setEngineCapability(EngineCapability capability) noexcept = 0;

    //! The engine capability.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    //! Sets the other devices that the engine must run on. Default: kNONE.
    virtual void setHardwareCompatibilityLevel(
        HardwareCompatibilityLevel hardwareCompatibilityLevel) noexcept = 0;

    //! The other devices that the engine must run on.
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;

    //! Sets the platform that will run the engine. Default: kSAME_AS_BUILD.
    virtual void setRuntimePlatform(RuntimePlatform runtimePlatform) noexcept = 0;

    //! The platform that will run the engine.
    virtual RuntimePlatform getRuntimePlatform() const noexcept = 0;

    //! Sets the stream on which candidates are timed. Default: null. Kiln stores it without using
    //! it: it times candidates on its own stream.
    virtual void setProfileStream(cudaStream_t const stream) noexcept = 0;

    //! The stream that setProfileStream() set.
    virtual cudaStream_t getProfileStream() const noexcept = 0;

    //! Sets the device type for one layer. Kiln does not support DLA: a build with layers on DLA
    //! fails unless BuilderFlag::kGPU_FALLBACK is set.
    virtual void setDeviceType(ILayer const* layer, DeviceType deviceType) noexcept = 0;

    //! The device type for one layer.
    virtual DeviceType getDeviceType(ILayer const* layer) const noexcept = 0;

    //! True if setDeviceType() was called for the layer.
    virtual bool isDeviceTypeSet(ILayer const* layer) const noexcept = 0;

    //! Undoes setDeviceType().
    virtual void resetDeviceType(ILayer const* layer) noexcept = 0;

    //! True if a layer can run on DLA. Always false.
    virtual bool canRunOnDLA(ILayer const* layer) const noexcept = 0;

    //! Sets the DLA core. Default: -1, none.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;

    //! The DLA core; -1 for none.
    virtual int32_t getDLACore() const noexcept = 0;

    //! Sets the default device type of layers. Default: DeviceType::kGPU.
    virtual void setDefaultDeviceType(DeviceType deviceType) noexcept = 0;

    //! The default device type of layers.
    virtual DeviceType getDefaultDeviceType() const noexcept = 0;

    //!@}
    //! \name Contents of the plan
    //!@{

    //! Sets how much information about layers the engine holds for profilers and inspectors.
    //! Default: ProfilingVerbosity::kLAYER_NAMES_ONLY.
    virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;

    //! How much information about layers the engine holds.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    //! Sets plugin libraries to store in the plan. The build reads the files. A runtime loads them,
    //! for that engine only, if IRuntime::setEngineHostCodeAllowed(true) was called.
    //! \param paths nbPaths file names, copied; they replace those of earlier calls.
    virtual void setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept = 0;

    //! File name `index` of the libraries; null if out of range.
    virtual char const* getPluginToSerialize(int32_t index) const noexcept = 0;

    //! Number of the libraries.
    virtual int32_t getNbPluginsToSerialize() const noexcept = 0;

    //!@}
    //! \name Progress and build options
    //!@{

    //! Sets the progress monitor; null for none (default).
    virtual void setProgressMonitor(IProgressMonitor* monitor) noexcept = 0;

    //! The progress monitor; null if there is none.
    virtual IProgressMonitor* getProgressMonitor() const noexcept = 0;

    //! Sets a remote machine for timing candidates. Without effect in Kiln. \param config address
    //! and options as a string; null or empty for the local machine (default).
    virtual bool setRemoteAutoTuningConfig(char const* config) noexcept = 0;

    //! The string that setRemoteAutoTuningConfig() set; never null.
    virtual char const* getRemoteAutoTuningConfig() const noexcept = 0;

    //! Selects one of the routes of getAllBuildRoutes(). Kiln has none: a build with a route fails.
    virtual bool setBuildRoute(char const* buildRoute) noexcept = 0;

    //! The build route; never null.
    virtual char const* getBuildRoute() const noexcept = 0;

    //! The names of all build routes, separated by commas. Always an empty string.
    virtual char const* getAllBuildRoutes() const noexcept = 0;

    //!@}
    //! \name INT8 calibration and choice of algorithms
    //!@{

    //! Sets the calibrator, which the caller owns; null for none (default).
    TRT_DEPRECATED virtual void setInt8Calibrator(IInt8Calibrator* calibrator) noexcept = 0;

    //! The calibrator; null if there is none.
    TRT_DEPRECATED virtual IInt8Calibrator* getInt8Calibrator() const noexcept = 0;

    //! Sets the profile with the shapes of the calibration data.
    TRT_DEPRECATED virtual bool setCalibrationProfile(
        IOptimizationProfile const* profile) noexcept = 0;

    //! The profile with the shapes of the calibration data; null if there is none.
    TRT_DEPRECATED virtual IOptimizationProfile const* getCalibrationProfile() noexcept = 0;

    //! Replaces all quantization flags. \param flags bits 1U << int(QuantizationFlag).
    TRT_DEPRECATED virtual void setQuantizationFlags(QuantizationFlags flags) noexcept = 0;

    //! All quantization flags as a bit mask.
    TRT_DEPRECATED virtual QuantizationFlags getQuantizationFlags() const noexcept = 0;

    //! Switches a quantization flag off.
    TRT_DEPRECATED virtual void clearQuantizationFlag(QuantizationFlag flag) noexcept = 0;

    //! Switches a quantization flag on.
    TRT_DEPRECATED virtual void setQuantizationFlag(QuantizationFlag flag) noexcept = 0;

    //! True if a quantization flag is set.
    TRT_DEPRECATED virtual bool getQuantizationFlag(QuantizationFlag flag) const noexcept = 0;

    //! Sets the algorithm selector; null for none (default).
    TRT_DEPRECATED virtual void setAlgorithmSelector(IAlgorithmSelector* selector) noexcept = 0;

    //! The algorithm selector; null if there is none.
    TRT_DEPRECATED virtual IAlgorithmSelector* getAlgorithmSelector() const noexcept = 0;

    //!@}
};

} // namespace nvinfer1

#pragma GCC visibility pop
