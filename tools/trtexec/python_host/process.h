// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kiln::trtexec {

/// Runs a program and returns what it wrote to standard output; nothing when it could not be
/// started or did not end with 0. Its standard error is dropped.
std::optional<std::string> captureOutput(std::vector<std::string> const& command);

/// The null-terminated array that exec functions take; valid as long as `words` is unchanged.
std::vector<char*> asArgv(std::vector<std::string>& words);

} // namespace kiln::trtexec
