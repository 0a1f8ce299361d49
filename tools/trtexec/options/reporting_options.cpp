// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/option_table.h"
#include "options/values.h"

namespace kiln::trtexec {

OptionGroup reportingOptions() {
    using enum Effect;
    return {
        "Reporting",
        {
            {"--verbose", "", kWorks, "Log everything.",
             [](Options& o, std::string const&) { o.reporting.verbose = true; }},
            {"--avgRuns", "=N", kWorks, "Runs per line of the trace (default 10).",
             [](Options& o, std::string const& value) {
                 o.reporting.avgRuns = parseCount("--avgRuns", value, 1);
             }},
            {"--percentile", "=P,...", kWorks, "Percentiles to report (default 90,95,99).",
             [](Options& o, std::string const& value) {
                 o.reporting.percentiles = parsePercentiles("--percentile", value);
             }},
            {"--dumpOutput", "", kWorks, "Print the outputs of the last run.",
             [](Options& o, std::string const&) { o.reporting.dumpOutput = true; }},
            {"--dumpRawBindingsToFile", "", kWorks,
             "Write each input and output of the last run to a file NAME.SHAPE.TYPE.raw.",
             [](Options& o, std::string const&) { o.reporting.dumpRawBindings = true; }},
            {"--dumpProfile", "", kWorks, "Print the time that each layer took.",
             [](Options& o, std::string const&) { o.reporting.dumpProfile = true; }},
            {"--dumpLayerInfo", "", kWorks,
             "Print what the engine tells about its layers; build with "
             "--profilingVerbosity=detailed to see all.",
             [](Options& o, std::string const&) { o.reporting.dumpLayerInfo = true; }},
            {"--dumpOptimizationProfile", "", kWorks,
             "Print the shapes of the optimization profiles.",
             [](Options& o, std::string const&) { o.reporting.dumpOptimizationProfile = true; }},
            {"--exportTimes", "=FILE", kWorks, "Write the times of every run as JSON.",
             [](Options& o, std::string const& value) { o.reporting.exportTimes = value; }},
            {"--exportOutput", "=FILE", kWorks, "Write the outputs of the last run as JSON.",
             [](Options& o, std::string const& value) { o.reporting.exportOutput = value; }},
            {"--exportProfile", "=FILE", kWorks, "Write the times of the layers as JSON.",
             [](Options& o, std::string const& value) { o.reporting.exportProfile = value; }},
            {"--exportLayerInfo", "=FILE", kWorks,
             "Write what the engine tells about its layers as JSON.",
             [](Options& o, std::string const& value) { o.reporting.exportLayerInfo = value; }},
            {"--report", "=FILE", kWorks,
             "Write a page that shows the graph, the times of the layers and the kernels that were "
             "considered (see `kiln report`); builds with --profilingVerbosity=detailed.",
             [](Options& o, std::string const& value) {
                 o.reporting.report = value;
                 o.build.profilingVerbosity = nvinfer1::ProfilingVerbosity::kDETAILED;
             }},
            {"--nvtxMode", "=MODE", kWorks,
             "Which NVTX ranges profilers see: default (runs and names of layers), verbose (also "
             "their kernels; builds with --profilingVerbosity=detailed) or none.",
             [](Options& o, std::string const& value) {
                 o.inference.nvtxVerbosity = parseNvtxMode("--nvtxMode", value);
                 if (o.inference.nvtxVerbosity == nvinfer1::ProfilingVerbosity::kDETAILED) {
                     o.build.profilingVerbosity = nvinfer1::ProfilingVerbosity::kDETAILED;
                 }
             }},
            {"--dumpRefit", "", kWorks, "Print the weights that can be replaced.",
             [](Options& o, std::string const&) { o.reporting.dumpRefit = true; }},
        }};
}

} // namespace kiln::trtexec
