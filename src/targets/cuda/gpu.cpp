// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/gpu.h"

#include <mutex>

#include "base/error.h"

namespace kiln::targets::cuda {
namespace {

int attribute(Driver const& driver, CUdevice_attribute which, CUdevice device) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, device), "ask for a property of the GPU");
    return value;
}

Gpu const* make(int number) {
    Driver const& driver = Driver::instance();
    auto* const gpu = new Gpu(driver); // never destroyed, like its context
    check(driver.deviceGet(&gpu->handle, number), "ask for a GPU");
    check(driver.devicePrimaryCtxRetain(&gpu->context, gpu->handle), "open the GPU");
    char name[256] = {};
    check(driver.deviceGetName(name, sizeof(name) - 1, gpu->handle), "ask for the GPU's name");
    gpu->name = name;
    check(driver.deviceTotalMem(&gpu->totalBytes, gpu->handle), "ask for the GPU's memory");
    gpu->architecture.major =
        attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, gpu->handle);
    gpu->architecture.minor =
        attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, gpu->handle);
    gpu->architectureNames = {gpu->architecture.text()};
    gpu->multiprocessors = attribute(driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->handle);
    gpu->sharedBytesPerBlock =
        attribute(driver, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, gpu->handle);
    check(driver.driverGetVersion(&gpu->driverVersion), "ask for the driver's version");
    return gpu;
}

} // namespace

constinit std::atomic<Gpu const*> Gpu::opened[Gpu::kMost]{};

Gpu const& Gpu::open(int number) {
    static std::mutex mutex;
    std::lock_guard const lock(mutex);
    Gpu const* gpu = opened[number].load(std::memory_order_acquire);
    if (gpu == nullptr) {
        gpu = make(number); // if it throws, the next call tries again
        opened[number].store(gpu, std::memory_order_release);
    }
    return *gpu;
}

Gpu const& Gpu::current() {
    Driver const& driver = Driver::instance();
    CUcontext context = nullptr;
    CUdevice number = 0;
    driver.ctxGetCurrent(&context);
    bool const found = context != nullptr && driver.ctxGetDevice(&number) == CUDA_SUCCESS;
    return of(found ? number : 0);
}

void GpuScope::enter() {
    check(gpu_.driver.ctxSetCurrent(gpu_.context), "make the GPU current on a thread");
    entered_ = before_ != nullptr || gpu_.handle != 0;
}

void GpuScope::leave(Left left) noexcept {
    if (left.entered) {
        Driver::instance().ctxSetCurrent(left.before);
    }
}

std::string const& gpuProblem() {
    return Driver::problem();
}

int32_t currentGpuNumber() noexcept {
    Driver::Current const current = Driver::currentIfLoaded();
    return current.found ? current.device : -1;
}

// Source: PTX ISA, release notes. PTX 7.0 belongs to CUDA 11.0, 8.0 to 12.0, 9.0 to 13.0; within
// CUDA 12 the minor numbers differ after 12.5.
int32_t ptxVersionOf(int driverVersion) noexcept {
    int const major = driverVersion / 1000;
    int const minor = driverVersion % 1000 / 10;
    if (major == 12) {
        return 80 + (minor <= 5 ? minor : minor - 1);
    }
    return (major - 4) * 10 + minor;
}

} // namespace kiln::targets::cuda
