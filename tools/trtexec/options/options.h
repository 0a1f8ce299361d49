// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "options/shapes.h"

namespace kiln::trtexec {

struct ModelOptions {
    std::string onnx;
    std::string loadEngine;
};

struct BuildOptions {
    std::string saveEngine;
    ShapeMap minShapes;
    ShapeMap optShapes;
    ShapeMap maxShapes;
    std::optional<size_t> workspaceBytes;
    bool fp16 = false;
    bool stronglyTyped = false;
    bool skipInference = false;
};

struct SystemOptions {
    std::vector<std::string> plugins;       ///< loaded through the plugin registry; .py too
    std::vector<std::string> staticPlugins; ///< opened only: they register themselves; .py too
};

struct InferenceOptions {
    ShapeMap shapes;
    std::map<std::string, std::string> loadInputs; ///< tensor name to file
    int64_t iterations = 10;
    double warmUpMs = 200;
    double durationS = 3;
    double idleMs = 0;
    bool noDataTransfers = false;
};

struct ReportingOptions {
    int64_t avgRuns = 10;
    std::vector<double> percentiles{90, 95, 99};
    std::string exportOutput;
    std::string exportTimes;
    bool dumpOutput = false;
    bool verbose = false;
};

struct Options {
    ModelOptions model;
    BuildOptions build;
    SystemOptions system;
    InferenceOptions inference;
    ReportingOptions reporting;
};

/// Reads the arguments (without the program's name); throws a Failure on anything that is unknown,
/// not supported yet, malformed or contradictory.
Options parseOptions(std::vector<std::string> const& arguments);

/// The text of --help.
std::string helpText();

/// The ranges for the optimization profile, from the shapes of both build and inference.
RangeMap profileRanges(Options const& options);

} // namespace kiln::trtexec
