// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emulation/emulation.h"

namespace kiln::emulation {

/// Whether a device's context is current on the calling thread.
bool hasContext();
/// That one. Streams and functions are of use where the context that they were made in is current.
CUcontext currentContext();

} // namespace kiln::emulation
