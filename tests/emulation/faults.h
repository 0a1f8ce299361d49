// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "emulation/emulation.h"

namespace kiln::emulation {

/// Runs kernels; what the machine reports as a signal is told and returned as the driver's result.
/// Objects of the kernel's stack are not destroyed then.
CUresult catchFaults(std::function<void()> const& run);

} // namespace kiln::emulation
