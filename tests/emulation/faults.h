// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "emulation/emulation.h"

namespace kiln::emulation {

/// Runs kernels. A signal is reported on stderr and returned as the driver's error; objects on the
/// kernel's stack are then not destroyed.
CUresult catchFaults(std::function<void()> const& run);

} // namespace kiln::emulation
