// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// One run of the engine. Milliseconds since the first measured run began.
struct Query {
    double beginMs;
    double enqueuedMs; ///< when the call that starts the work came back
    double endMs;      ///< when the work was done
};

/// Runs the engine for --warmUp, then for at least --iterations runs and --duration seconds.
/// Throws a Failure when a run fails.
std::vector<Query> measure(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                           Logger& logger);

} // namespace kiln::trtexec
