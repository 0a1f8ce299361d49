// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "logger.h"

namespace kiln::trtexec {

/// Prints what the engine runs on and the versions of the library. Throws a Failure when the
/// default target is one that trtexec cannot drive, unless it `buildsOnly`.
void reportDevice(bool buildsOnly, Logger& logger);

} // namespace kiln::trtexec
