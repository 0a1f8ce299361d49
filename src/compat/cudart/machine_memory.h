// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the machine that the process runs on.
#pragma once

#include <cstddef>

namespace kiln::cudart {

/// In bytes. `available` counts what the kernel would give up for a program, such as file caches.
struct MachineMemory {
    std::size_t available = 0;
    std::size_t total = 0;
};

MachineMemory machineMemory() noexcept;

} // namespace kiln::cudart
