// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// Imports one Python plugin file and registers its creators; throws a Failure.
using PythonLoader = std::function<void(std::string const& path)>;

/// Loads what --plugins and --staticPlugins name, in that order, and logs the creators that came
/// with each. `python` may be empty when no Python file is named. Throws a Failure.
void loadPlugins(SystemOptions const& system, PythonLoader const& python, Logger& logger);

bool isPythonFile(std::string const& path);

/// Whether any of the files is a Python file.
bool needsPython(SystemOptions const& system);

} // namespace kiln::trtexec
