// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>

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

private:
    [[gnu::cold]] static Device const& open();
    static std::atomic<Device const*> opened;
};

/// Makes the device current on this thread while it lives; then what was current before is so
/// again, since a caller may work on another GPU. A thread without a context keeps that of GPU 0,
/// which CUDA's runtime would give it, too: so the next scope finds it there.
class DeviceScope {
public:
    /// Throws kUnsupported when there is no GPU, kDevice when it is lost.
    explicit DeviceScope(Device const& device = Device::instance()) : device_(device) {
        device.driver.ctxGetCurrent(&before_);
        if (before_ != device.context) [[unlikely]] {
            enter();
        }
    }
    ~DeviceScope() {
        if (entered_) [[unlikely]] {
            device_.driver.ctxSetCurrent(before_);
        }
    }
    DeviceScope(DeviceScope const&) = delete;
    DeviceScope& operator=(DeviceScope const&) = delete;

    Device const& device() const noexcept { return device_; }
    Driver const* operator->() const noexcept { return &device_.driver; }

    /// What the destructor would do, left to leave(): for scopes that no block of C++ holds.
    struct Left {
        CUcontext before = nullptr;
        bool entered = false;
    };
    Left release() noexcept { return {before_, std::exchange(entered_, false)}; }
    static void leave(Left left) noexcept;

private:
    [[gnu::cold]] void enter();

    Device const& device_;
    CUcontext before_ = nullptr;
    bool entered_ = false;
};

/// Empty if there is a GPU, else why not.
std::string const& deviceProblem();

/// Newest PTX that a driver takes, as "major * 10 + minor": 90 for 13000.
int32_t ptxVersionOf(int driverVersion) noexcept;

} // namespace kiln::backends::cuda
