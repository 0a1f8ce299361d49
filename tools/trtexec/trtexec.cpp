// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "trtexec.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>

#include <NvInfer.h>

#include "failure.h"
#include "files.h"
#include "logger.h"
#include "options/options.h"
#include "python_host/host.h"
#include "report/device_report.h"
#include "report/options_report.h"
#include "report/outputs.h"
#include "report/performance.h"
#include "run/bindings.h"
#include "run/measure.h"
#include "run/model.h"
#include "run/plugins.h"

namespace kiln::trtexec {
namespace {

/// Never destroyed: the library and plugins may log while the process ends.
Logger& theLogger() {
    static Logger* const logger = new Logger;
    return *logger;
}

/// "TensorRT.trtexec [TensorRT v101601] [b11] # trtexec --onnx=...", what scripts look for.
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

PythonLoader pythonLoader(KilnTrtexecLoadPython load) {
    return [load](std::string const& path) {
        KilnTrtexecSay const say = [](int severity, char const* text) {
            theLogger().write(static_cast<Severity>(severity), text);
        };
        requireFile("--plugins", path);
        if (load(path.c_str(), say) != 0) {
            fail("[plugins] the Python file '{}' could not be used; the lines above say why", path);
        }
    };
}

void exportResults(ReportingOptions const& options, std::vector<Query> const& runs,
                   Bindings const& bindings, Logger& logger) {
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

void execute(Options const& options, KilnTrtexecLoadPython load, Logger& logger) {
    reportOptions(options, logger);
    reportDevice(logger);
    loadPlugins(options.system, pythonLoader(load), logger);
    OpenEngine const open = makeEngine(options, logger);
    if (options.build.skipInference) {
        logger.info("Skipped inference phase since --skipInference is added.");
        return;
    }
    std::unique_ptr<nvinfer1::IExecutionContext> const context(
        open.engine->createExecutionContext());
    if (context == nullptr) {
        fail("[run] no execution context could be made; the lines above say why");
    }
    logger.info("Created execution context with device memory size: {:g} MiB",
                static_cast<double>(open.engine->getDeviceMemorySizeV2()) / (1024.0 * 1024.0));
    Bindings const bindings(*context, options.inference, logger);
    std::vector<Query> const runs = measure(*context, options.inference, logger);
    reportPerformance(runs, options.reporting, logger);
    exportResults(options.reporting, runs, bindings, logger);
}

bool asksForHelp(std::vector<std::string> const& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [](std::string const& argument) {
        return argument == "--help" || argument == "-h";
    });
}

} // namespace

int runTrtexec(std::vector<std::string> const& arguments, KilnTrtexecLoadPython load) {
    Logger& logger = theLogger();
    std::string const title = titleOf(arguments);
    bool const hosted = load != nullptr;
    if (asksForHelp(arguments)) {
        std::fputs(helpText().c_str(), stdout);
        return 0;
    }
    try {
        if (!hosted) { // else the line is out already
            printStatus("RUNNING", title);
        }
        Options const options = parseOptions(arguments);
        logger.setVerbose(options.reporting.verbose);
        if (needsPython(options.system) && !hosted) {
            return continueUnderPython(arguments, title, logger);
        }
        execute(options, load, logger);
    } catch (std::exception const& failure) {
        logger.error("{}", failure.what());
        printStatus("FAILED", title);
        return 1;
    }
    printStatus("PASSED", title);
    return 0;
}

} // namespace kiln::trtexec
