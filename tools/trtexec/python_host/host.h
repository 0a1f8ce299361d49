// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "logger.h"

namespace kiln::trtexec {

/// The path of the library that contains this code.
std::string ownLibrary();

/// Runs trtexec again, with the same arguments, inside a Python interpreter: in this process if the
/// interpreter's shared library can be loaded, else by replacing this process with the interpreter.
/// Returns the exit code in the first case; throws a Failure if there is no suitable interpreter.
int continueUnderPython(std::vector<std::string> const& arguments, std::string const& title,
                        Logger& logger);

} // namespace kiln::trtexec
