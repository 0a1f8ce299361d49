// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "options/options.h"

namespace kiln::trtexec {

/// The parser of the command line. Its options write into `options`, which must outlive it; their
/// names, groups and descriptions are also the text of --help.
std::unique_ptr<CLI::App> makeCommandLine(Options& options);

} // namespace kiln::trtexec
