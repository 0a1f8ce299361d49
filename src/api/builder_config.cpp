// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/builder_config.h"

#include <algorithm>
#include <cstdint>

#include "backend/backend_registry.h"
#include "base/text.h"

namespace kiln::api {
namespace {

using nvinfer1::BuilderFlag;
using nvinfer1::MemoryPoolType;

/// Flags that a build honours, or whose neglect cannot change a result.
bool isSupported(BuilderFlag flag) noexcept {
    switch (flag) {
    case BuilderFlag::kFP16:
    case BuilderFlag::kBF16:
    case BuilderFlag::kEDITABLE_TIMING_CACHE:
    case BuilderFlag::kERROR_ON_TIMING_CACHE_MISS:
    case BuilderFlag::kDEBUG:
    case BuilderFlag::kGPU_FALLBACK:
    case BuilderFlag::kDISABLE_TIMING_CACHE:
    case BuilderFlag::kTF32:
    case BuilderFlag::kSPARSE_WEIGHTS:
    case BuilderFlag::kREJECT_EMPTY_ALGORITHMS:
    case BuilderFlag::kEXCLUDE_LEAN_RUNTIME:
    case BuilderFlag::kDISABLE_COMPILATION_CACHE:
    case BuilderFlag::kMONITOR_MEMORY:
    case BuilderFlag::kSTRICT_NANS: return true;
    default: return false;
    }
}

template <typename Enum>
void checkMember(Enum value, char const* what) {
    auto const number = static_cast<int32_t>(value);
    if (number < 0 || number >= nvinfer1::EnumMax<Enum>()) {
        fail(ErrorKind::kInvalidArgument,
             "[config] {}: expected 0 to {}, got {}. Use a member of "
             "the enumeration.",
             what, nvinfer1::EnumMax<Enum>() - 1, number);
    }
}

/// The memory of the device that is built for; SIZE_MAX where it is not here to ask.
std::size_t deviceBytes() {
    backend::Backend& target = backend::BackendRegistry::instance().open(backend::defaultTarget());
    std::size_t const bytes = target.properties().totalBytes;
    return bytes > 0 ? bytes : SIZE_MAX;
}

} // namespace

BuilderConfig::BuilderConfig(Log log) : reporter_(log) {
    poolLimits_.fill(SIZE_MAX);
    setFlag(BuilderFlag::kTF32); // on by default, as documented
}

void BuilderConfig::setAvgTimingIterations(int32_t avgTiming) noexcept {
    reporter_.guard([&] {
        if (avgTiming < 1) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] setAvgTimingIterations: expected 1 or more, got {}.", avgTiming);
        }
        timingIterations_ = avgTiming;
    });
}

void BuilderConfig::setEngineCapability(nvinfer1::EngineCapability capability) noexcept {
    if (capability != nvinfer1::EngineCapability::kSTANDARD) {
        reporter_.refuse("EngineCapability other than kSTANDARD");
    }
}

nvinfer1::EngineCapability BuilderConfig::getEngineCapability() const noexcept {
    return nvinfer1::EngineCapability::kSTANDARD;
}

void BuilderConfig::setFlags(nvinfer1::BuilderFlags builderFlags) noexcept {
    flags_ = 0;
    for (int32_t bit = 0; bit < 32; ++bit) {
        if ((builderFlags >> static_cast<uint32_t>(bit) & 1U) != 0) {
            setFlag(static_cast<BuilderFlag>(bit));
        }
    }
}

void BuilderConfig::clearFlag(BuilderFlag builderFlag) noexcept {
    reporter_.guard([&] {
        checkMember(builderFlag, "clearFlag");
        flags_ &= ~(1U << static_cast<uint32_t>(builderFlag));
    });
}

void BuilderConfig::setFlag(BuilderFlag builderFlag) noexcept {
    reporter_.guard([&] {
        checkMember(builderFlag, "setFlag");
        if (!isSupported(builderFlag)) {
            fail(ErrorKind::kUnsupported,
                 "[config] setFlag: builder flag {} is not supported yet and stays off. The README "
                 "lists the supported flags.",
                 static_cast<int32_t>(builderFlag));
        }
        flags_ |= 1U << static_cast<uint32_t>(builderFlag);
    });
}

bool BuilderConfig::getFlag(BuilderFlag builderFlag) const noexcept {
    auto const bit = static_cast<uint32_t>(builderFlag);
    return bit < 32 && (flags_ >> bit & 1U) != 0;
}

void BuilderConfig::setDeviceType(nvinfer1::ILayer const*,
                                  nvinfer1::DeviceType deviceType) noexcept {
    setDefaultDeviceType(deviceType);
}

nvinfer1::DeviceType BuilderConfig::getDeviceType(nvinfer1::ILayer const*) const noexcept {
    return nvinfer1::DeviceType::kGPU;
}

void BuilderConfig::setDLACore(int32_t dlaCore) noexcept {
    if (dlaCore >= 0) {
        reporter_.refuse("DLA");
    }
}

void BuilderConfig::setDefaultDeviceType(nvinfer1::DeviceType deviceType) noexcept {
    if (deviceType != nvinfer1::DeviceType::kGPU) {
        reporter_.refuse("DLA");
    }
}

nvinfer1::DeviceType BuilderConfig::getDefaultDeviceType() const noexcept {
    return nvinfer1::DeviceType::kGPU;
}

void BuilderConfig::reset() noexcept {
    profiles_.clear();
    pluginsToSerialize_.clear();
    sources_.clear();
    flags_ = 0;
    previewFeatures_ = 0;
    timingIterations_ = 1;
    optimizationLevel_ = 3;
    poolLimits_.fill(SIZE_MAX);
    setFlag(BuilderFlag::kTF32);
}

int32_t BuilderConfig::addOptimizationProfile(
    nvinfer1::IOptimizationProfile const* profile) noexcept {
    return reporter_.guard(-1, [&] {
        if (profile == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] addOptimizationProfile: expected a profile, got null.");
        }
        if (!profile->isValid()) {
            fail(
                ErrorKind::kInvalidArgument,
                "[config] addOptimizationProfile: expected min <= opt <= max in every dimension of "
                "every input, and all three shapes of one rank. Mend the profile's shapes.");
        }
        profiles_.push_back(static_cast<OptimizationProfile const*>(profile));
        return static_cast<int32_t>(profiles_.size()) - 1;
    });
}

int32_t BuilderConfig::getNbOptimizationProfiles() const noexcept {
    return static_cast<int32_t>(profiles_.size());
}

void BuilderConfig::setProfilingVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept {
    verbosity_ = verbosity;
}

nvinfer1::ProfilingVerbosity BuilderConfig::getProfilingVerbosity() const noexcept {
    return verbosity_;
}

bool BuilderConfig::setTacticSources(nvinfer1::TacticSources tacticSources) noexcept {
    tacticSources_ = tacticSources; // which libraries may be used: the cpu target has its own
    return true;
}

nvinfer1::ITimingCache* BuilderConfig::createTimingCache(void const* blob,
                                                         std::size_t size) const noexcept {
    return reporter_.guard<nvinfer1::ITimingCache*>(nullptr, [&] {
        if (blob == nullptr && size > 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[timing cache] expected a serialized timing cache, got {} bytes at a null "
                 "address.",
                 size);
        }
        bool const editable = getFlag(BuilderFlag::kEDITABLE_TIMING_CACHE);
        return new TimingCache(reporter_, {static_cast<std::byte const*>(blob), size}, editable);
    });
}

bool BuilderConfig::setTimingCache(nvinfer1::ITimingCache const& cache,
                                   bool ignoreMismatch) noexcept {
    return reporter_.guard(false, [&] {
        auto const& own = static_cast<TimingCache const&>(cache);
        own.checkDevice(ignoreMismatch);
        timingCache_ = &own;
        return true;
    });
}

nvinfer1::ITimingCache const* BuilderConfig::getTimingCache() const noexcept {
    return timingCache_;
}

compiler::TimingCache* BuilderConfig::timingCache() const noexcept {
    return timingCache_ == nullptr ? nullptr : &timingCache_->core();
}

void BuilderConfig::setMemoryPoolLimit(MemoryPoolType pool, std::size_t poolSize) noexcept {
    reporter_.guard([&] {
        checkMember(pool, "setMemoryPoolLimit");
        poolLimits_[static_cast<std::size_t>(pool)] = poolSize;
    });
}

std::size_t BuilderConfig::getMemoryPoolLimit(MemoryPoolType pool) const noexcept {
    return reporter_.guard(std::size_t{0}, [&] {
        checkMember(pool, "getMemoryPoolLimit");
        std::size_t const limit = poolLimits_[static_cast<std::size_t>(pool)];
        bool const ofDevice = pool == MemoryPoolType::kWORKSPACE || //
                              pool == MemoryPoolType::kTACTIC_DRAM;
        return limit == SIZE_MAX && ofDevice ? deviceBytes() : limit;
    });
}

void BuilderConfig::setPreviewFeature(nvinfer1::PreviewFeature feature, bool enable) noexcept {
    reporter_.guard([&] {
        checkMember(feature, "setPreviewFeature");
        using nvinfer1::PreviewFeature;
        bool const known = feature == PreviewFeature::kALIASED_PLUGIN_IO_10_03 ||
                           feature == PreviewFeature::kPROFILE_SHARING_0806;
        if (enable && !known) {
            fail(ErrorKind::kUnsupported,
                 "[config] setPreviewFeature: preview feature {} is not supported yet and stays "
                 "off.",
                 static_cast<int32_t>(feature));
        }
        uint32_t const bit = 1U << static_cast<uint32_t>(feature);
        previewFeatures_ = enable ? previewFeatures_ | bit : previewFeatures_ & ~bit;
    });
}

bool BuilderConfig::getPreviewFeature(nvinfer1::PreviewFeature feature) const noexcept {
    auto const bit = static_cast<uint32_t>(feature);
    return bit < 32 && (previewFeatures_ >> bit & 1U) != 0;
}

void BuilderConfig::setBuilderOptimizationLevel(int32_t level) noexcept {
    reporter_.guard([&] {
        if (level < 0 || level > 5) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] setBuilderOptimizationLevel: expected 0 to 5, got {}.", level);
        }
        optimizationLevel_ = level;
    });
}

void BuilderConfig::setHardwareCompatibilityLevel(
    nvinfer1::HardwareCompatibilityLevel hardwareCompatibilityLevel) noexcept {
    if (hardwareCompatibilityLevel != nvinfer1::HardwareCompatibilityLevel::kNONE) {
        reporter_.refuse("IBuilderConfig::setHardwareCompatibilityLevel");
    }
}

nvinfer1::HardwareCompatibilityLevel BuilderConfig::getHardwareCompatibilityLevel() const noexcept {
    return nvinfer1::HardwareCompatibilityLevel::kNONE;
}

void BuilderConfig::setPluginsToSerialize(char const* const* paths, int32_t nbPaths) noexcept {
    reporter_.guard([&] {
        std::vector<std::string> named;
        for (int32_t i = 0; paths != nullptr && i < nbPaths; ++i) {
            named.emplace_back(orEmpty(paths[i]));
        }
        if (static_cast<int32_t>(named.size()) != nbPaths ||
            std::find(named.begin(), named.end(), "") != named.end()) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] setPluginsToSerialize: expected an array of paths to libraries, got "
                 "{} paths, of which one or all are null or empty.",
                 nbPaths);
        }
        pluginsToSerialize_ = std::move(named);
    });
}

char const* BuilderConfig::getPluginToSerialize(int32_t index) const noexcept {
    return index >= 0 && index < getNbPluginsToSerialize()
               ? pluginsToSerialize_[static_cast<std::size_t>(index)].c_str()
               : nullptr;
}

bool BuilderConfig::addSource(PythonSource const& source) noexcept {
    return reporter_.guard(false, [&] {
        api::addSource(sources_, source);
        return true;
    });
}

bool BuilderConfig::setMaxAuxStreams(int32_t nbStreams) noexcept {
    maxAuxStreams_ = nbStreams; // an upper bound: none are used
    return true;
}

void BuilderConfig::setProgressMonitor(nvinfer1::IProgressMonitor* monitor) noexcept {
    progress_ = monitor;
}

void BuilderConfig::setRuntimePlatform(nvinfer1::RuntimePlatform runtimePlatform) noexcept {
    if (runtimePlatform != nvinfer1::RuntimePlatform::kSAME_AS_BUILD) {
        reporter_.refuse("IBuilderConfig::setRuntimePlatform");
    }
}

nvinfer1::RuntimePlatform BuilderConfig::getRuntimePlatform() const noexcept {
    return nvinfer1::RuntimePlatform::kSAME_AS_BUILD;
}

bool BuilderConfig::setTilingOptimizationLevel(nvinfer1::TilingOptimizationLevel level) noexcept {
    bool const none = level == nvinfer1::TilingOptimizationLevel::kNONE;
    if (!none) {
        reporter_.refuse("IBuilderConfig::setTilingOptimizationLevel");
    }
    return none;
}

nvinfer1::TilingOptimizationLevel BuilderConfig::getTilingOptimizationLevel() const noexcept {
    return nvinfer1::TilingOptimizationLevel::kNONE;
}

bool BuilderConfig::setL2LimitForTiling(int64_t) noexcept {
    reporter_.refuse("IBuilderConfig::setL2LimitForTiling");
    return false;
}

bool BuilderConfig::setRemoteAutoTuningConfig(char const*) noexcept {
    reporter_.refuse("IBuilderConfig::setRemoteAutoTuningConfig");
    return false;
}

bool BuilderConfig::setBuildRoute(char const*) noexcept {
    reporter_.refuse("IBuilderConfig::setBuildRoute");
    return false;
}

void BuilderConfig::setInt8Calibrator(nvinfer1::IInt8Calibrator*) noexcept {
    reporter_.refuse("IBuilderConfig::setInt8Calibrator");
}

void BuilderConfig::setAlgorithmSelector(nvinfer1::IAlgorithmSelector*) noexcept {
    reporter_.refuse("IBuilderConfig::setAlgorithmSelector");
}

bool BuilderConfig::setCalibrationProfile(nvinfer1::IOptimizationProfile const*) noexcept {
    reporter_.refuse("IBuilderConfig::setCalibrationProfile");
    return false;
}

void BuilderConfig::setQuantizationFlags(nvinfer1::QuantizationFlags flags) noexcept {
    if (flags != 0) {
        reporter_.refuse("IBuilderConfig::setQuantizationFlags");
    }
}

void BuilderConfig::setQuantizationFlag(nvinfer1::QuantizationFlag) noexcept {
    reporter_.refuse("IBuilderConfig::setQuantizationFlag");
}

} // namespace kiln::api
