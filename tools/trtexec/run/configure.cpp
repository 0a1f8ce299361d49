// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/configure.h"

#include <tuple>

#include "failure.h"
#include "files.h"
#include "run/plugins.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::BuilderFlag;

[[noreturn]] void builderRefused(char const* option) {
    fail("[build] the builder refused {}; the lines above say why", option);
}

/// A configuration logs invalid settings and ignores them, so read each setting back.
void setFlag(nvinfer1::IBuilderConfig& config, BuilderFlag flag, char const* option) {
    config.setFlag(flag);
    if (!config.getFlag(flag)) {
        builderRefused(option);
    }
}

void setFlags(nvinfer1::IBuilderConfig& config, BuildOptions const& build) {
    if (build.refit) {
        setFlag(config, BuilderFlag::kREFIT, "--refit");
    }
    if (build.stripWeights) {
        setFlag(config, BuilderFlag::kSTRIP_PLAN, "--stripWeights");
    }
    if (build.weightStreaming) {
        setFlag(config, BuilderFlag::kWEIGHT_STREAMING, "--allowWeightStreaming");
    }
    if (build.fp16) {
        setFlag(config, BuilderFlag::kFP16, "--fp16");
    }
    if (build.bf16) {
        setFlag(config, BuilderFlag::kBF16, "--bf16");
    }
    for (auto const& [wanted, flag, option] :
         {std::tuple(build.int8, BuilderFlag::kINT8, "--int8"),
          std::tuple(build.fp8, BuilderFlag::kFP8, "--fp8"),
          std::tuple(build.int4, BuilderFlag::kINT4, "--int4"),
          std::tuple(build.fp4, BuilderFlag::kFP4, "--fp4"),
          std::tuple(build.sparse, BuilderFlag::kSPARSE_WEIGHTS, "--sparsity"),
          std::tuple(build.gpuFallback, BuilderFlag::kGPU_FALLBACK, "--allowGPUFallback"),
          std::tuple(build.versionCompatible, BuilderFlag::kVERSION_COMPATIBLE,
                     "--versionCompatible")}) {
        if (wanted) {
            setFlag(config, flag, option);
        }
    }
    if (build.directIO) {
        setFlag(config, BuilderFlag::kDIRECT_IO, "--directIO");
    }
    if (build.noTf32) {
        config.clearFlag(BuilderFlag::kTF32);
    }
    if (build.noTimingCache) {
        setFlag(config, BuilderFlag::kDISABLE_TIMING_CACHE, "--noBuilderCache");
    }
    if (build.errorOnCacheMiss) {
        setFlag(config, BuilderFlag::kERROR_ON_TIMING_CACHE_MISS, "--errorOnTimingCacheMiss");
    }
}

void setTuning(nvinfer1::IBuilderConfig& config, BuildOptions const& build) {
    if (build.optimizationLevel) {
        config.setBuilderOptimizationLevel(*build.optimizationLevel);
    }
    if (build.maxTactics) {
        config.setMaxNbTactics(*build.maxTactics);
    }
    if (build.avgTiming) {
        config.setAvgTimingIterations(*build.avgTiming);
    }
    for (auto const& [pool, bytes] : build.memoryPools) {
        config.setMemoryPoolLimit(pool, bytes);
    }
    config.setProfilingVerbosity(build.profilingVerbosity);
    config.setHardwareCompatibilityLevel(build.compatibility);
}

void setPreviewFeatures(nvinfer1::IBuilderConfig& config, BuildOptions const& build) {
    for (auto const& [feature, on] : build.previewFeatures) {
        config.setPreviewFeature(feature, on);
        if (config.getPreviewFeature(feature) != on) {
            builderRefused("a feature of --preview");
        }
    }
}

void setPlugins(nvinfer1::IBuilderConfig& config, SystemOptions const& system,
                PythonFiles const& python) {
    std::vector<char const*> paths;
    for (std::string const& path : system.pluginsToSerialize) {
        requireFile("--setPluginsToSerialize", path);
        if (isPythonFile(path)) {
            python.embed(config, path);
        } else {
            paths.push_back(path.c_str());
        }
    }
    if (paths.empty()) {
        return;
    }
    auto const count = static_cast<int32_t>(paths.size());
    config.setPluginsToSerialize(paths.data(), count);
    if (config.getNbPluginsToSerialize() != count) {
        builderRefused("--setPluginsToSerialize");
    }
}

} // namespace

void configure(nvinfer1::IBuilderConfig& config, Options const& options,
               PythonFiles const& python) {
    setFlags(config, options.build);
    setTuning(config, options.build);
    setPreviewFeatures(config, options.build);
    setPlugins(config, options.system, python);
}

} // namespace kiln::trtexec
