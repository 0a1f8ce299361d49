// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/model.h"

#include <chrono>

#include <kiln/kiln.h>

#include "failure.h"
#include "files.h"
#include "run/build.h"

namespace kiln::trtexec {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::unique_ptr<nvinfer1::IRuntime> makeRuntime(Logger& logger) {
    std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(logger));
    if (runtime == nullptr) {
        fail("[run] no runtime could be made; the lines above say why");
    }
    return runtime;
}

} // namespace

OpenEngine makeEngine(Options const& options, Logger& logger) {
    OpenEngine open;
    std::string const& path = options.model.loadEngine;
    if (!path.empty()) {
        requireFile("--loadEngine", path);
        open.runtime = makeRuntime(logger);
        Clock::time_point const begin = Clock::now();
        open.engine.reset(kiln::openEngine(*open.runtime, path.c_str()));
        if (open.engine == nullptr) {
            fail("[run] the plan '{}' could not be opened; the lines above say why", path);
        }
        logger.info("Engine loaded in {:g} sec.", secondsSince(begin));
        return open;
    }

    Clock::time_point begin = Clock::now();
    std::unique_ptr<nvinfer1::IHostMemory> const plan = buildPlan(options, logger);
    logger.info("Engine built in {:g} sec.", secondsSince(begin));
    logger.info("Created engine with size: {:g} MiB",
                static_cast<double>(plan->size()) / (1024.0 * 1024.0));
    if (!options.build.saveEngine.empty()) {
        writeWhole(options.build.saveEngine, plan->data(), plan->size());
        logger.info("Engine saved to {}", options.build.saveEngine);
    }
    if (options.build.skipInference) {
        return open;
    }
    begin = Clock::now();
    open.runtime = makeRuntime(logger);
    open.engine.reset(open.runtime->deserializeCudaEngine(plan->data(), plan->size()));
    if (open.engine == nullptr) {
        fail("[run] the plan that was just built could not be opened; the lines above say why");
    }
    logger.info("Engine deserialized in {:g} sec.", secondsSince(begin));
    return open;
}

} // namespace kiln::trtexec
