// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "emulation/emulation.h"

namespace kiln::emulation {

/// A piece of device memory, or of pinned host memory.
struct Allocation {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    bool device = false;
    std::byte* body = nullptr; ///< the pages that it lies in, between two that nobody may touch
    std::size_t bodyBytes = 0;
};

std::size_t totalMemory();

/// The allocation that the address lies in; null for all other memory.
Allocation const* allocationOf(void const* address);

/// The same for an address that may stand just behind one, as those of empty tensors do.
bool isKnown(void const* address);

/// Whether all the bytes lie in one allocation.
bool covers(void const* address, std::size_t bytes);

/// Ends the program with a message if somebody wrote beside an allocation.
void checkGuards();

/// While one of them lives, device memory can be read and written.
class DeviceAccess {
public:
    DeviceAccess();
    ~DeviceAccess();
    DeviceAccess(DeviceAccess const&) = delete;
    DeviceAccess& operator=(DeviceAccess const&) = delete;
};

} // namespace kiln::emulation
