// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "logger.h"
#include "options/options.h"
#include "python_host/python_files.h"

namespace kiln::trtexec {

/// Loads the files of --plugins and --staticPlugins, in that order, and logs the creators of each.
/// Throws a Failure.
void loadPlugins(SystemOptions const& system, PythonFiles const& python, Logger& logger);

bool isPythonFile(std::string const& path);

/// Whether any of the files is a Python file, or plans may run Python source.
bool needsPython(SystemOptions const& system);

} // namespace kiln::trtexec
