// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/gpu_architecture.h"
#include "targets/cuda/driver/driver.h"

namespace kiln::targets::cuda {

/// One GPU of this process. Kiln uses its primary context, as do the CUDA runtime, Torch, CuPy and
/// Numba.
struct Gpu {
    static constexpr int kMost = 64; ///< GPUs of a process

    explicit Gpu(Driver const& opened) : driver(opened) {}

    Driver const& driver;
    CUdevice handle = 0; ///< its number: the first one visible through CUDA_VISIBLE_DEVICES is 0
    CUcontext context = nullptr;
    std::string name;
    GpuArchitecture architecture;
    std::vector<std::string> architectureNames; ///< a list of one: its text
    std::size_t totalBytes = 0;
    int multiprocessors = 0;
    int sharedBytesPerBlock = 0; ///< maximum that a kernel can request
    int driverVersion = 0;       ///< 13000 for CUDA 13.0: the newest toolkit that it supports

    /// Opens the GPU with this number at first use. Throws kUnsupported on each call if there is no
    /// driver or no such GPU.
    static Gpu const& of(int number) {
        Gpu const* const gpu = opened[number].load(std::memory_order_acquire);
        return gpu != nullptr ? *gpu : open(number);
    }
    /// The GPU that is current on the calling thread, else the first.
    static Gpu const& current();

private:
    [[gnu::cold]] static Gpu const& open(int number);
    static std::atomic<Gpu const*> opened[kMost];
};

/// RAII: makes a GPU current on this thread and restores the caller's, which may be another. A
/// thread without a context keeps the context of GPU 0, which the CUDA runtime would also give it,
/// so the next scope need not switch.
class GpuScope {
public:
    /// Throws kUnsupported if there is no GPU, kDevice if it is lost.
    explicit GpuScope(Gpu const& gpu = Gpu::current()) : gpu_(gpu) {
        gpu.driver.ctxGetCurrent(&before_);
        if (before_ != gpu.context) [[unlikely]] {
            enter();
        }
    }
    ~GpuScope() {
        if (entered_) [[unlikely]] {
            gpu_.driver.ctxSetCurrent(before_);
        }
    }
    GpuScope(GpuScope const&) = delete;
    GpuScope& operator=(GpuScope const&) = delete;

    Gpu const& gpu() const noexcept { return gpu_; }
    Driver const* operator->() const noexcept { return &gpu_.driver; }

    /// The work of the destructor, deferred to leave(): for scopes that are not a C++ block.
    struct Left {
        CUcontext before = nullptr;
        bool entered = false;
    };
    Left release() noexcept { return {before_, std::exchange(entered_, false)}; }
    static void leave(Left left) noexcept;

private:
    [[gnu::cold]] void enter();

    Gpu const& gpu_;
    CUcontext before_ = nullptr;
    bool entered_ = false;
};

/// Empty if there is a GPU, else the reason.
std::string const& gpuProblem();

/// The number of the GPU that is current on the calling thread; -1 if there is none. Neither opens
/// nor starts the driver.
int32_t currentGpuNumber() noexcept;

/// Newest PTX version that a driver accepts, as "major * 10 + minor": 90 for 13000.
int32_t ptxVersionOf(int driverVersion) noexcept;

} // namespace kiln::targets::cuda
