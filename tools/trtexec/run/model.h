// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <NvInfer.h>

#include "logger.h"
#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// A runtime and the engine that it opened. Members are destroyed in reverse order, the engine
/// first.
struct OpenEngine {
    std::unique_ptr<nvinfer1::IRuntime> runtime;
    std::unique_ptr<nvinfer1::ICudaEngine> engine;
};

/// Opens the plan of --loadEngine, or builds one from --onnx, writes it to --saveEngine and opens
/// it. With --skipInference, a built plan is opened only to report its layers or profiles;
/// otherwise `engine` is null. Throws a Failure.
OpenEngine makeEngine(Options const& options, PythonFiles const& python, Logger& logger);

} // namespace kiln::trtexec
