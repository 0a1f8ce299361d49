// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/model.h"

#include <chrono>

#include <kiln/kiln.h>
#include <kiln/python_source.h>

#include "failure.h"
#include "files.h"
#include "run/build.h"

namespace kiln::trtexec {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::unique_ptr<nvinfer1::IRuntime> makeRuntime(SystemOptions const& system, Logger& logger) {
    std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(logger));
    if (runtime == nullptr) {
        fail("[run] no runtime could be made; the lines above say why");
    }
    runtime->setEngineHostCodeAllowed(system.allowHostCode);
    kiln::setPythonSourceAllowed(*runtime, system.allowPythonSource);
    if (!system.temporaryFolder.empty()) {
        runtime->setTemporaryDirectory(system.temporaryFolder.c_str());
    }
    if (system.tempfileControls) {
        runtime->setTempfileControlFlags(*system.tempfileControls);
    }
    return runtime;
}

/// Implements --timeDeserialize; `open` opens the plan.
template <typename Open>
void timeDeserialize(Open open, Logger& logger) {
    constexpr int kTimes = 10;
    Clock::time_point const begin = Clock::now();
    for (int i = 0; i < kTimes; ++i) {
        std::unique_ptr<nvinfer1::ICudaEngine> const engine(open());
        if (engine == nullptr) {
            fail("[run] --timeDeserialize: the plan could not be opened again; the lines above say "
                 "why");
        }
    }
    logger.info("Engine deserialized {} times, {:g} ms each", kTimes,
                secondsSince(begin) * 1000 / kTimes);
}

OpenEngine openPlanFile(Options const& options, Logger& logger) {
    OpenEngine open;
    std::string const& path = options.model.loadEngine;
    requireFile("--loadEngine", path);
    open.runtime = makeRuntime(options.system, logger);
    auto const openOnce = [&] { return kiln::openEngine(*open.runtime, path.c_str()); };
    Clock::time_point const begin = Clock::now();
    open.engine.reset(openOnce());
    if (open.engine == nullptr) {
        fail("[run] the plan '{}' could not be opened; the lines above say why", path);
    }
    logger.info("Engine loaded in {:g} sec.", secondsSince(begin));
    if (options.inference.timeDeserialize) {
        timeDeserialize(openOnce, logger);
    }
    return open;
}

} // namespace

OpenEngine makeEngine(Options const& options, PythonFiles const& python, Logger& logger) {
    if (!options.model.loadEngine.empty()) {
        return openPlanFile(options, logger);
    }
    OpenEngine open;
    Clock::time_point begin = Clock::now();
    std::unique_ptr<nvinfer1::IHostMemory> const plan = buildPlan(options, python, logger);
    logger.info("Engine built in {:g} sec.", secondsSince(begin));
    logger.info("Created engine with size: {:g} MiB",
                static_cast<double>(plan->size()) / (1024.0 * 1024.0));
    if (!options.build.saveEngine.empty()) {
        writeWhole(options.build.saveEngine, plan->data(), plan->size());
        logger.info("Engine saved to {}", options.build.saveEngine);
    }
    bool const asksEngine = !options.reporting.exportLayerInfo.empty() ||
                            options.reporting.dumpLayerInfo || !options.reporting.report.empty() ||
                            options.reporting.dumpOptimizationProfile;
    if (options.build.skipInference && !asksEngine) {
        return open;
    }
    begin = Clock::now();
    open.runtime = makeRuntime(options.system, logger);
    auto const openOnce = [&] {
        return open.runtime->deserializeCudaEngine(plan->data(), plan->size());
    };
    open.engine.reset(openOnce());
    if (open.engine == nullptr) {
        fail("[run] the plan that was just built could not be opened; the lines above say why");
    }
    logger.info("Engine deserialized in {:g} sec.", secondsSince(begin));
    if (options.inference.timeDeserialize) {
        timeDeserialize(openOnce, logger);
    }
    return open;
}

} // namespace kiln::trtexec
