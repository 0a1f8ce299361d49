// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/enum_names.h"

#include <array>
#include <cstddef>

namespace kiln::api {
namespace {

/// Names in the order of the values, which start at 0 and have no gaps.
template <typename Enum>
using Names = std::array<char const*, static_cast<std::size_t>(nvinfer1::EnumMax<Enum>())>;

template <typename Enum>
char const* find(Names<Enum> const& names, Enum value) noexcept {
    auto const number = static_cast<std::size_t>(value);
    return number < names.size() ? names[number] : "unknown";
}

} // namespace

char const* nameOf(nvinfer1::BuilderFlag flag) noexcept {
    static constexpr Names<nvinfer1::BuilderFlag> kNames{"FP16",
                                                         "INT8",
                                                         "DEBUG",
                                                         "GPU_FALLBACK",
                                                         "REFIT",
                                                         "DISABLE_TIMING_CACHE",
                                                         "TF32",
                                                         "SPARSE_WEIGHTS",
                                                         "SAFETY_SCOPE",
                                                         "OBEY_PRECISION_CONSTRAINTS",
                                                         "PREFER_PRECISION_CONSTRAINTS",
                                                         "DIRECT_IO",
                                                         "REJECT_EMPTY_ALGORITHMS",
                                                         "VERSION_COMPATIBLE",
                                                         "EXCLUDE_LEAN_RUNTIME",
                                                         "FP8",
                                                         "ERROR_ON_TIMING_CACHE_MISS",
                                                         "BF16",
                                                         "DISABLE_COMPILATION_CACHE",
                                                         "STRIP_PLAN",
                                                         "REFIT_IDENTICAL",
                                                         "WEIGHT_STREAMING",
                                                         "INT4",
                                                         "REFIT_INDIVIDUAL",
                                                         "STRICT_NANS",
                                                         "MONITOR_MEMORY",
                                                         "FP4",
                                                         "EDITABLE_TIMING_CACHE",
                                                         "DISTRIBUTIVE_INDEPENDENCE"};
    return find(kNames, flag);
}

char const* nameOf(nvinfer1::PreviewFeature feature) noexcept {
    static constexpr Names<nvinfer1::PreviewFeature> kNames{
        "PROFILE_SHARING_0806", "ALIASED_PLUGIN_IO_10_03", "RUNTIME_ACTIVATION_RESIZE_10_10",
        "MULTIDEVICE_RUNTIME_10_16"};
    return find(kNames, feature);
}

char const* nameOf(nvinfer1::QuantizationFlag flag) noexcept {
    static constexpr Names<nvinfer1::QuantizationFlag> kNames{"CALIBRATE_BEFORE_FUSION"};
    return find(kNames, flag);
}

char const* nameOf(nvinfer1::MemoryPoolType pool) noexcept {
    static constexpr Names<nvinfer1::MemoryPoolType> kNames{
        "WORKSPACE",       "DLA_MANAGED_SRAM", "DLA_LOCAL_DRAM",
        "DLA_GLOBAL_DRAM", "TACTIC_DRAM",      "TACTIC_SHARED_MEMORY"};
    return find(kNames, pool);
}

char const* nameOf(nvinfer1::EngineCapability capability) noexcept {
    static constexpr Names<nvinfer1::EngineCapability> kNames{"STANDARD", "SAFETY",
                                                              "DLA_STANDALONE"};
    return find(kNames, capability);
}

char const* nameOf(nvinfer1::HardwareCompatibilityLevel level) noexcept {
    static constexpr Names<nvinfer1::HardwareCompatibilityLevel> kNames{"NONE", "AMPERE_PLUS",
                                                                        "SAME_COMPUTE_CAPABILITY"};
    return find(kNames, level);
}

char const* nameOf(nvinfer1::ProfilingVerbosity verbosity) noexcept {
    static constexpr Names<nvinfer1::ProfilingVerbosity> kNames{"LAYER_NAMES_ONLY", "NONE",
                                                                "DETAILED"};
    return find(kNames, verbosity);
}

char const* nameOf(nvinfer1::RuntimePlatform platform) noexcept {
    static constexpr Names<nvinfer1::RuntimePlatform> kNames{"SAME_AS_BUILD", "WINDOWS_AMD64"};
    return find(kNames, platform);
}

char const* nameOf(nvinfer1::TilingOptimizationLevel level) noexcept {
    static constexpr Names<nvinfer1::TilingOptimizationLevel> kNames{"NONE", "FAST", "MODERATE",
                                                                     "FULL"};
    return find(kNames, level);
}

} // namespace kiln::api
