// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/performance.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "report/statistics.h"
#include "run/device.h"

namespace kiln::trtexec {
namespace {

double enqueueMs(Query const& run) {
    return run.enqueuedMs - run.beginMs;
}

double h2dMs(Query const& run) {
    return run.h2dMs;
}

double computeMs(Query const& run) {
    return run.computeMs;
}

double d2hMs(Query const& run) {
    return run.d2hMs;
}

double latencyMs(Query const& run) {
    return run.h2dMs + run.computeMs + run.d2hMs;
}

std::vector<double> each(std::vector<Query> const& runs, double (*measure)(Query const&)) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (Query const& run : runs) {
        values.push_back(measure(run));
    }
    return values;
}

double sum(std::vector<double> const& values) {
    double total = 0;
    for (double const value : values) {
        total += value;
    }
    return total;
}

/// Prints the averages of groups of consecutive runs, in at most 10 lines.
void traceAverages(std::vector<Query> const& runs, size_t leastPerGroup, Logger& logger) {
    constexpr size_t kMostLines = 10;
    size_t const group = std::max(leastPerGroup, (runs.size() + kMostLines - 1) / kMostLines);
    logger.info("=== Trace details ===");
    logger.info("Trace averages of {} runs:", group);
    auto const count = static_cast<double>(group);
    for (size_t begin = 0; begin + group <= runs.size(); begin += group) {
        auto const first = runs.begin() + static_cast<std::ptrdiff_t>(begin);
        std::vector<Query> const part(first, first + static_cast<std::ptrdiff_t>(group));
        double const compute = sum(each(part, computeMs)) / count;
        logger.info(
            "Average on {} runs - GPU latency: {:g} ms - Host latency: {:g} ms (enqueue {:g} "
            "ms)",
            group, compute, sum(each(part, latencyMs)) / count, sum(each(part, enqueueMs)) / count);
    }
}

void explain(Logger& logger) {
    logger.verbose("");
    logger.verbose("=== Explanations of the performance metrics ===");
    for (char const* line : {
             "Total Host Walltime: from the begin of the first measured run to the end of the "
             "last.",
             "GPU Compute Time: time of one run of the engine. On the cpu target the work is done "
             "by the host, within the call that starts it.",
             "Total GPU Compute Time: the sum of that over all runs. Where it is well below Total "
             "Host Walltime, time passed between the runs (--idleTime does that).",
             "Enqueue Time: how long the call that starts a run takes. On the cpu target that is "
             "the whole run.",
             "H2D Latency, D2H Latency: copies of inputs to the device and of outputs from it. "
             "Where the engine uses host memory, or with --noDataTransfers, they are 0.",
             "Latency: H2D Latency, GPU Compute Time and D2H Latency of one run together.",
             "Throughput: runs divided by Total Host Walltime.",
         }) {
        logger.verbose("{}", line);
    }
}

} // namespace

std::string statisticsText(std::vector<double> values, std::vector<double> const& percents) {
    Statistics const s = summarize(std::move(values), percents);
    std::string text = fmt::format("min = {:g} ms, max = {:g} ms, mean = {:g} ms, median = {:g} ms",
                                   s.min, s.max, s.mean, s.median);
    for (size_t i = 0; i < percents.size(); ++i) {
        text += fmt::format(", percentile({:g}%) = {:g} ms", percents[i], s.percentiles[i]);
    }
    return text;
}

void reportPerformance(std::vector<Query> const& runs, ReportingOptions const& options,
                       Logger& logger) {
    std::vector<double> const& percents = options.percentiles;
    std::vector<double> const compute = each(runs, computeMs);
    auto const text = [&](double (*measure)(Query const&)) {
        return statisticsText(each(runs, measure), percents);
    };
    auto const last = std::max_element(
        runs.begin(), runs.end(), [](Query const& a, Query const& b) { return a.endMs < b.endMs; });
    double const wallS = (last->endMs - runs.front().beginMs) / 1000;
    logger.info("");
    traceAverages(runs, static_cast<size_t>(options.avgRuns), logger);
    logger.info("");
    logger.info("=== Performance summary ===");
    logger.info("Throughput: {:g} qps", wallS > 0 ? static_cast<double>(runs.size()) / wallS : 0);
    logger.info("Latency: {}", text(latencyMs));
    logger.info("Enqueue Time: {}", text(enqueueMs));
    logger.info("H2D Latency: {}", text(h2dMs));
    logger.info("GPU Compute Time: {}", text(computeMs));
    logger.info("D2H Latency: {}", text(d2hMs));
    logger.info("Total Host Walltime: {:g} s", wallS);
    logger.info("Total GPU Compute Time: {:g} s", sum(compute) / 1000);
    if (device().usesHostMemory()) {
        logger.info("On the cpu target nothing is copied (H2D and D2H are 0) and GPU Compute Time "
                    "is time of the host.");
    }
    logger.info("Explanations of the performance metrics are printed in the verbose logs.");
    explain(logger);
    logger.info("");
}

std::string timesAsJson(std::vector<Query> const& runs) {
    auto list = nlohmann::ordered_json::array();
    for (Query const& run : runs) {
        list.push_back({
            {"startEnqMs", run.beginMs},
            {"endEnqMs", run.enqueuedMs},
            {"startH2dMs", run.beginMs},
            {"endH2dMs", run.beginMs + run.h2dMs},
            {"startComputeMs", run.beginMs + run.h2dMs},
            {"endComputeMs", run.endMs - run.d2hMs},
            {"startD2hMs", run.endMs - run.d2hMs},
            {"endD2hMs", run.endMs},
            {"h2dMs", run.h2dMs},
            {"computeMs", run.computeMs},
            {"d2hMs", run.d2hMs},
            {"latencyMs", latencyMs(run)},
            {"endToEndMs", run.endMs - run.beginMs},
        });
    }
    return list.dump(2);
}

} // namespace kiln::trtexec
