// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/layer_report.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "failure.h"
#include "files.h"
#include "report/statistics.h"

namespace kiln::trtexec {
namespace {

using nvinfer1::LayerInformationFormat;
using nvinfer1::OptProfileSelector;

struct Row {
    std::string name;
    double totalMs = 0;
    double averageMs = 0;
    double medianMs = 0;
    double percentage = 0;
};

std::vector<Row> rowsOf(LayerTimes const& times) {
    std::vector<Row> rows;
    double sum = 0;
    for (LayerTimes::Layer const& layer : times.layers()) {
        std::vector<double> const ms(layer.ms.begin(), layer.ms.end());
        Statistics const statistics = summarize(ms, {});
        double const total = statistics.mean * static_cast<double>(ms.size());
        rows.push_back({layer.name, total, statistics.mean, statistics.median, 0});
        sum += total;
    }
    for (Row& row : rows) {
        row.percentage = sum > 0 ? row.totalMs / sum * 100 : 0;
    }
    return rows;
}

size_t runsOf(LayerTimes const& times) {
    return times.layers().empty() ? 0 : times.layers().front().ms.size();
}

void dumpProfiles(nvinfer1::ICudaEngine const& engine, Logger& logger) {
    logger.info("=== Optimization profiles ===");
    for (int32_t profile = 0; profile < engine.getNbOptimizationProfiles(); ++profile) {
        for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
            char const* const name = engine.getIOTensorName(i);
            if (engine.getTensorIOMode(name) != nvinfer1::TensorIOMode::kINPUT) {
                continue;
            }
            auto const shape = [&](OptProfileSelector select) {
                return toText(engine.getProfileShape(name, profile, select));
            };
            logger.info("Profile {}, input {}: min {}, opt {}, max {}", profile, name,
                        shape(OptProfileSelector::kMIN), shape(OptProfileSelector::kOPT),
                        shape(OptProfileSelector::kMAX));
        }
    }
}

} // namespace

void reportLayers(nvinfer1::ICudaEngine& engine, ReportingOptions const& options, Logger& logger) {
    if (options.dumpOptimizationProfile) {
        dumpProfiles(engine, logger);
    }
    if (!options.dumpLayerInfo && options.exportLayerInfo.empty()) {
        return;
    }
    std::unique_ptr<nvinfer1::IEngineInspector> const inspector(engine.createEngineInspector());
    if (inspector == nullptr) {
        fail("[report] the engine tells nothing about its layers; the lines above say why");
    }
    if (options.dumpLayerInfo) {
        logger.info("Layer Information:");
        logger.info("{}", inspector->getEngineInformation(LayerInformationFormat::kONELINE));
    }
    if (!options.exportLayerInfo.empty()) {
        std::string const text = inspector->getEngineInformation(LayerInformationFormat::kJSON);
        writeWhole(options.exportLayerInfo, text.data(), text.size());
    }
}

void dumpLayerTimes(LayerTimes const& times, Logger& logger) {
    logger.info("");
    logger.info("=== Profile ({} iterations) ===", runsOf(times));
    logger.info("{:>10} {:>10} {:>10} {:>7}   Layer", "Time(ms)", "Avg.(ms)", "Median(ms)",
                "Time(%)");
    double total = 0;
    for (Row const& row : rowsOf(times)) {
        logger.info("{:>10.3f} {:>10.5f} {:>10.5f} {:>7.1f}   {}", row.totalMs, row.averageMs,
                    row.medianMs, row.percentage, row.name);
        total += row.totalMs;
    }
    double const runs = static_cast<double>(std::max<size_t>(runsOf(times), 1));
    logger.info("{:>10.3f} {:>10.5f} {:>10} {:>7.1f}   Total", total, total / runs, "", 100.0);
    logger.info("");
}

std::string layerTimesAsJson(LayerTimes const& times) {
    auto list = nlohmann::ordered_json::array();
    list.push_back({{"count", runsOf(times)}});
    for (Row const& row : rowsOf(times)) {
        list.push_back({{"name", row.name},
                        {"timeMs", row.totalMs},
                        {"averageMs", row.averageMs},
                        {"medianMs", row.medianMs},
                        {"percentage", row.percentage}});
    }
    using Handler = nlohmann::ordered_json::error_handler_t;
    return list.dump(2, ' ', false, Handler::replace); // a layer's name may be invalid UTF-8
}

} // namespace kiln::trtexec
