// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "emulation/device_code/kernel_table.h"
#include "emulation/emulation.h"

namespace kiln::emulation {

/// Runs all blocks, one after another; the threads of a block are fibers. A kernel that fails, by a
/// signal or because its threads wait for each other forever, loses the device.
void runGrid(KilnState& state, KilnKernel const& kernel, KilnIndex grid, KilnIndex block,
             void** parameters);

/// Makes the next kernel fail, or not.
void faultNextKernel(bool fault);

} // namespace kiln::emulation
