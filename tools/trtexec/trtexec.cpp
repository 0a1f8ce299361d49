// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "trtexec.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include <NvInfer.h>
#include <kiln/kiln.h>
#include <nlohmann/json.hpp>

#include "failure.h"
#include "files.h"
#include "logger.h"
#include "options/options.h"
#include "python_host/host.h"
#include "python_host/python_files.h"
#include "report/device_report.h"
#include "report/layer_report.h"
#include "report/options_report.h"
#include "report/outputs.h"
#include "report/page.h"
#include "report/performance.h"
#include "run/debug_tensors.h"
#include "run/device.h"
#include "run/layer_times.h"
#include "run/measure.h"
#include "run/model.h"
#include "run/plugins.h"
#include "run/refit.h"
#include "run/streams.h"

namespace kiln::trtexec {
namespace {

/// Never destroyed: the library and plugins may log during process exit.
Logger& theLogger() {
    static Logger* const logger = new Logger;
    return *logger;
}

/// "TensorRT.trtexec [TensorRT v101601] [b11] # trtexec --onnx=...", the format that scripts
/// expect.
std::string titleOf(std::vector<std::string> const& arguments) {
    std::string title =
        fmt::format("TensorRT.trtexec [TensorRT v{}{:02}{:02}] [b{}] # trtexec", NV_TENSORRT_MAJOR,
                    NV_TENSORRT_MINOR, NV_TENSORRT_PATCH, NV_TENSORRT_BUILD);
    for (std::string const& argument : arguments) {
        title += " " + argument;
    }
    return title;
}

void printStatus(char const* status, std::string const& title) {
    std::printf("&&&& %s %s\n", status, title.c_str());
    std::fflush(stdout);
}

void say(int severity, char const* text) {
    theLogger().write(static_cast<Severity>(severity), text);
}

void exportResults(ReportingOptions const& options, std::vector<Query> const& runs,
                   Bindings const& bindings, Logger& logger) {
    if (options.dumpRawBindings) {
        dumpRawTensors(bindings.all(), logger);
    }
    if (options.dumpOutput) {
        dumpTensors(bindings.outputs(), logger);
    }
    if (!options.exportOutput.empty()) {
        std::string const text = tensorsAsJson(bindings.outputs());
        writeWhole(options.exportOutput, text.data(), text.size());
    }
    if (!options.exportTimes.empty()) {
        std::string const text = timesAsJson(runs);
        writeWhole(options.exportTimes, text.data(), text.size());
    }
}

bool wantsProfile(ReportingOptions const& options) {
    return options.dumpProfile || !options.exportProfile.empty() || !options.report.empty();
}

void setProfiler(std::vector<Stream> const& streams, nvinfer1::IProfiler* profiler) {
    for (Stream const& stream : streams) {
        stream.context->setProfiler(profiler);
        if (stream.context->getProfiler() != profiler) {
            fail("[run] the engine refused a profiler; the lines above say why");
        }
    }
}

/// Measures the runs, and the times of layers in the same runs or, with --separateProfileRun, in
/// separate runs.
std::vector<Query> measureWithProfile(Options const& options, std::vector<Stream> const& streams,
                                      LayerTimes& times, Logger& logger) {
    ReportingOptions const& reporting = options.reporting;
    bool const separate = options.inference.separateProfileRun;
    if (wantsProfile(reporting) && !separate) {
        setProfiler(streams, &times);
    }
    auto const forget = [&] { times.clear(); }; // excludes the warm-up
    std::vector<Query> runs = measure(streams, options.inference, logger, forget);
    reportPerformance(runs, reporting, logger);
    if (!wantsProfile(reporting)) {
        return runs;
    }
    if (separate) {
        logger.info("Running once more for the times of layers, as --separateProfileRun asks");
        setProfiler(streams, &times);
        measure(streams, options.inference, logger, forget);
    }
    setProfiler(streams, nullptr);
    if (reporting.dumpProfile) {
        dumpLayerTimes(times, logger);
    }
    if (!reporting.exportProfile.empty()) {
        std::string const text = layerTimesAsJson(times);
        writeWhole(reporting.exportProfile, text.data(), text.size());
    }
    return runs;
}

void execute(Options const& options, PythonFiles const& python, Logger& logger) {
    if (options.system.device != 0) {
        selectDevice(options.system.device);
    }
    if (options.system.numThreads > 0) {
        kiln::setNumThreads(options.system.numThreads);
    }
    reportOptions(options, logger);
    bool const loads = !options.model.loadEngine.empty();
    if (!loads) {
        reportDevice(kiln::defaultTarget(), options.build.skipInference, logger);
    }
    loadPlugins(options.system, python, logger);
    OpenEngine const open = makeEngine(options, python, logger);
    if (loads && open.engine != nullptr) { // the plan determines the device
        useDeviceOf(*open.engine);
        reportDevice(device().target(), options.build.skipInference, logger);
    }
    if (open.engine != nullptr) {
        refit(*open.engine, options, logger);
        reportLayers(*open.engine, options.reporting, logger);
    }
    LayerTimes times;
    bool const page = !options.reporting.report.empty() && open.engine != nullptr;
    if (options.build.skipInference) {
        if (page) {
            writePage(options, *open.engine, times, {}, logger);
        }
        logger.info("Skipped inference phase since --skipInference is added.");
        return;
    }
    std::vector<Stream> const streams = makeStreams(*open.engine, options.inference, logger);
    saveDebugTensors(*streams.front().context, options.inference, logger);
    std::vector<Query> const runs = measureWithProfile(options, streams, times, logger);
    Stream const& first = streams.front();
    first.bindings->download(first.device->handle());
    first.device->wait();
    exportResults(options.reporting, runs, *first.bindings, logger);
    if (page) {
        writePage(options, *open.engine, times, runs, logger);
    }
}

/// Prints the version that wrote a plan, even if this version cannot open it.
void printPlanVersion(std::string const& path, Logger& logger) {
    requireFile("--loadEngine", path);
    std::unique_ptr<nvinfer1::IHostMemory> const text(kiln::describePlan(path.c_str(), logger));
    if (text == nullptr) {
        fail("[run] the plan '{}' could not be read; the lines above say why", path);
    }
    char const* const begin = static_cast<char const*>(text->data());
    auto const plan = nlohmann::json::parse(begin, begin + text->size());
    if (!plan.contains("kiln_version")) {
        fail("[run] the plan '{}' does not tell its version: {}", path,
             plan.at("problems").at(0).at("text").get<std::string>());
    }
    logger.info("Plan version: Kiln {}", plan.at("kiln_version").get<std::string>());
}

bool asksForHelp(std::vector<std::string> const& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](std::string const& argument) {
        return argument == "--help" || argument == "-h";
    });
}

} // namespace

int runTrtexec(std::vector<std::string> const& arguments, KilnTrtexecPython const* python) {
    Logger& logger = theLogger();
    std::string const title = titleOf(arguments);
    bool const hosted = python != nullptr;
    if (asksForHelp(arguments)) {
        std::fputs(helpText().c_str(), stdout);
        return 0;
    }
    try {
        if (!hosted) { // otherwise already printed
            printStatus("RUNNING", title);
        }
        Options const options = parseOptions(arguments);
        logger.setVerbose(options.reporting.verbose);
        if (needsPython(options.system) && !hosted) {
            return continueUnderPython(arguments, title, logger);
        }
        if (options.model.planVersionOnly) {
            printPlanVersion(options.model.loadEngine, logger);
        } else {
            execute(options, pythonFiles(python, &say), logger);
        }
    } catch (std::exception const& failure) {
        logger.error("{}", failure.what());
        printStatus("FAILED", title);
        return 1;
    }
    printStatus("PASSED", title);
    return 0;
}

} // namespace kiln::trtexec
