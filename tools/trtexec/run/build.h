// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <NvInfer.h>

#include "logger.h"
#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// Parses the model of --onnx and builds the plan; throws a Failure that names the step.
std::unique_ptr<nvinfer1::IHostMemory> buildPlan(Options const& options, PythonFiles const& python,
                                                 Logger& logger);

} // namespace kiln::trtexec
