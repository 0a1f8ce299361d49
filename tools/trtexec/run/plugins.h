// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "logger.h"
#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// Loads what --plugins and --staticPlugins name, in that order, and logs the creators that came
/// with each. Throws a Failure.
void loadPlugins(SystemOptions const& system, PythonFiles const& python, Logger& logger);

bool isPythonFile(std::string const& path);

/// Whether any of the files is a Python file, or a plan may run Python.
bool needsPython(SystemOptions const& system);

} // namespace kiln::trtexec
