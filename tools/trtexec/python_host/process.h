// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kiln::trtexec {

/// Runs a program and returns its standard output; nothing if it could not be started or its exit
/// code was not 0. Discards its standard error.
std::optional<std::string> captureOutput(std::vector<std::string> const& command);

/// Runs a program with the standard streams of this one and returns its exit code; -1 if it could
/// not be started or a signal ended it.
int runProgram(std::vector<std::string> words);

/// Converts to the null-terminated array for exec functions; valid as long as `words` is unchanged.
std::vector<char*> asArgv(std::vector<std::string>& words);

} // namespace kiln::trtexec
