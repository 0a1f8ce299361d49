// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "targets/cuda/device.h"

namespace kiln::targets::cuda {

/// RAII owner of device memory that belongs to a kernel. Throws kOutOfMemory.
class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes) {
        DeviceScope const scope;
        check(scope->memAlloc(&address_, bytes == 0 ? 1 : bytes), "allocate memory for a kernel");
    }
    ~DeviceMemory() {
        if (address_ != 0) {
            try {
                DeviceScope const scope;
                scope->memFree(address_);
            } catch (...) { // the device is lost, and its memory with it
                return;
            }
        }
    }
    DeviceMemory(DeviceMemory&& other) noexcept : address_(std::exchange(other.address_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(address_, other.address_);
        return *this;
    }

    CUdeviceptr address() const noexcept { return address_; }
    void* data() const noexcept { return reinterpret_cast<void*>(address_); }

private:
    CUdeviceptr address_ = 0;
};

} // namespace kiln::targets::cuda
