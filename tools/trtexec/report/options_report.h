// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// Prints the parsed options in sections.
void reportOptions(Options const& options, Logger& logger);

} // namespace kiln::trtexec
