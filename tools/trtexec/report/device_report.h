// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "logger.h"

namespace kiln::trtexec {

/// Prints what an engine of the target runs on and the versions of the library. Throws a Failure
/// when the target is one that trtexec cannot drive, unless it `buildsOnly`.
void reportDevice(std::string const& target, bool buildsOnly, Logger& logger);

} // namespace kiln::trtexec
