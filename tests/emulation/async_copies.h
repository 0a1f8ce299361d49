// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emulation/device_code/kernel_table.h"

namespace kiln::emulation {

/// Lets kernels of this source copy to shared memory asynchronously. A copy is done as late as a
/// GPU may do it; until then, its 16 bytes hold NaN.
void provideAsyncCopies(KilnState& state);

/// Forgets the copies of the last block; a GPU would end them before the block ends.
void forgetAsyncCopies();

} // namespace kiln::emulation
