// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <NvInfer.h>

#include "options/layer_options.h"
#include "options/shapes.h"

namespace kiln::trtexec {

struct ModelOptions {
    std::string onnx;
    std::string loadEngine;
    bool planVersionOnly = false;
};

/// The shapes of one optimization profile on the command line.
struct ProfileShapes {
    ShapeMap min;
    ShapeMap opt;
    ShapeMap max;
};

/// "fp32:chw+hwc8"
struct IOFormat {
    nvinfer1::DataType type;
    nvinfer1::TensorFormats formats;
};

/// Which function of a decorated plugin to use if it has both.
enum class PluginMode { kAsked, kJustInTime, kAheadOfTime };

struct BuildOptions {
    std::string saveEngine;
    std::vector<ProfileShapes> profiles{1};
    size_t currentProfile = 0; ///< while parsing: index from the last --profile
    std::vector<IOFormat> inputFormats;
    std::vector<IOFormat> outputFormats;
    std::map<nvinfer1::MemoryPoolType, size_t> memoryPools; ///< bytes
    std::map<nvinfer1::PreviewFeature, bool> previewFeatures;
    std::vector<std::string> debugTensors;
    LayerOptions layers;
    std::string timingCacheFile;
    std::string calibrationCache; ///< of --int8
    std::optional<int32_t> optimizationLevel;
    std::optional<int32_t> maxTactics;
    std::optional<int32_t> avgTiming;
    nvinfer1::ProfilingVerbosity profilingVerbosity =
        nvinfer1::ProfilingVerbosity::kLAYER_NAMES_ONLY;
    PluginMode pluginMode = PluginMode::kAsked;
    bool fp16 = false;
    bool bf16 = false;
    bool int8 = false;
    bool fp8 = false;
    bool int4 = false;
    bool fp4 = false;
    bool versionCompatible = false;
    bool noTf32 = false;
    bool gpuFallback = false;
    bool directIO = false;
    bool sparse = false;
    bool prunes = false; ///< --sparsity=force
    bool stronglyTyped = false;
    bool skipInference = false;
    bool markUnfusedTensors = false;
    bool noTimingCache = false;
    bool errorOnCacheMiss = false;
    bool refit = false;
    bool stripWeights = false;
    bool weightStreaming = false;
    nvinfer1::HardwareCompatibilityLevel compatibility =
        nvinfer1::HardwareCompatibilityLevel::kNONE;
    std::string refitFromOnnx;
};

struct SystemOptions {
    std::vector<std::string> plugins;       ///< loaded through the plugin registry; also .py
    std::vector<std::string> staticPlugins; ///< opened only: they register themselves; also .py
    std::vector<std::string> pluginsToSerialize;
    std::string temporaryFolder;
    std::optional<nvinfer1::TempfileControlFlags> tempfileControls;
    bool allowHostCode = false;
    bool allowPythonSource = false;
    int32_t device = 0;
    int32_t numThreads = 0; ///< 0: the default
};

/// How much of an engine's weights stays on the device.
struct WeightBudget {
    enum class Kind { kAll, kAutomatic, kPercent, kBytes };
    Kind kind = Kind::kAll;
    double amount = 0; ///< percent or bytes
};

struct InferenceOptions {
    WeightBudget weightBudget;
    std::optional<nvinfer1::ProfilingVerbosity> nvtxVerbosity; ///< none: that of a new context
    ShapeMap shapes;
    std::map<std::string, std::string> loadInputs; ///< tensor name to file
    std::map<std::string, std::string> debugFiles; ///< tensor name to file
    std::vector<std::string> debugFormats;         ///< from --saveAllDebugTensors
    nvinfer1::ExecutionContextAllocationStrategy allocation =
        nvinfer1::ExecutionContextAllocationStrategy::kSTATIC;
    int32_t profile = 0;
    int64_t iterations = 10;
    int64_t streams = 1;
    double warmUpMs = 200;
    double durationS = 3;
    double sleepMs = 0;
    double idleMs = 0;
    bool endless = false;
    bool threads = false;
    bool timeDeserialize = false;
    bool separateProfileRun = false;
    bool noDataTransfers = false;
    bool cudaGraph = false;
    bool timeRefit = false;
};

struct ReportingOptions {
    int64_t avgRuns = 10;
    std::vector<double> percentiles{90, 95, 99};
    std::string exportOutput;
    std::string exportTimes;
    std::string exportProfile;
    std::string exportLayerInfo;
    std::string report; ///< file of the page; empty: none
    bool dumpOutput = false;
    bool dumpRawBindings = false;
    bool dumpProfile = false;
    bool dumpLayerInfo = false;
    bool dumpOptimizationProfile = false;
    bool verbose = false;
    bool dumpRefit = false;
};

struct Options {
    ModelOptions model;
    BuildOptions build;
    SystemOptions system;
    InferenceOptions inference;
    ReportingOptions reporting;
    std::vector<std::string> notes;    ///< "--useSpinWait has no effect: ..."
    std::vector<std::string> cpuNotes; ///< "--useCudaGraph has no effect on the cpu target: ..."
};

/// Parses the arguments (without the program name); throws a Failure for options that are unknown,
/// refused, malformed or contradictory.
Options parseOptions(std::vector<std::string> const& arguments);

/// The text of --help.
std::string helpText();

/// The ranges of each optimization profile, from the build and inference shapes.
std::vector<RangeMap> profileRanges(Options const& options);

/// Selects profile `index` for the shapes that follow on the command line; throws a Failure if an
/// index before it is missing.
void selectProfile(Options& options, size_t index);

} // namespace kiln::trtexec
