// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"
#include "run/bindings.h"
#include "run/device.h"

namespace kiln::trtexec {

/// One of --infStreams: a context with its own inputs and outputs. Members are destroyed in reverse
/// order.
struct Stream {
    std::unique_ptr<nvinfer1::IExecutionContext> context;
    DeviceMemory memory; ///< for --allocationStrategy=runtime
    std::unique_ptr<Bindings> bindings;
    std::unique_ptr<DeviceStream> device;
};

/// Creates --infStreams contexts, ready to run with --useProfile. Throws a Failure.
std::vector<Stream> makeStreams(nvinfer1::ICudaEngine& engine, InferenceOptions const& options,
                                Logger& logger);

} // namespace kiln::trtexec
