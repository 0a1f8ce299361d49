// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "emulation/device_code/kernel_table.h"

namespace kiln::emulation {

/// Fills memory that nobody has written: NaN in each floating-point type, -1 as an integer.
constexpr int kUnknown = 0xff;

/// The shared memory of a block: `bytes` whose number the launch gives, in front of a guard page,
/// and the variables of the source.
void provideSharedMemory(KilnState& state, std::size_t bytes);

/// Fills all of it, for the next block.
void forgetSharedMemory(KilnState const& state);

/// Whether a block wrote between the end of what the launch gives and the guard page.
bool wroteBehindSharedMemory(KilnState const& state);

} // namespace kiln::emulation
