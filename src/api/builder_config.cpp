// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/builder_config.h"

#include <algorithm>
#include <cstdint>

#include "base/bits.h"
#include "base/text.h"
#include "target/backend_registry.h"

namespace kiln::api {
namespace {

using nvinfer1::BuilderFlag;
using nvinfer1::MemoryPoolType;

template <typename Enum>
uint32_t bitOf(Enum member) {
    return 1U << static_cast<uint32_t>(member);
}

template <typename Enum>
void checkMember(Enum value, char const* setting, char const* type) {
    auto const number = static_cast<int32_t>(value);
    if (number < 0 || number >= nvinfer1::EnumMax<Enum>()) {
        fail(ErrorKind::kInvalidArgument,
             "[config] {}: expected a member of {}, which are numbered 0 to {}, got {}.", setting,
             type, nvinfer1::EnumMax<Enum>() - 1, number);
    }
}

/// Throws unless every set bit of the mask is a member of `Enum`.
template <typename Enum>
void checkBits(uint32_t bits, char const* setting, char const* type) {
    uint32_t const known = (1U << nvinfer1::EnumMax<Enum>()) - 1U;
    if ((bits & ~known) != 0) {
        fail(ErrorKind::kInvalidArgument,
             "[config] {}: expected bits within {:#x}, got {:#x}. Shift 1 by members of {}.",
             setting, known, bits, type);
    }
}

/// Memory of the default target's device; SIZE_MAX if it is unknown.
std::size_t deviceBytes() {
    target::Device const* const device =
        target::BackendRegistry::instance().open(target::defaultTarget()).device();
    std::size_t const bytes = device == nullptr ? 0 : device->properties().totalBytes;
    return bytes > 0 ? bytes : SIZE_MAX;
}

/// Default limit of a pool.
std::size_t defaultLimit(MemoryPoolType pool) {
    switch (pool) {
    case MemoryPoolType::kWORKSPACE:
    case MemoryPoolType::kTACTIC_DRAM: return deviceBytes();
    case MemoryPoolType::kDLA_MANAGED_SRAM: return 0;
    case MemoryPoolType::kDLA_LOCAL_DRAM: return std::size_t{1} << 30U;
    case MemoryPoolType::kDLA_GLOBAL_DRAM: return std::size_t{1} << 29U;
    case MemoryPoolType::kTACTIC_SHARED_MEMORY: break;
    }
    return SIZE_MAX;
}

} // namespace

void BuilderConfig::setAvgTimingIterations(int32_t avgTiming) noexcept {
    reporter_.guard([&] {
        if (avgTiming < 1) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] timing iterations: expected 1 or more, got {}.", avgTiming);
        }
        settings_.timingIterations = avgTiming;
    });
}

void BuilderConfig::setEngineCapability(nvinfer1::EngineCapability capability) noexcept {
    reporter_.guard([&] {
        checkMember(capability, "engine capability", "EngineCapability");
        settings_.capability = capability;
    });
}

void BuilderConfig::setFlags(nvinfer1::BuilderFlags builderFlags) noexcept {
    reporter_.guard([&] {
        checkBits<BuilderFlag>(builderFlags, "flags", "BuilderFlag");
        settings_.flags = builderFlags;
    });
}

void BuilderConfig::clearFlag(BuilderFlag builderFlag) noexcept {
    reporter_.guard([&] {
        checkMember(builderFlag, "flag", "BuilderFlag");
        settings_.flags &= ~bitOf(builderFlag);
    });
}

void BuilderConfig::setFlag(BuilderFlag builderFlag) noexcept {
    reporter_.guard([&] {
        checkMember(builderFlag, "flag", "BuilderFlag");
        settings_.flags |= bitOf(builderFlag);
    });
}

bool BuilderConfig::getFlag(BuilderFlag builderFlag) const noexcept {
    return hasBit(settings_.flags, builderFlag);
}

void BuilderConfig::setDeviceType(nvinfer1::ILayer const* layer,
                                  nvinfer1::DeviceType deviceType) noexcept {
    reporter_.guard([&] {
        checkMember(deviceType, "device type", "DeviceType");
        if (layer == nullptr) {
            fail(
                ErrorKind::kInvalidArgument,
                "[config] device type: expected a layer, got null. Set the default device type for "
                "all layers.");
        }
        settings_.devices[layer] = deviceType;
    });
}

nvinfer1::DeviceType BuilderConfig::getDeviceType(nvinfer1::ILayer const* layer) const noexcept {
    auto const found = settings_.devices.find(layer);
    return found == settings_.devices.end() ? settings_.defaultDevice : found->second;
}

bool BuilderConfig::isDeviceTypeSet(nvinfer1::ILayer const* layer) const noexcept {
    return settings_.devices.count(layer) != 0;
}

void BuilderConfig::resetDeviceType(nvinfer1::ILayer const* layer) noexcept {
    settings_.devices.erase(layer);
}

void BuilderConfig::setDefaultDeviceType(nvinfer1::DeviceType deviceType) noexcept {
    reporter_.guard([&] {
        checkMember(deviceType, "default device type", "DeviceType");
        settings_.defaultDevice = deviceType;
    });
}

void BuilderConfig::reset() noexcept {
    reporter_.guard([&] { settings_ = ConfigSettings(); });
}

int32_t BuilderConfig::addOptimizationProfile(
    nvinfer1::IOptimizationProfile const* profile) noexcept {
    return reporter_.guard(-1, [&] {
        if (profile == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] optimization profile: expected one, got null.");
        }
        if (!profile->isValid()) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] optimization profile: expected min <= opt <= max in every dimension of "
                 "every input, and all three shapes of one rank. Correct the profile's shapes.");
        }
        auto const& own = static_cast<OptimizationProfile const&>(*profile);
        settings_.profiles.push_back(own.shared_from_this());
        return getNbOptimizationProfiles() - 1;
    });
}

int32_t BuilderConfig::getNbOptimizationProfiles() const noexcept {
    return static_cast<int32_t>(settings_.profiles.size());
}

void BuilderConfig::setProfilingVerbosity(nvinfer1::ProfilingVerbosity verbosity) noexcept {
    reporter_.guard([&] {
        checkMember(verbosity, "profiling verbosity", "ProfilingVerbosity");
        settings_.verbosity = verbosity;
    });
}

bool BuilderConfig::setTacticSources(nvinfer1::TacticSources tacticSources) noexcept {
    return reporter_.guard(false, [&] {
        checkBits<nvinfer1::TacticSource>(tacticSources, "tactic sources", "TacticSource");
        settings_.tacticSources = tacticSources;
        return true;
    });
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
        settings_.timingCache = &own;
        return true;
    });
}

nvinfer1::ITimingCache const* BuilderConfig::getTimingCache() const noexcept {
    return settings_.timingCache;
}

compiler::TimingCache* BuilderConfig::timingCache() const noexcept {
    return settings_.timingCache == nullptr ? nullptr : &settings_.timingCache->core();
}

void BuilderConfig::setMemoryPoolLimit(MemoryPoolType pool, std::size_t poolSize) noexcept {
    reporter_.guard([&] {
        checkMember(pool, "memory pool limit", "MemoryPoolType");
        settings_.poolLimits[static_cast<std::size_t>(pool)] = poolSize;
    });
}

std::size_t BuilderConfig::getMemoryPoolLimit(MemoryPoolType pool) const noexcept {
    return reporter_.guard(std::size_t{0}, [&] {
        checkMember(pool, "memory pool limit", "MemoryPoolType");
        std::size_t const limit = settings_.poolLimits[static_cast<std::size_t>(pool)];
        return limit == ConfigSettings::kNoLimit ? defaultLimit(pool) : limit;
    });
}

void BuilderConfig::setPreviewFeature(nvinfer1::PreviewFeature feature, bool enable) noexcept {
    reporter_.guard([&] {
        checkMember(feature, "preview feature", "PreviewFeature");
        uint32_t& bits = settings_.previewFeatures;
        bits = enable ? bits | bitOf(feature) : bits & ~bitOf(feature);
    });
}

bool BuilderConfig::getPreviewFeature(nvinfer1::PreviewFeature feature) const noexcept {
    return hasBit(settings_.previewFeatures, feature);
}

void BuilderConfig::setBuilderOptimizationLevel(int32_t level) noexcept {
    reporter_.guard([&] {
        if (level < 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[config] builder optimization level: expected 0 or more, got {}.", level);
        }
        settings_.optimizationLevel = level;
    });
}

void BuilderConfig::setHardwareCompatibilityLevel(
    nvinfer1::HardwareCompatibilityLevel level) noexcept {
    reporter_.guard([&] {
        checkMember(level, "hardware compatibility level", "HardwareCompatibilityLevel");
        settings_.compatibility = level;
    });
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
                 "[config] plugins to serialize: expected an array of paths to libraries, got "
                 "{} paths, of which one or all are null or empty.",
                 nbPaths);
        }
        settings_.pluginsToSerialize = std::move(named);
    });
}

char const* BuilderConfig::getPluginToSerialize(int32_t index) const noexcept {
    return index >= 0 && index < getNbPluginsToSerialize()
               ? settings_.pluginsToSerialize[static_cast<std::size_t>(index)].c_str()
               : nullptr;
}

bool BuilderConfig::addSource(PythonSource const& source) noexcept {
    return reporter_.guard(false, [&] {
        api::addSource(settings_.sources, source);
        return true;
    });
}

bool BuilderConfig::setMaxAuxStreams(int32_t nbStreams) noexcept {
    settings_.maxAuxStreams = nbStreams;
    return true;
}

void BuilderConfig::setRuntimePlatform(nvinfer1::RuntimePlatform runtimePlatform) noexcept {
    reporter_.guard([&] {
        checkMember(runtimePlatform, "runtime platform", "RuntimePlatform");
        settings_.platform = runtimePlatform;
    });
}

bool BuilderConfig::setTilingOptimizationLevel(nvinfer1::TilingOptimizationLevel level) noexcept {
    return reporter_.guard(false, [&] {
        checkMember(level, "tiling optimization level", "TilingOptimizationLevel");
        settings_.tiling = level;
        return true;
    });
}

bool BuilderConfig::setL2LimitForTiling(int64_t size) noexcept {
    settings_.l2LimitForTiling = size;
    return true;
}

bool BuilderConfig::setRemoteAutoTuningConfig(char const* config) noexcept {
    return reporter_.guard(false, [&] {
        settings_.remoteAutoTuning = orEmpty(config);
        return true;
    });
}

bool BuilderConfig::setBuildRoute(char const* buildRoute) noexcept {
    return reporter_.guard(false, [&] {
        settings_.buildRoute = orEmpty(buildRoute);
        return true;
    });
}

bool BuilderConfig::setCalibrationProfile(nvinfer1::IOptimizationProfile const* profile) noexcept {
    return reporter_.guard(false, [&] {
        settings_.calibrationProfile =
            profile == nullptr
                ? nullptr
                : static_cast<OptimizationProfile const&>(*profile).shared_from_this();
        return true;
    });
}

void BuilderConfig::setQuantizationFlags(nvinfer1::QuantizationFlags flags) noexcept {
    reporter_.guard([&] {
        checkBits<nvinfer1::QuantizationFlag>(flags, "quantization flags", "QuantizationFlag");
        settings_.quantizationFlags = flags;
    });
}

void BuilderConfig::clearQuantizationFlag(nvinfer1::QuantizationFlag flag) noexcept {
    reporter_.guard([&] {
        checkMember(flag, "quantization flag", "QuantizationFlag");
        settings_.quantizationFlags &= ~bitOf(flag);
    });
}

void BuilderConfig::setQuantizationFlag(nvinfer1::QuantizationFlag flag) noexcept {
    reporter_.guard([&] {
        checkMember(flag, "quantization flag", "QuantizationFlag");
        settings_.quantizationFlags |= bitOf(flag);
    });
}

bool BuilderConfig::getQuantizationFlag(nvinfer1::QuantizationFlag flag) const noexcept {
    return hasBit(settings_.quantizationFlags, flag);
}

} // namespace kiln::api
