// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "options/unsupported.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace kiln::trtexec {
namespace {

constexpr std::array kUnsupported{
    // model and build
    "--allowGPUFallback", "--allowWeightStreaming", "--asyncFileReader", "--avgTiming", "--best",
    "--bf16", "--buildDLAStandalone", "--buildOnly", "--builderOptimizationLevel", "--calib",
    "--calibProfile", "--consistency", "--decomposableAttentions", "--directIO",
    "--distributiveIndependence", "--dumpKernelText", "--errorOnTimingCacheMiss",
    "--excludeLeanRuntime", "--fp4", "--fp8", "--getPlanVersionOnly",
    "--hardwareCompatibilityLevel", "--heuristic", "--inputIOFormats", "--int4", "--int8",
    "--l2LimitForTiling", "--layerDeviceTypes", "--layerOutputTypes", "--layerPrecisions",
    "--leanDLLPath", "--markDebug", "--markUnfusedTensorsAsDebugTensors", "--maxAuxStreams",
    "--maxShapesCalib", "--maxTactics", "--minShapesCalib", "--minTiming", "--monitorMemory",
    "--noBuilderCache", "--noCompilationCache", "--noTF32", "--optShapesCalib", "--outputIOFormats",
    "--pi", "--pluginInstanceNorm", "--precisionConstraints", "--preview", "--profile",
    "--profilingVerbosity", "--refit", "--remoteAutoTuningConfig", "--restricted",
    "--runtimePlatform", "--safe", "--sparsity", "--stripAllWeights", "--stripWeights",
    "--tacticSources", "--tempdir", "--tempfileControls", "--tilingOptimizationLevel",
    "--timingCacheFile", "--uint8AsymmetricQuantizationDLA", "--useRuntime", "--vc",
    "--versionCompatible", "--weightStreamingBudget", "--weightless",
    // system
    "--ignoreParsedPluginLibs", "--setPluginsToSerialize", "--useDLACore",
    // inference
    "--allocationStrategy", "--exposeDMA", "--infStreams", "--persistentCacheRatio",
    "--saveAllDebugTensors", "--saveDebugTensors", "--separateProfileRun", "--sleepTime",
    "--streams", "--threads", "--timeDeserialize", "--timeRefit", "--useCudaGraph",
    "--useManagedMemory", "--useProfile", "--useSpinWait",
    // reporting
    "--dumpLayerInfo", "--dumpOptimizationProfile", "--dumpProfile", "--dumpRawBindingsToFile",
    "--dumpRefit", "--exportLayerInfo", "--exportProfile", "--nvtxMode"};

/// Levenshtein distance; case counts for nothing.
size_t distance(std::string_view a, std::string_view b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = std::exchange(row[0], i);
        for (size_t j = 1; j <= b.size(); ++j) {
            size_t const replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

} // namespace

bool isUnsupportedOption(std::string_view name) {
    return std::find(kUnsupported.begin(), kUnsupported.end(), name) != kUnsupported.end();
}

std::vector<std::string> nearNames(std::string_view name, std::vector<std::string> const& names) {
    std::vector<std::pair<size_t, std::string>> ranked;
    size_t const limit = std::max<size_t>(1, name.size() / 4);
    for (std::string const& candidate : names) {
        size_t const apart = distance(name, candidate);
        if (apart <= limit) {
            ranked.emplace_back(apart, candidate);
        }
    }
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min<size_t>(ranked.size(), 3));
    std::vector<std::string> near;
    for (auto& entry : ranked) {
        near.push_back(std::move(entry.second));
    }
    return near;
}

} // namespace kiln::trtexec
