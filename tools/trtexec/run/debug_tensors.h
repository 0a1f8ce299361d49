// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <NvInferRuntime.h>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// Runs the context once and writes the debug tensors that --saveDebugTensors and
/// --saveAllDebugTensors ask for; does nothing when neither is given. The contexts' inputs must be
/// bound. Throws a Failure.
void saveDebugTensors(nvinfer1::IExecutionContext& context, InferenceOptions const& options,
                      Logger& logger);

/// The values as the formats "string" (one line each) and "summary" (count, min, max, mean) show
/// them; "raw" is the bytes themselves.
std::string debugText(std::string const& format, nvinfer1::DataType type,
                      nvinfer1::Dims const& dims, void const* data);

} // namespace kiln::trtexec
