// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The only device: the host's memory. Its compute capability is 0.0, so that programs which require
// a GPU generation do not find one.
#include <cstdio>

#include <sched.h>

#include "machine_memory.h"
#include "status.h"

namespace kiln::cudart {
namespace {

constexpr char const* kName = "Kiln host memory (no GPU)";

int cpuCount() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

cudaError_t give(int* result, int value) {
    if (result == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    *result = value;
    return cudaSuccess;
}

} // namespace
} // namespace kiln::cudart

using namespace kiln::cudart;

cudaError_t cudaGetDeviceCount(int* count) {
    return give(count, 1);
}

cudaError_t cudaGetDevice(int* device) {
    return give(device, 0);
}

cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : report(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
    if (prop == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    if (device != 0) {
        return report(cudaErrorInvalidDevice);
    }
    *prop = cudaDeviceProp{};
    std::snprintf(prop->name, sizeof prop->name, "%s", kName);
    prop->totalGlobalMem = machineMemory().total;
    prop->multiProcessorCount = cpuCount();
    prop->integrated = 1;
    prop->canMapHostMemory = 1;
    prop->unifiedAddressing = 1;
    prop->managedMemory = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
    if (device != 0) {
        return report(cudaErrorInvalidDevice);
    }
    switch (attr) {
    case cudaDevAttrMultiProcessorCount: return give(value, cpuCount());
    case cudaDevAttrComputeCapabilityMajor:
    case cudaDevAttrComputeCapabilityMinor: return give(value, 0);
    case cudaDevAttrIntegrated:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrMemoryPoolsSupported: return give(value, 1);
    }
    return report(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize() {
    return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion) {
    return give(runtimeVersion, CUDART_VERSION);
}

cudaError_t cudaDriverGetVersion(int* driverVersion) {
    return give(driverVersion, CUDART_VERSION);
}
