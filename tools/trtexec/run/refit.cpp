// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/refit.h"

#include <chrono>
#include <memory>
#include <vector>

#include <NvOnnxParser.h>

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {
namespace {

std::unique_ptr<nvinfer1::IRefitter> refitterOf(nvinfer1::ICudaEngine& engine, Logger& logger) {
    std::unique_ptr<nvinfer1::IRefitter> refitter(nvinfer1::createInferRefitter(engine, logger));
    if (refitter == nullptr) {
        fail("[refit] the engine takes no new weights; pass --refit when you build it");
    }
    return refitter;
}

void dumpWeights(nvinfer1::IRefitter& refitter, Logger& logger) {
    auto const count = refitter.getAllWeights(0, nullptr);
    std::vector<char const*> names(static_cast<size_t>(count));
    refitter.getAllWeights(count, names.data());
    logger.info("Refittable weights: {}", count);
    for (char const* const name : names) {
        nvinfer1::Weights const prototype = refitter.getWeightsPrototype(name);
        logger.info("  {}: {} elements", name, prototype.count);
    }
}

void refitFrom(std::string const& path, nvinfer1::IRefitter& refitter, bool times, Logger& logger) {
    requireFile("--refitFromOnnx", path);
    std::unique_ptr<nvonnxparser::IParserRefitter> const parser(
        nvonnxparser::createParserRefitter(refitter, logger));
    if (parser == nullptr || !parser->refitFromFile(path.c_str())) {
        fail("[refit] the weights of the ONNX model '{}' could not be set; the lines above say why",
             path);
    }
    auto const begin = std::chrono::steady_clock::now();
    if (!refitter.refitCudaEngine()) {
        fail("[refit] the engine refused the weights of '{}'; the lines above say why", path);
    }
    if (times) {
        logger.info(
            "Engine refitted in {:g} sec.",
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
}

} // namespace

void refit(nvinfer1::ICudaEngine& engine, Options const& options, Logger& logger) {
    bool const times = options.inference.timeRefit;
    std::string const& path = options.build.refitFromOnnx.empty() && times
                                  ? options.model.onnx
                                  : options.build.refitFromOnnx;
    if (times && path.empty()) {
        fail("[options] --timeRefit needs weights. Pass --refitFromOnnx=FILE");
    }
    if (path.empty() && !options.reporting.dumpRefit) {
        return;
    }
    auto const refitter = refitterOf(engine, logger);
    if (options.reporting.dumpRefit) {
        dumpWeights(*refitter, logger);
    }
    if (!path.empty()) {
        refitFrom(path, *refitter, times, logger);
    }
}

} // namespace kiln::trtexec
