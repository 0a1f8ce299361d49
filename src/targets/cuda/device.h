// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "base/gpu_architecture.h"
#include "targets/cuda/driver/driver.h"

namespace kiln::targets::cuda {

/// The GPU that this process uses: the current one of the first thread that needed it, else the
/// first one visible through CUDA_VISIBLE_DEVICES. Kiln uses its primary context, as do the CUDA
/// runtime, Torch, CuPy and Numba.
struct Device {
    explicit Device(Driver const& opened) : driver(opened) {}

    Driver const& driver;
    CUdevice handle = 0;
    CUcontext context = nullptr;
    std::string name;
    GpuArchitecture architecture;
    std::size_t totalBytes = 0;
    int multiprocessors = 0;
    int sharedBytesPerBlock = 0; ///< maximum that a kernel can request
    int driverVersion = 0;       ///< 13000 for CUDA 13.0: the newest toolkit that it supports

    /// Throws kUnsupported on each call if there is no driver or no GPU.
    static Device const& instance() {
        Device const* const device = opened.load(std::memory_order_acquire);
        return device != nullptr ? *device : open();
    }

private:
    [[gnu::cold]] static Device const& open();
    static std::atomic<Device const*> opened;
};

/// RAII: makes the device current on this thread and restores the caller's device, which may be
/// another GPU. A thread without a context keeps the context of GPU 0, which the CUDA runtime would
/// also give it, so the next scope need not switch.
class DeviceScope {
public:
    /// Throws kUnsupported if there is no GPU, kDevice if it is lost.
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

    /// The work of the destructor, deferred to leave(): for scopes that are not a C++ block.
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

/// Empty if there is a GPU, else the reason.
std::string const& deviceProblem();

/// Newest PTX version that a driver accepts, as "major * 10 + minor": 90 for 13000.
int32_t ptxVersionOf(int driverVersion) noexcept;

} // namespace kiln::targets::cuda
