// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Initialization, properties of the devices (all are equal), their contexts, texts of errors.
#include "emulation/context.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulation/emulation.h"
#include "emulation/memory.h"

namespace kiln::emulation {
namespace {

thread_local CUcontext current = nullptr;
bool started = false;

constexpr int kMostDevices = 8;
constexpr CUresult kInvalidDevice{101};
char primaries[kMostDevices]; // their addresses are the devices' contexts

int fromEnvironment(char const* variable, int otherwise) {
    char const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::atoi(text);
}

int deviceCount() {
    return std::min(fromEnvironment("KILN_EMULATION_DEVICES", 1), kMostDevices);
}

CUcontext primary(CUdevice device) {
    return reinterpret_cast<CUcontext>(&primaries[device]);
}

struct ErrorText {
    int result;
    char const* name;
    char const* text;
};

constexpr ErrorText kErrors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
};

ErrorText const* find(CUresult result) {
    for (ErrorText const& error : kErrors) {
        if (error.result == static_cast<int>(result)) {
            return &error;
        }
    }
    return nullptr;
}

/// The result of functions that need only cuInit().
CUresult onceStarted(Call const& call) {
    return call.refused() ? call.result() : started ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

} // namespace

bool hasContext() {
    return current != nullptr;
}

CUcontext currentContext() {
    return current;
}

KILN_EMULATED CUresult cuInit(unsigned flags) {
    Call const call(__func__, Call::Needs::kNothing);
    auto const result = static_cast<CUresult>(fromEnvironment("KILN_EMULATION_START", 0));
    started = flags == 0 && result == CUDA_SUCCESS && !call.refused();
    return call.refused() ? call.result() : result;
}

KILN_EMULATED CUresult cuDriverGetVersion(int* version) {
    Call const call(__func__, Call::Needs::kNothing);
    *version = 13000;
    return call.result();
}

KILN_EMULATED CUresult cuGetErrorName(CUresult error, char const** text) {
    ErrorText const* const found = find(error);
    *text = found == nullptr ? nullptr : found->name;
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuGetErrorString(CUresult error, char const** text) {
    ErrorText const* const found = find(error);
    *text = found == nullptr ? nullptr : found->text;
    return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuDeviceGetCount(int* count) {
    Call const call(__func__, Call::Needs::kNothing);
    *count = deviceCount();
    return onceStarted(call);
}

KILN_EMULATED CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    Call const call(__func__, Call::Needs::kNothing);
    *device = ordinal;
    return ordinal < 0 || ordinal >= deviceCount() ? kInvalidDevice : onceStarted(call);
}

KILN_EMULATED CUresult cuDeviceGetName(char* name, int length, CUdevice) {
    Call const call(__func__, Call::Needs::kNothing);
    std::strncpy(name, "Emulated GPU", static_cast<std::size_t>(length));
    return onceStarted(call);
}

KILN_EMULATED CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
    Call const call(__func__, Call::Needs::kNothing);
    *bytes = totalMemory();
    return onceStarted(call);
}

KILN_EMULATED CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
    Call const call(__func__, Call::Needs::kNothing);
    switch (static_cast<int>(attribute)) {
    case 1: *value = 1024; break; // threads per block
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 1 << 20; break;
    case 39: *value = 2048; break; // threads per multiprocessor
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = kMajor; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = kMinor; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return onceStarted(call);
}

KILN_EMULATED CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    Call const call(__func__, Call::Needs::kNothing);
    if (device < 0 || device >= deviceCount()) {
        return kInvalidDevice;
    }
    *context = primary(device);
    return onceStarted(call);
}

KILN_EMULATED CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = current;
    return started ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

KILN_EMULATED CUresult cuCtxSetCurrent(CUcontext context) {
    Call const call(__func__, Call::Needs::kNothing);
    if (call.refused()) {
        return call.result();
    }
    for (int device = 0; context != nullptr && context != primary(device); ++device) {
        if (device + 1 == deviceCount()) {
            return CUDA_ERROR_INVALID_CONTEXT;
        }
    }
    current = context;
    return CUDA_SUCCESS;
}

KILN_EMULATED CUresult cuCtxGetDevice(CUdevice* device) {
    *device = static_cast<CUdevice>(reinterpret_cast<char*>(current) - primaries);
    return hasContext() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

} // namespace kiln::emulation
