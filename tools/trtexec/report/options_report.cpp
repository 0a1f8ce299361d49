// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/options_report.h"

namespace kiln::trtexec {
namespace {

char const* enabled(bool value) {
    return value ? "Enabled" : "Disabled";
}

void reportModel(ModelOptions const& model, Logger& logger) {
    logger.info("=== Model Options ===");
    logger.info("Format: {}", model.onnx.empty() ? "*" : "ONNX");
    logger.info("Model: {}", model.onnx);
    logger.info("Output:");
}

char const* precision(BuildOptions const& build) {
    if (build.stronglyTyped) {
        return "as in the model (strongly typed)";
    }
    return build.fp16 ? "FP32+FP16" : "FP32";
}

void reportBuild(Options const& options, Logger& logger) {
    BuildOptions const& build = options.build;
    bool const loads = options.model.onnx.empty();
    logger.info("=== Build Options ===");
    logger.info("Memory Pools: workspace: {}",
                build.workspaceBytes
                    ? fmt::format("{:g} MiB",
                                  static_cast<double>(*build.workspaceBytes) / (1024.0 * 1024.0))
                    : "default");
    logger.info("Precision: {}", loads ? "as built" : precision(build));
    logger.info("Strongly typed network: {}", enabled(build.stronglyTyped));
    logger.info("Skip inference: {}", enabled(build.skipInference));
    logger.info("Save engine: {}", build.saveEngine);
    logger.info("Load engine: {}", options.model.loadEngine);
    RangeMap const ranges = loads ? RangeMap() : profileRanges(options);
    for (auto const& [name, range] : ranges) {
        logger.info("Input build shape (profile 0): {}={}+{}+{}", name, toText(range.min),
                    toText(range.opt), toText(range.max));
    }
    if (ranges.empty()) {
        logger.info("Input build shapes: model");
    }
}

void reportSystem(SystemOptions const& system, Logger& logger) {
    logger.info("=== System Options ===");
    logger.info("Device: 0");
    logger.info("Plugins: {}", fmt::format("{}", fmt::join(system.plugins, " ")));
    logger.info("Static plugins: {}", fmt::format("{}", fmt::join(system.staticPlugins, " ")));
}

void reportInference(InferenceOptions const& inference, Logger& logger) {
    logger.info("=== Inference Options ===");
    logger.info("Batch: Explicit");
    for (auto const& [name, extents] : inference.shapes) {
        logger.info("Input inference shape : {}={}", name, toText(extents));
    }
    if (inference.shapes.empty()) {
        logger.info("Input inference shapes: model");
    }
    logger.info("Iterations: {}", inference.iterations);
    logger.info("Duration: {:g}s (+ {:g}ms warm up)", inference.durationS, inference.warmUpMs);
    logger.info("Idle time: {:g}ms", inference.idleMs);
    logger.info("Inference Streams: 1");
    logger.info("Data transfers: none on the cpu target{}",
                inference.noDataTransfers ? "; --noDataTransfers changes nothing" : "");
    logger.info("Inputs:");
    for (auto const& [name, file] : inference.loadInputs) {
        logger.info("{}<-{}", name, file);
    }
}

void reportReporting(ReportingOptions const& reporting, Logger& logger) {
    logger.info("=== Reporting Options ===");
    logger.info("Verbose: {}", enabled(reporting.verbose));
    logger.info("Averages: {} inferences", reporting.avgRuns);
    logger.info("Percentiles: {}", fmt::format("{}", fmt::join(reporting.percentiles, ",")));
    logger.info("Dump output: {}", enabled(reporting.dumpOutput));
    logger.info("Export timing to JSON file: {}", reporting.exportTimes);
    logger.info("Export output to JSON file: {}", reporting.exportOutput);
}

} // namespace

void reportOptions(Options const& options, Logger& logger) {
    reportModel(options.model, logger);
    reportBuild(options, logger);
    reportSystem(options.system, logger);
    reportInference(options.inference, logger);
    reportReporting(options.reporting, logger);
    logger.info("");
}

} // namespace kiln::trtexec
