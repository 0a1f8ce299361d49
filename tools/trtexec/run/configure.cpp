// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/configure.h"

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::BuilderFlag;

[[noreturn]] void builderRefused(char const* option) {
    fail("[build] the builder refused {}; the lines above say why", option);
}

/// Configurations report what they refuse and stay as they are, so each setting is read back.
void setFlag(nvinfer1::IBuilderConfig& config, BuilderFlag flag, char const* option) {
    config.setFlag(flag);
    if (!config.getFlag(flag)) {
        builderRefused(option);
    }
}

void setFlags(nvinfer1::IBuilderConfig& config, BuildOptions const& build) {
    if (build.fp16) {
        setFlag(config, BuilderFlag::kFP16, "--fp16");
    }
    if (build.bf16) {
        setFlag(config, BuilderFlag::kBF16, "--bf16");
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
}

void setPreviewFeatures(nvinfer1::IBuilderConfig& config, BuildOptions const& build) {
    for (auto const& [feature, on] : build.previewFeatures) {
        config.setPreviewFeature(feature, on);
        if (config.getPreviewFeature(feature) != on) {
            builderRefused("a feature of --preview");
        }
    }
}

void setPlugins(nvinfer1::IBuilderConfig& config, SystemOptions const& system) {
    std::vector<char const*> paths;
    for (std::string const& path : system.pluginsToSerialize) {
        requireFile("--setPluginsToSerialize", path);
        paths.push_back(path.c_str());
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

void setFormat(nvinfer1::ITensor& tensor, IOFormat const& format) {
    if (tensor.getType() != format.type) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        tensor.setType(format.type);
#pragma GCC diagnostic pop
    }
    tensor.setAllowedFormats(format.formats);
    if (tensor.getType() != format.type || tensor.getAllowedFormats() != format.formats) {
        fail("[build] tensor '{}': the network refused its type or format of --inputIOFormats or "
             "--outputIOFormats; the lines above say why",
             tensor.getName());
    }
}

template <typename At>
void setFormats(char const* option, std::vector<IOFormat> const& formats, int32_t count, At at) {
    if (formats.empty()) {
        return;
    }
    if (formats.size() != 1 && formats.size() != static_cast<size_t>(count)) {
        fail("[build] {}: expected 1 or {} of TYPE:FORMAT, got {}", option, count, formats.size());
    }
    for (int32_t i = 0; i < count; ++i) {
        setFormat(*at(i), formats[formats.size() == 1 ? 0 : static_cast<size_t>(i)]);
    }
}

nvinfer1::ITensor* findTensor(nvinfer1::INetworkDefinition const& network,
                              std::string const& name) {
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        if (name == network.getInput(i)->getName()) {
            return network.getInput(i);
        }
    }
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        nvinfer1::ILayer const& layer = *network.getLayer(i);
        for (int32_t k = 0; k < layer.getNbOutputs(); ++k) {
            if (name == layer.getOutput(k)->getName()) {
                return layer.getOutput(k);
            }
        }
    }
    return nullptr;
}

} // namespace

void configure(nvinfer1::IBuilderConfig& config, Options const& options) {
    setFlags(config, options.build);
    setTuning(config, options.build);
    setPreviewFeatures(config, options.build);
    setPlugins(config, options.system);
}

void adjustNetwork(nvinfer1::INetworkDefinition& network, BuildOptions const& build) {
    setFormats("--inputIOFormats", build.inputFormats, network.getNbInputs(),
               [&](int32_t i) { return network.getInput(i); });
    setFormats("--outputIOFormats", build.outputFormats, network.getNbOutputs(),
               [&](int32_t i) { return network.getOutput(i); });
    for (std::string const& name : build.debugTensors) {
        nvinfer1::ITensor* const tensor = findTensor(network, name);
        if (tensor == nullptr) {
            fail("[build] --markDebug: the network has no tensor '{}'. --verbose lists the "
                 "layers",
                 name);
        }
        if (!network.markDebug(*tensor)) {
            builderRefused("--markDebug");
        }
    }
    if (build.markUnfusedTensors && !network.markUnfusedTensorsAsDebugTensors()) {
        builderRefused("--markUnfusedTensorsAsDebugTensors");
    }
}

} // namespace kiln::trtexec
