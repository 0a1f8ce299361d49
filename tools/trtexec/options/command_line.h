// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace kiln::trtexec {

/// Parses the arguments, in order, into `options` using the option table. Throws a Failure for
/// unknown, malformed or refused options.
void readCommandLine(std::vector<std::string> const& arguments, Options& options);

} // namespace kiln::trtexec
