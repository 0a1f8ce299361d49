// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include <NvInfer.h>

#include "trtexec.h"

namespace kiln::trtexec {

/// Handlers for Python files; each throws a Failure. Empty outside a Python interpreter.
struct PythonFiles {
    /// Imports a file and registers its creators.
    std::function<void(std::string const& path)> load;
    /// Adds a file to the plans of a configuration.
    std::function<void(nvinfer1::IBuilderConfig& config, std::string const& path)> embed;
};

/// The handlers of the interpreter that hosts trtexec; null if there is none.
PythonFiles pythonFiles(KilnTrtexecPython const* python, KilnTrtexecSay say);

} // namespace kiln::trtexec
