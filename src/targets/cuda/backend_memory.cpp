// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/backend.h"
#include "targets/cuda/device.h"

namespace kiln::targets::cuda {
namespace {

CUdeviceptr addressOf(void const* memory) {
    return reinterpret_cast<CUdeviceptr>(memory);
}

} // namespace

void* CudaBackend::allocate(std::size_t bytes, std::size_t alignment, std::string_view what) {
    constexpr std::size_t kDriverAlignment = 256;
    if (alignment > kDriverAlignment) {
        fail(ErrorKind::kInvalidArgument,
             "[cuda] memory for {}: expected an alignment of at most {}, got {}. Ask for less.",
             what, kDriverAlignment, alignment);
    }
    DeviceScope const scope;
    Device const& device = scope.device();
    CUdeviceptr memory = 0;
    CUresult const result = device.driver.memAlloc(&memory, std::max<std::size_t>(bytes, 1));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        std::size_t free = 0;
        std::size_t total = 0;
        device.driver.memGetInfo(&free, &total);
        fail(ErrorKind::kOutOfMemory,
             "[cuda] cannot allocate {} bytes for {}: {} of {} bytes are free on {}. Use smaller "
             "shapes, or free memory.",
             bytes, what, free, total, device.name);
    }
    check(result, "allocate memory");
    return reinterpret_cast<void*>(memory);
}

void CudaBackend::release(void* memory) noexcept {
    try {
        DeviceScope()->memFree(addressOf(memory)); // waits for kernels that may use the memory
    } catch (...) {
        return; // the device is lost, and its memory too
    }
}

void* CudaBackend::allocateHost(std::size_t bytes) {
    void* memory = nullptr;
    check(DeviceScope()->memHostAlloc(&memory, std::max<std::size_t>(bytes, 1),
                                      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
          "allocate pinned memory");
    return memory;
}

void CudaBackend::releaseHost(void* memory) noexcept {
    try {
        DeviceScope()->memFreeHost(memory);
    } catch (...) {
        return;
    }
}

void CudaBackend::copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
                       target::StreamHandle stream) {
    if (bytes == 0) {
        return;
    }
    DeviceScope const scope;
    Driver const& driver = scope.device().driver;
    switch (kind) {
    case target::CopyKind::kHostToDevice:
        return check(driver.memcpyHtoDAsync(addressOf(to), from, bytes, stream), "copy to the GPU");
    case target::CopyKind::kDeviceToHost:
        return check(driver.memcpyDtoHAsync(to, addressOf(from), bytes, stream),
                     "copy from the GPU");
    case target::CopyKind::kDeviceToDevice:
        return check(driver.memcpyDtoDAsync(addressOf(to), addressOf(from), bytes, stream),
                     "copy on the GPU");
    }
}

void CudaBackend::fill(void* memory, uint8_t value, std::size_t bytes,
                       target::StreamHandle stream) {
    if (bytes != 0) {
        check(DeviceScope()->memsetD8Async(addressOf(memory), value, bytes, stream), "fill memory");
    }
}

std::string CudaBackend::pointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    unsigned type = 0;
    CUresult const result = DeviceScope()->pointerGetAttribute(
        &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addressOf(pointer));
    if (result == CUDA_ERROR_INVALID_VALUE) { // unknown to the driver
        return "expected memory of the GPU, got host memory. Allocate it with cudaMalloc, Torch or "
               "CuPy and copy the data there";
    }
    check(result, "ask where a pointer leads");
    return {}; // kernels can access device, managed and pinned memory
}

std::string CudaBackend::hostPointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    DeviceScope const scope;
    Driver const& driver = scope.device().driver;
    unsigned type = 0;
    unsigned managed = 0;
    CUresult const result =
        driver.pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addressOf(pointer));
    if (result == CUDA_SUCCESS) { // else unknown to the driver: plain host memory
        driver.pointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, addressOf(pointer));
    }
    return type == CU_MEMORYTYPE_DEVICE && managed == 0
               ? "expected host memory, since the host reads or writes the values, got memory of "
                 "the GPU. Give the address of a NumPy array, or of a Torch tensor on the CPU"
               : std::string();
}

} // namespace kiln::targets::cuda
