// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"
#include "run/streams.h"

namespace kiln::trtexec {

/// One run of the engine. Times in milliseconds since the measurement began.
struct Query {
    double beginMs;
    double enqueuedMs; ///< when the enqueue call returned
    double endMs;      ///< when the work had completed
    double h2dMs = 0;  ///< device times: copying inputs, engine, copying outputs
    double computeMs = 0;
    double d2hMs = 0;
};

/// Runs the engine for --warmUp, calls `warm`, then measures at least --iterations runs of each
/// stream and --duration seconds: streams in turn, or concurrently with --threads. Returns the runs
/// ordered by start time. Throws a Failure if a run fails.
std::vector<Query> measure(std::vector<Stream> const& streams, InferenceOptions const& options,
                           Logger& logger, std::function<void()> const& warm = {});

} // namespace kiln::trtexec
