// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace kiln::trtexec {

/// Reads the arguments into `options`, in their order, by the table of options. Throws a Failure
/// for what is unknown, malformed or refused.
void readCommandLine(std::vector<std::string> const& arguments, Options& options);

} // namespace kiln::trtexec
