// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

#include "backends/cuda/driver/driver.h"
#include "base/gpu_architecture.h"

namespace kiln::backends::cuda {

/// The GPU that this process works on: the one that was current on the thread that asked first,
/// else the first that CUDA_VISIBLE_DEVICES shows. Its primary context is the one that CUDA's
/// runtime, and with it Torch, CuPy and Numba, use.
struct Device {
    explicit Device(Driver const& opened) : driver(opened) {}

    Driver const& driver;
    CUdevice handle = 0;
    CUcontext context = nullptr;
    std::string name;
    GpuArchitecture architecture;
    std::size_t totalBytes = 0;
    int multiprocessors = 0;
    int sharedBytesPerBlock = 0; ///< at most, when a kernel asks for it
    int driverVersion = 0;       ///< 13000 for CUDA 13.0: the newest toolkit that it knows

    /// Throws kUnsupported, each time, when there is no driver or no GPU.
    static Device const& instance() {
        Device const* const device = opened.load(std::memory_order_acquire);
        return device != nullptr ? *device : open();
    }

    /// Makes the context current on the calling thread.
    void enter() const {
        CUcontext current = nullptr;
        driver.ctxGetCurrent(&current);
        if (current != context) [[unlikely]] {
            check(driver.ctxSetCurrent(context), "make the GPU current on a thread");
        }
    }

private:
    [[gnu::cold]] static Device const& open();
    static std::atomic<Device const*> opened;
};

/// Empty if there is a GPU, else why not.
std::string const& deviceProblem();

/// Newest PTX that a driver takes, as "major * 10 + minor": 90 for 13000.
int32_t ptxVersionOf(int driverVersion) noexcept;

} // namespace kiln::backends::cuda
