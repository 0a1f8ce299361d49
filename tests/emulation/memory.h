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
    std::byte* body = nullptr; ///< its pages, between two guard pages
    std::size_t bodyBytes = 0;
};

std::size_t totalMemory();

/// The allocation that the address lies in; null for all other memory.
Allocation const* allocationOf(void const* address);

/// Whether the address lies in an allocation or directly behind one, as for empty tensors.
bool isKnown(void const* address);

/// Whether all the bytes lie in one allocation.
bool covers(void const* address, std::size_t bytes);

/// Aborts with a message if bytes beside an allocation were written.
void checkGuards();

/// Takes device memory away from the running kernel, and gives it back.
void closeDeviceMemory();
void openDeviceMemory();

/// Device memory can be read and written while an object of this class exists.
class DeviceAccess {
public:
    DeviceAccess();
    ~DeviceAccess();
    DeviceAccess(DeviceAccess const&) = delete;
    DeviceAccess& operator=(DeviceAccess const&) = delete;
};

} // namespace kiln::emulation
