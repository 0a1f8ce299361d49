// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// Runs the context once and writes the debug tensors of --saveDebugTensors and
/// --saveAllDebugTensors; does nothing if neither is given. The context's inputs must be bound.
/// Throws a Failure.
void saveDebugTensors(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                      Logger& logger);

/// Formats values as "string" (one per line) or "summary" (count, min, max, mean).
std::string debugText(std::string const& format, nvinfer1::DataType type,
                      nvinfer1::Dims const& dims, void const* data);

} // namespace kiln::trtexec
