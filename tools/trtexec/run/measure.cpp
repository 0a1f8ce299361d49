// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/measure.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "failure.h"

namespace kiln::trtexec {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

double msSince(Clock::time_point origin) {
    return Milliseconds(Clock::now() - origin).count();
}

Query runOnce(nvinfer1::IExecutionContext& context, Clock::time_point origin) {
    Query run{};
    run.beginMs = msSince(origin);
    bool const done = context.enqueueV3(nullptr);
    // The cpu target has done the work when the call comes back: there is nothing to wait for.
    run.enqueuedMs = msSince(origin);
    run.endMs = run.enqueuedMs;
    if (!done) {
        fail("[run] the engine's execution failed; the lines above say why");
    }
    return run;
}

void idle(double ms) {
    if (ms > 0) {
        std::this_thread::sleep_for(Milliseconds(ms));
    }
}

} // namespace

std::vector<Query> measure(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                           Logger& logger) {
    logger.info("Starting inference");
    Clock::time_point const warmUpBegin = Clock::now();
    size_t warmUpRuns = 0;
    for (; msSince(warmUpBegin) < options.warmUpMs; ++warmUpRuns) {
        runOnce(context, warmUpBegin);
        idle(options.idleMs);
    }
    logger.info("Warmup completed {} queries over {:g} ms", warmUpRuns, options.warmUpMs);

    auto const least = static_cast<size_t>(options.iterations);
    double const durationMs = options.durationS * 1000;
    std::vector<Query> runs;
    runs.reserve(std::max<size_t>(least, 1U << 16));
    Clock::time_point const begin = Clock::now();
    while (runs.size() < least || runs.back().endMs < durationMs) {
        runs.push_back(runOnce(context, begin));
        idle(options.idleMs);
    }
    logger.info("Timing trace has {} queries over {:g} s", runs.size(), runs.back().endMs / 1000);
    return runs;
}

} // namespace kiln::trtexec
