// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "logger.h"

namespace kiln::trtexec {

/// Prints the device of the target and the versions of the library. Throws a Failure if engines for
/// the target cannot run here, unless `buildsOnly`.
void reportDevice(std::string const& target, bool buildsOnly, Logger& logger);

} // namespace kiln::trtexec
