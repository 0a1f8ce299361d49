// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "emulation/device_code/kernel_table.h"
#include "emulation/emulation.h"

namespace kiln::emulation {

struct LaunchConditions {
    unsigned sharedBytes = 0; ///< beyond the variables of the kernel
    bool overlaps = false;    ///< may begin before the kernel in front of it has ended
};

/// Runs all blocks, one after another; the threads of a block are fibers. A kernel that fails, by a
/// signal or because its threads wait for each other forever, loses the device.
void runGrid(KilnState& state, KilnKernel const& kernel, KilnIndex grid, KilnIndex block,
             void** parameters, LaunchConditions conditions);

/// Makes the next kernel fail, or not.
void faultNextKernel(bool fault);

} // namespace kiln::emulation
