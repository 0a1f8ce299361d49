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

//! How to build an engine. Made by IBuilder::createBuilderConfig().
//!
//! The caller owns the configuration and deletes it; it must not outlive its builder. Strings are
//! copied. Objects passed by pointer stay the caller's and must live until the build ends.
//!
//! Every setting is kept and given back as it was set. The build refuses, by name, settings that
//! Kiln does not honour and that would change results or break a promise of the engine; settings
//! that only tune are named once in the log. What is no value at all, such as a number that is not
//! a member of its enumeration, is logged as an error and changes nothing; functions that return
//! bool return false then. Threads: one at a time.
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

    //! True if a flag is on.
    virtual bool getFlag(BuilderFlag builderFlag) const noexcept = 0;

    //! Switches a preview feature on or off.
    virtual void setPreviewFeature(PreviewFeature feature, bool enable) noexcept = 0;

    //! True if a preview feature is on.
    virtual bool getPreviewFeature(PreviewFeature feature) const noexcept = 0;

    //!@}
    //! \name Shapes
    //!@{

    //! Adds an optimization profile: the range of each unknown extent. A network with unknown
    //! extents needs one at least.
    //! \param profile from IBuilder::createOptimizationProfile(); not copied: the build sees it as
    //! it is then. It lives as long as this configuration or its builder.
    //! \return its index, counted from 0; -1, with a logged error, if it is null or not valid.
    virtual int32_t addOptimizationProfile(IOptimizationProfile const* profile) noexcept = 0;

    //! Number of profiles added.
    virtual int32_t getNbOptimizationProfiles() const noexcept = 0;

    //!@}
    //! \name Effort and limits
    //!@{

    //! Trades build time for speed of the engine. \param level 0 (quickest build) to 5 (fastest
    //! engine); above 5 counts as 5. Default: 3. Kiln builds alike at all levels.
    virtual void setBuilderOptimizationLevel(int32_t level) noexcept = 0;

    //! The level that setBuilderOptimizationLevel() set.
    virtual int32_t getBuilderOptimizationLevel() noexcept = 0;

    //! Sets how many runs of a candidate are averaged. \param avgTiming 1 or more. Default: 1.
    virtual void setAvgTimingIterations(int32_t avgTiming) noexcept = 0;

    //! How many runs of a candidate are averaged.
    virtual int32_t getAvgTimingIterations() const noexcept = 0;

    //! Sets how many candidates are timed for each layer; -1 leaves it to the builder (default).
    virtual void setMaxNbTactics(int32_t maxNbTactics) noexcept = 0;

    //! How many candidates are timed for each layer.
    virtual int32_t getMaxNbTactics() const noexcept = 0;

    //! Sets the largest amount of memory of a kind. \param poolSize bytes. Kiln honours the limit
    //! of kWORKSPACE, for each plugin; the others only tune.
    virtual void setMemoryPoolLimit(MemoryPoolType pool, std::size_t poolSize) noexcept = 0;

    //! The largest amount of memory of a kind, in bytes.
    virtual std::size_t getMemoryPoolLimit(MemoryPoolType pool) const noexcept = 0;

    //! Sets how many streams, beside the caller's, an engine may use for branches of the network.
    //! \param nbStreams 0 or more; -1 leaves it to the builder (default).
    virtual bool setMaxAuxStreams(int32_t nbStreams) noexcept = 0;

    //! How many streams an engine may use beside the caller's.
    virtual int32_t getMaxAuxStreams() const noexcept = 0;

    //! Sets how hard to search for tilings. Default: kNONE.
    virtual bool setTilingOptimizationLevel(TilingOptimizationLevel level) noexcept = 0;

    //! How hard to search for tilings.
    virtual TilingOptimizationLevel getTilingOptimizationLevel() const noexcept = 0;

    //! Sets how much of the level 2 cache tilings may count on. \param size bytes; -1 leaves it to
    //! the builder (default).
    virtual bool setL2LimitForTiling(int64_t size) noexcept = 0;

    //! How much of the level 2 cache tilings may count on, in bytes.
    virtual int64_t getL2LimitForTiling() const noexcept = 0;

    //! Sets which libraries may supply candidates. \param tacticSources bits
    //! 1U << int(TacticSource). Default: kEDGE_MASK_CONVOLUTIONS and kJIT_CONVOLUTIONS. Kiln takes
    //! the fastest candidate it has, whatever is set. \return false for other bits.
    virtual bool setTacticSources(TacticSources tacticSources) noexcept = 0;

    //! Which libraries may supply candidates.
    virtual TacticSources getTacticSources() const noexcept = 0;

    //!@}
    //! \name Timing cache
    //!@{

    //! Makes a timing cache. \param blob bytes of ITimingCache::serialize(); null for an empty
    //! cache. \param size their number; 0 for an empty cache.
    //! \return a cache that the caller owns and deletes; null if the bytes are not valid.
    virtual ITimingCache* createTimingCache(void const* blob, std::size_t size) const noexcept = 0;

    //! Makes builds read and extend a cache; it must outlive the configuration.
    //! \param ignoreMismatch accept a cache of another device.
    virtual bool setTimingCache(ITimingCache const& cache, bool ignoreMismatch) noexcept = 0;

    //! The cache in use: the one that was set or, after a build, the builder's own; else null.
    virtual ITimingCache const* getTimingCache() const noexcept = 0;

    //!@}
    //! \name Target
    //!@{

    //! Sets what kind of engine to build. Default: EngineCapability::kSTANDARD.
    virtual void setEngineCapability(EngineCapability capability) noexcept = 0;

    //! What kind of engine to build.
    virtual EngineCapability getEngineCapability() const noexcept = 0;

    //! Sets on which other devices the engine must run. Default: kNONE.
    virtual void setHardwareCompatibilityLevel(
        HardwareCompatibilityLevel hardwareCompatibilityLevel) noexcept = 0;

    //! On which other devices the engine must run.
    virtual HardwareCompatibilityLevel getHardwareCompatibilityLevel() const noexcept = 0;

    //! Sets the platform that will run the engine. Default: kSAME_AS_BUILD.
    virtual void setRuntimePlatform(RuntimePlatform runtimePlatform) noexcept = 0;

    //! The platform that will run the engine.
    virtual RuntimePlatform getRuntimePlatform() const noexcept = 0;

    //! Sets the stream on which candidates are timed. Default: null, the default stream.
    //! The caller's, until the build ends.
    virtual void setProfileStream(cudaStream_t const stream) noexcept = 0;

    //! The stream on which candidates are timed.
    virtual cudaStream_t getProfileStream() const noexcept = 0;

    //! Sets the kind of device for one layer. Kiln has no DLA: a build with layers on it needs
    //! BuilderFlag::kGPU_FALLBACK, and is refused without.
    virtual void setDeviceType(ILayer const* layer, DeviceType deviceType) noexcept = 0;

    //! The kind of device for one layer.
    virtual DeviceType getDeviceType(ILayer const* layer) const noexcept = 0;

    //! True if setDeviceType() set one for the layer.
    virtual bool isDeviceTypeSet(ILayer const* layer) const noexcept = 0;

    //! Takes setDeviceType() back.
    virtual void resetDeviceType(ILayer const* layer) noexcept = 0;

    //! True if a layer could run on DLA.
    virtual bool canRunOnDLA(ILayer const* layer) const noexcept = 0;

    //! Sets the DLA core. Default: -1, none.
    virtual void setDLACore(int32_t dlaCore) noexcept = 0;

    //! The DLA core; -1 for none.
    virtual int32_t getDLACore() const noexcept = 0;

    //! Sets the kind of device for layers without one of their own. Default: DeviceType::kGPU.
    virtual void setDefaultDeviceType(DeviceType deviceType) noexcept = 0;

    //! The kind of device for layers without one of their own.
    virtual DeviceType getDefaultDeviceType() const noexcept = 0;

    //!@}
    //! \name What the plan carries
    //!@{

    //! Sets how much about layers the engine tells profilers and inspectors.
    //! Default: ProfilingVerbosity::kLAYER_NAMES_ONLY.
    virtual void setProfilingVerbosity(ProfilingVerbosity verbosity) noexcept = 0;

    //! How much about layers the engine tells.
    virtual ProfilingVerbosity getProfilingVerbosity() const noexcept = 0;

    //! Sets plugin libraries to put into the plan. The files are read when the engine is built. A
    //! runtime loads them only after IRuntime::setEngineHostCodeAllowed(true), for that engine.
    //! \param paths nbPaths file names, copied; they take the place of those set before.
    virtual void setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept = 0;

    //! File name `index` of those libraries; null if out of range.
    virtual char const* getPluginToSerialize(int32_t index) const noexcept = 0;

    //! Number of those libraries.
    virtual int32_t getNbPluginsToSerialize() const noexcept = 0;

    //!@}
    //! \name Course of the build
    //!@{

    //! Sets who is told of the progress; null for nobody (default).
    virtual void setProgressMonitor(IProgressMonitor* monitor) noexcept = 0;

    //! Who is told of the progress.
    virtual IProgressMonitor* getProgressMonitor() const noexcept = 0;

    //! Sets where candidates are timed when that is another machine. \param config the address and
    //! its options as text; null or empty for here (default).
    virtual bool setRemoteAutoTuningConfig(char const* config) noexcept = 0;

    //! The text that setRemoteAutoTuningConfig() set; never null.
    virtual char const* getRemoteAutoTuningConfig() const noexcept = 0;

    //! Chooses one of the ways to build that getAllBuildRoutes() names. Kiln names none: a build
    //! with a route is refused.
    virtual bool setBuildRoute(char const* buildRoute) noexcept = 0;

    //! The way to build; never null.
    virtual char const* getBuildRoute() const noexcept = 0;

    //! The names of all ways to build, separated by commas; never null.
    virtual char const* getAllBuildRoutes() const noexcept = 0;

    //!@}
    //! \name INT8 calibration and choice of algorithms
    //!@{

    //! Sets the source of calibration data, which the caller keeps alive; null for none (default).
    TRT_DEPRECATED virtual void setInt8Calibrator(IInt8Calibrator* calibrator) noexcept = 0;

    //! The source of calibration data; null if there is none.
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

    //! True if a quantization flag is on.
    TRT_DEPRECATED virtual bool getQuantizationFlag(QuantizationFlag flag) const noexcept = 0;

    //! Sets who chooses among candidates; null for the builder (default).
    TRT_DEPRECATED virtual void setAlgorithmSelector(IAlgorithmSelector* selector) noexcept = 0;

    //! Who chooses among candidates; null if that is the builder.
    TRT_DEPRECATED virtual IAlgorithmSelector* getAlgorithmSelector() const noexcept = 0;

    //!@}
};

} // namespace nvinfer1

#pragma GCC visibility pop
