// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emulation/emulation.h"

namespace kiln::emulation {

/// Whether a device's context is current on the calling thread.
bool hasContext();
/// That context. Streams and functions can be used only where their own context is current.
CUcontext currentContext();

} // namespace kiln::emulation
