// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "logger.h"
#include "options/options.h"

namespace kiln::trtexec {

/// Prints the options in sections, as they were understood.
void reportOptions(Options const& options, Logger& logger);

} // namespace kiln::trtexec
