// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/config_check.h"

#include "api/enum_names.h"
#include "target/target.h"

namespace kiln::api {
namespace {

using nvinfer1::BuilderFlag;
using nvinfer1::DeviceType;
using nvinfer1::NetworkDefinitionCreationFlag;

enum class FlagEffect { kWorks, kRefused, kTunes };

struct FlagRule {
    FlagEffect effect;
    char const* reason; ///< for kRefused
};

FlagRule ruleOf(BuilderFlag flag) noexcept {
    switch (flag) {
    case BuilderFlag::kFP16:
    case BuilderFlag::kBF16:
    case BuilderFlag::kINT8:
    case BuilderFlag::kOBEY_PRECISION_CONSTRAINTS:
    case BuilderFlag::kPREFER_PRECISION_CONSTRAINTS:
    case BuilderFlag::kGPU_FALLBACK:
    case BuilderFlag::kDISABLE_TIMING_CACHE:
    case BuilderFlag::kERROR_ON_TIMING_CACHE_MISS:
    case BuilderFlag::kEDITABLE_TIMING_CACHE:
    case BuilderFlag::kREFIT:
    case BuilderFlag::kREFIT_IDENTICAL:
    case BuilderFlag::kREFIT_INDIVIDUAL:
    case BuilderFlag::kSTRIP_PLAN:
    case BuilderFlag::kVERSION_COMPATIBLE:
    case BuilderFlag::kREJECT_EMPTY_ALGORITHMS:
    case BuilderFlag::kWEIGHT_STREAMING:
    case BuilderFlag::kTF32:
    case BuilderFlag::kDIRECT_IO: return {FlagEffect::kWorks, ""};
    // Permissions that no kernel needs, and promises that always hold. Quantize and dequantize
    // layers work without a flag.
    case BuilderFlag::kFP8:
    case BuilderFlag::kINT4:
    case BuilderFlag::kFP4:
    case BuilderFlag::kSPARSE_WEIGHTS:
    case BuilderFlag::kDEBUG:
    case BuilderFlag::kEXCLUDE_LEAN_RUNTIME:
    case BuilderFlag::kDISABLE_COMPILATION_CACHE:
    case BuilderFlag::kSTRICT_NANS:
    case BuilderFlag::kMONITOR_MEMORY: return {FlagEffect::kTunes, ""};
    case BuilderFlag::kSAFETY_SCOPE:
        return {FlagEffect::kRefused, "there is no safety runtime whose limits could be checked"};
    case BuilderFlag::kDISTRIBUTIVE_INDEPENDENCE:
        return {FlagEffect::kRefused, "kernels do not promise it"};
    }
    return {FlagEffect::kRefused, "it is not known"};
}

bool choosesPrecision(BuilderFlag flag) noexcept {
    switch (flag) {
    case BuilderFlag::kFP16:
    case BuilderFlag::kBF16:
    case BuilderFlag::kINT8:
    case BuilderFlag::kFP8:
    case BuilderFlag::kINT4:
    case BuilderFlag::kFP4: return true;
    default: return false;
    }
}

class Check {
public:
    Check(BuilderConfig const& config, nvinfer1::INetworkDefinition const& network,
          std::string_view target)
        : config_(config), settings_(config.settings()), network_(network), target_(target) {}

    void run(Log const& log) {
        checkFlags();
        checkTarget();
        checkDevices();
        checkChoices();
        noteTuning();
        if (!refused_.empty()) {
            fail(ErrorKind::kUnsupported,
                 "[builder] expected a configuration that Kiln can honour, got{}. Reset {}.",
                 refused_, refusals_ == 1 ? "this setting" : "these settings");
        }
        if (!noted_.empty()) {
            log.info("[builder] settings without effect here, because they only tune:{}.", noted_);
        }
    }

private:
    void refuse(std::string const& setting, std::string_view reason) {
        refused_ += fmt::format("{} {} ({})", refusals_++ == 0 ? "" : ";", setting, reason);
    }
    void note(std::string const& setting) { noted_ += (noted_.empty() ? " " : ", ") + setting; }
    template <typename T>
    void noteUnless(bool isDefault, char const* name, T const& value) {
        if (!isDefault) {
            note(fmt::format("{} {}", name, value));
        }
    }

    void checkFlags() {
        bool const typed = network_.getFlag(static_cast<NetworkDefinitionCreationFlag>(1));
        for (int32_t i = 0; i < nvinfer1::EnumMax<BuilderFlag>(); ++i) {
            auto const flag = static_cast<BuilderFlag>(i);
            if (!config_.getFlag(flag)) {
                continue;
            }
            std::string const name = fmt::format("BuilderFlag {}", nameOf(flag));
            FlagRule const rule = ruleOf(flag);
            if (typed && choosesPrecision(flag)) {
                refuse(name, "the types of a strongly typed network follow from its layers");
            } else if (!typed && flag == BuilderFlag::kWEIGHT_STREAMING) {
                refuse(name, "weights of strongly typed networks alone can be streamed; create the "
                             "network with NetworkDefinitionCreationFlag STRONGLY_TYPED");
            } else if (rule.effect == FlagEffect::kRefused) {
                refuse(name, rule.reason);
            } else if (rule.effect == FlagEffect::kTunes) {
                note(name);
            }
        }
    }

    void checkTarget() {
        using nvinfer1::HardwareCompatibilityLevel;
        if (settings_.capability != nvinfer1::EngineCapability::kSTANDARD) {
            refuse(fmt::format("EngineCapability {}", nameOf(settings_.capability)),
                   "engines are for the standard runtime");
        }
        if (settings_.platform != nvinfer1::RuntimePlatform::kSAME_AS_BUILD) {
            refuse(fmt::format("RuntimePlatform {}", nameOf(settings_.platform)),
                   "a plan runs on the platform that built it");
        }
        // kSAME_COMPUTE_CAPABILITY always holds. On the cpu target no level has an effect.
        if (settings_.compatibility == HardwareCompatibilityLevel::kAMPERE_PLUS &&
            target::nameOfTarget(target_) != "cuda") {
            note(fmt::format("HardwareCompatibilityLevel {}", nameOf(settings_.compatibility)));
        }
    }

    void checkDevices() {
        nvinfer1::ILayer const* onDla = nullptr;
        for (int32_t i = 0; i < network_.getNbLayers() && onDla == nullptr; ++i) {
            nvinfer1::ILayer const* const layer = network_.getLayer(i);
            onDla = config_.getDeviceType(layer) == DeviceType::kDLA ? layer : nullptr;
        }
        if (onDla != nullptr && !config_.getFlag(BuilderFlag::kGPU_FALLBACK)) {
            refuse(fmt::format("DeviceType DLA of layer '{}'", onDla->getName()),
                   "there is no DLA; with BuilderFlag GPU_FALLBACK such layers run on the target");
        } else if (onDla != nullptr) {
            note("DeviceType DLA");
        }
        noteUnless(settings_.dlaCore < 0, "DLA core", settings_.dlaCore);
    }

    void checkChoices() {
        bool const calibrates =
            settings_.calibrator != nullptr && config_.getFlag(BuilderFlag::kINT8);
        if (!calibrates && settings_.calibrator != nullptr) {
            note("an INT8 calibrator without BuilderFlag INT8");
        }
        if (!calibrates && settings_.calibrationProfile != nullptr) {
            note("a calibration profile");
        }
        if (!settings_.buildRoute.empty()) {
            refuse(fmt::format("build route '{}'", settings_.buildRoute), "there are no routes");
        }
    }

    void noteTuning() {
        using nvinfer1::PreviewFeature;
        ConfigSettings const defaults;
        noteUnless(settings_.tacticSources == defaults.tacticSources, "tactic sources",
                   settings_.tacticSources);
        noteUnless(settings_.quantizationFlags == 0, "quantization flags",
                   settings_.quantizationFlags);
        noteUnless(settings_.tiling == defaults.tiling, "TilingOptimizationLevel",
                   nameOf(settings_.tiling));
        noteUnless(settings_.l2LimitForTiling == -1, "L2 limit for tiling",
                   settings_.l2LimitForTiling);
        noteUnless(settings_.maxAuxStreams == -1, "max aux streams", settings_.maxAuxStreams);
        noteUnless(settings_.maxTactics == -1, "max number of tactics", settings_.maxTactics);
        noteUnless(settings_.optimizationLevel == defaults.optimizationLevel,
                   "builder optimization level", settings_.optimizationLevel);
        noteUnless(settings_.remoteAutoTuning.empty(), "remote auto-tuning",
                   settings_.remoteAutoTuning);
        for (int32_t i = 0; i < nvinfer1::EnumMax<nvinfer1::MemoryPoolType>(); ++i) {
            auto const pool = static_cast<nvinfer1::MemoryPoolType>(i);
            std::size_t const limit = settings_.poolLimits[static_cast<std::size_t>(i)];
            if (pool != nvinfer1::MemoryPoolType::kWORKSPACE && limit != ConfigSettings::kNoLimit) {
                note(fmt::format("MemoryPoolType {} {}", nameOf(pool), limit));
            }
        }
        for (auto const feature : {PreviewFeature::kRUNTIME_ACTIVATION_RESIZE_10_10,
                                   PreviewFeature::kMULTIDEVICE_RUNTIME_10_16}) {
            if (config_.getPreviewFeature(feature)) {
                note(fmt::format("PreviewFeature {}", nameOf(feature)));
            }
        }
    }

    BuilderConfig const& config_;
    ConfigSettings const& settings_;
    nvinfer1::INetworkDefinition const& network_;
    std::string_view target_;
    std::string refused_;
    std::string noted_;
    int refusals_ = 0;
};

} // namespace

void checkConfig(BuilderConfig const& config, nvinfer1::INetworkDefinition const& network,
                 std::string_view target, Log const& log) {
    Check(config, network, target).run(log);
}

} // namespace kiln::api
