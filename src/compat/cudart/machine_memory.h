// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the machine.
#pragma once

#include <cstddef>

namespace kiln::cudart {

/// In bytes. `available` includes memory that the kernel can reclaim, such as file caches.
struct MachineMemory {
    std::size_t available = 0;
    std::size_t total = 0;
};

MachineMemory machineMemory() noexcept;

} // namespace kiln::cudart
