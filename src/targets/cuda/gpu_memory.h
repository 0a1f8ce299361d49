// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

/// RAII owner of memory on the current GPU that belongs to a kernel. Throws kOutOfMemory.
class GpuMemory {
public:
    GpuMemory() = default;
    explicit GpuMemory(std::size_t bytes) {
        GpuScope const scope;
        gpu_ = &scope.gpu();
        check(scope->memAlloc(&address_, bytes == 0 ? 1 : bytes), "allocate memory for a kernel");
    }
    ~GpuMemory() {
        if (address_ != 0) {
            try {
                GpuScope const scope(*gpu_);
                scope->memFree(address_);
            } catch (...) { // the device is lost, and its memory with it
                return;
            }
        }
    }
    GpuMemory(GpuMemory&& other) noexcept
        : gpu_(other.gpu_), address_(std::exchange(other.address_, 0)) {}
    GpuMemory& operator=(GpuMemory&& other) noexcept {
        std::swap(gpu_, other.gpu_);
        std::swap(address_, other.address_);
        return *this;
    }

    CUdeviceptr address() const noexcept { return address_; }
    void* data() const noexcept { return reinterpret_cast<void*>(address_); }

private:
    Gpu const* gpu_ = nullptr; ///< current when the memory was allocated
    CUdeviceptr address_ = 0;
};

} // namespace kiln::targets::cuda
