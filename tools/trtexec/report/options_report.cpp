// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/options_report.h"

#include <kiln/kiln.h>

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

std::string precision(BuildOptions const& build) {
    if (build.stronglyTyped) {
        return "as in the model (strongly typed)";
    }
    std::string types = "FP32";
    for (auto const& [on, name] : {std::pair(build.fp16, "FP16"), std::pair(build.bf16, "BF16"),
                                   std::pair(build.int8, "INT8"), std::pair(build.fp8, "FP8"),
                                   std::pair(build.int4, "INT4"), std::pair(build.fp4, "FP4")}) {
        types += on ? fmt::format("+{}", name) : "";
    }
    return types;
}

std::string orDefault(std::optional<int32_t> value) {
    return value ? fmt::format("{}", *value) : "default";
}

void reportBuild(Options const& options, Logger& logger) {
    BuildOptions const& build = options.build;
    bool const loads = options.model.onnx.empty();
    logger.info("=== Build Options ===");
    auto const workspace = build.memoryPools.find(nvinfer1::MemoryPoolType::kWORKSPACE);
    logger.info(
        "Memory Pools: workspace: {}",
        workspace != build.memoryPools.end()
            ? fmt::format("{:g} MiB", static_cast<double>(workspace->second) / (1024.0 * 1024.0))
            : "default");
    logger.info("Builder optimization level: {}", orDefault(build.optimizationLevel));
    logger.info("Timing cache file: {}", build.timingCacheFile);
    logger.info("Precision: {}", loads ? "as built" : precision(build));
    logger.info("Strongly typed network: {}", enabled(build.stronglyTyped));
    logger.info("Sparsity: {}", build.prunes ? "Forced" : enabled(build.sparse));
    logger.info("Skip inference: {}", enabled(build.skipInference));
    logger.info("Save engine: {}", build.saveEngine);
    logger.info("Load engine: {}", options.model.loadEngine);
    std::vector<RangeMap> const profiles = loads ? std::vector<RangeMap>() : profileRanges(options);
    for (size_t i = 0; i < profiles.size(); ++i) {
        for (auto const& [name, range] : profiles[i]) {
            logger.info("Input build shape (profile {}): {}={}+{}+{}", i, name, toText(range.min),
                        toText(range.opt), toText(range.max));
        }
    }
    if (profiles.empty() || (profiles.size() == 1 && profiles.front().empty())) {
        logger.info("Input build shapes: model");
    }
}

void reportSystem(SystemOptions const& system, Logger& logger) {
    logger.info("=== System Options ===");
    logger.info("Device: 0");
    logger.info("Plugins: {}", fmt::format("{}", fmt::join(system.plugins, " ")));
    logger.info("Static plugins: {}", fmt::format("{}", fmt::join(system.staticPlugins, " ")));
    logger.info("Plugins in the plan: {}",
                fmt::format("{}", fmt::join(system.pluginsToSerialize, " ")));
    logger.info("Host code in plans: {}", system.allowHostCode ? "allowed" : "not allowed");
    logger.info("Python source in plans: {}", system.allowPythonSource ? "allowed" : "not allowed");
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
    logger.info("Sleep time: {:g}ms", inference.sleepMs);
    logger.info("Inference Streams: {}", inference.streams);
    logger.info("Threads: {}", enabled(inference.threads));
    logger.info("Optimization profile: {}", inference.profile);
    logger.info("Data transfers: {}",
                inference.noDataTransfers ? "before and after the runs" : "with each run");
    logger.info("CUDA graph: {}", enabled(inference.cudaGraph));
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
    logger.info("Export profile to JSON file: {}", reporting.exportProfile);
    logger.info("Export layer information to JSON file: {}", reporting.exportLayerInfo);
}

} // namespace

void reportOptions(Options const& options, Logger& logger) {
    reportModel(options.model, logger);
    reportBuild(options, logger);
    reportSystem(options.system, logger);
    reportInference(options.inference, logger);
    reportReporting(options.reporting, logger);
    for (std::string const& note : options.notes) {
        logger.info("Note: {}", note);
    }
    if (kiln::defaultTarget() == std::string("cpu")) {
        for (std::string const& note : options.cpuNotes) {
            logger.info("Note: {}", note);
        }
    }
    logger.info("");
}

} // namespace kiln::trtexec
