// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"
#include "run/layer_times.h"

namespace kiln::trtexec {

/// Prints and exports information about layers and profiles, for --dumpLayerInfo, --exportLayerInfo
/// and --dumpOptimizationProfile. Throws a Failure.
void reportLayers(nvinfer1::ICudaEngine& engine, ReportingOptions const& options, Logger& logger);

/// Prints a table: time, average, median and share of each layer.
void dumpLayerTimes(LayerTimes const& times, Logger& logger);

/// A JSON list: {"count": runs}, then {"name", "timeMs", "averageMs", "medianMs", "percentage"} for
/// each layer.
std::string layerTimesAsJson(LayerTimes const& times);

} // namespace kiln::trtexec
