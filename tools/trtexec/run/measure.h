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

/// One run of the engine. Milliseconds since the first measured run began.
struct Query {
    double beginMs;
    double enqueuedMs; ///< when the call that starts the work came back
    double endMs;      ///< when the work was done
    double h2dMs = 0;  ///< copies of the inputs, the engine, copies of the outputs: by the device
    double computeMs = 0;
    double d2hMs = 0;
};

/// Runs the engine for --warmUp, calls `warm`, then measures at least --iterations runs of each
/// stream and --duration seconds: streams in turn, or with --threads side by side. The runs are in
/// the order in which they began. Throws a Failure when a run fails.
std::vector<Query> measure(std::vector<Stream> const& streams, InferenceOptions const& options,
                           Logger& logger, std::function<void()> const& warm = {});

} // namespace kiln::trtexec
