// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/build.h"

#include <chrono>
#include <optional>

#include <NvOnnxParser.h>

#include "failure.h"
#include "files.h"
#include "run/adjust_network.h"
#include "run/calibration.h"
#include "run/configure.h"
#include "run/layer_settings.h"
#include "run/profile.h"
#include "run/prune.h"
#include "run/timing_cache.h"

namespace kiln::trtexec {
namespace {

template <typename T>
T* made(T* object, char const* what) {
    if (object == nullptr) {
        fail("[build] no {} could be made; the lines above say why", what);
    }
    return object;
}

nvinfer1::NetworkDefinitionCreationFlags networkFlags(BuildOptions const& build) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    using Flag = nvinfer1::NetworkDefinitionCreationFlag;
    auto const typed = Flag::kSTRONGLY_TYPED;
#pragma GCC diagnostic pop
    auto const bit = [](bool wanted, Flag flag) {
        return wanted ? 1U << static_cast<uint32_t>(flag) : 0U;
    };
    return bit(build.stronglyTyped, typed) |
           bit(build.pluginMode == PluginMode::kJustInTime, Flag::kPREFER_JIT_PYTHON_PLUGINS) |
           bit(build.pluginMode == PluginMode::kAheadOfTime, Flag::kPREFER_AOT_PYTHON_PLUGINS);
}

using ParserPointer = std::unique_ptr<nvonnxparser::IParser>;

/// The parser owns the weights of the network, so it must exist until the plan is built.
ParserPointer parse(nvinfer1::INetworkDefinition& network, std::string const& path,
                    Logger& logger) {
    requireFile("--onnx", path);
    ParserPointer parser(made(nvonnxparser::createParser(network, logger), "ONNX parser"));
    auto const begin = std::chrono::steady_clock::now();
    if (!parser->parseFromFile(path.c_str(), static_cast<int>(Severity::kINFO))) {
        fail("[build] the ONNX model '{}' could not be read; the lines above say why", path);
    }
    logger.info("Finished parsing network model. Parse time: {:g}",
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    return parser;
}

} // namespace

std::unique_ptr<nvinfer1::IHostMemory> buildPlan(Options const& options, PythonFiles const& python,
                                                 Logger& logger) {
    std::unique_ptr<nvinfer1::IBuilder> const builder(
        made(nvinfer1::createInferBuilder(logger), "builder"));
    std::unique_ptr<nvinfer1::INetworkDefinition> const network(
        made(builder->createNetworkV2(networkFlags(options.build)), "network"));
    ParserPointer const parser = parse(*network, options.model.onnx, logger);

    std::unique_ptr<nvinfer1::IBuilderConfig> const config(
        made(builder->createBuilderConfig(), "builder configuration"));
    adjustNetwork(*network, options.build);
    std::optional<PrunedWeights> pruned;
    if (options.build.prunes) {
        pruned.emplace(*network, logger);
    }
    makeUpRanges(*network, options.build, logger);
    configure(*config, options, python);
    setLayers(*network, *config, options.build.layers, logger);
    std::unique_ptr<nvinfer1::IInt8Calibrator> const calibrator = calibratorFor(options.build);
    if (calibrator != nullptr) {
        config->setInt8Calibrator(calibrator.get());
    }
    for (RangeMap const& ranges : profileRanges(options)) {
        addProfile(*builder, *network, *config, ranges, logger);
    }
    std::optional<TimingCacheFile> cache;
    if (!options.build.timingCacheFile.empty()) {
        cache.emplace(options.build.timingCacheFile, *config, logger);
    }

    std::unique_ptr<nvinfer1::IHostMemory> plan(builder->buildSerializedNetwork(*network, *config));
    if (plan == nullptr) {
        fail("[build] no engine could be built from '{}'; the lines above say why",
             options.model.onnx);
    }
    if (cache) {
        cache->store();
    }
    return plan;
}

} // namespace kiln::trtexec
