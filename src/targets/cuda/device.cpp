// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/device.h"

#include "base/error.h"

namespace kiln::targets::cuda {
namespace {

int attribute(Driver const& driver, CUdevice_attribute which, CUdevice device) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, device), "ask for a property of the GPU");
    return value;
}

Device const* make() {
    Driver const& driver = Driver::instance();
    auto* const device = new Device(driver); // never destroyed, like its context
    CUcontext current = nullptr;
    driver.ctxGetCurrent(&current);
    if (current != nullptr) {
        check(driver.ctxGetDevice(&device->handle), "ask for the current GPU");
    } else {
        check(driver.deviceGet(&device->handle, 0), "ask for the first GPU");
    }
    check(driver.devicePrimaryCtxRetain(&device->context, device->handle), "open the GPU");
    char name[256] = {};
    check(driver.deviceGetName(name, sizeof(name) - 1, device->handle), "ask for the GPU's name");
    device->name = name;
    check(driver.deviceTotalMem(&device->totalBytes, device->handle), "ask for the GPU's memory");
    device->architecture.major =
        attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device->handle);
    device->architecture.minor =
        attribute(driver, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device->handle);
    device->multiprocessors =
        attribute(driver, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device->handle);
    device->sharedBytesPerBlock =
        attribute(driver, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device->handle);
    check(driver.driverGetVersion(&device->driverVersion), "ask for the driver's version");
    return device;
}

} // namespace

constinit std::atomic<Device const*> Device::opened{nullptr};

Device const& Device::open() {
    static Device const* const device = make(); // if it throws, the next call tries again
    opened.store(device, std::memory_order_release);
    return *device;
}

void DeviceScope::enter() {
    check(device_.driver.ctxSetCurrent(device_.context), "make the GPU current on a thread");
    entered_ = before_ != nullptr || device_.handle != 0;
}

void DeviceScope::leave(Left left) noexcept {
    if (left.entered) {
        Device::instance().driver.ctxSetCurrent(left.before);
    }
}

std::string const& deviceProblem() {
    return Driver::problem();
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
