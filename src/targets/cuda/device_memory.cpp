// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/device.h"

namespace kiln::targets::cuda {
namespace {

CUdeviceptr addressOf(void const* memory) {
    return reinterpret_cast<CUdeviceptr>(memory);
}

} // namespace

std::size_t CudaDevice::freeBytes() const {
    std::size_t free = 0;
    std::size_t total = 0;
    check(enter()->memGetInfo(&free, &total), "ask for free memory");
    return free;
}

void* CudaDevice::allocate(std::size_t bytes, std::size_t alignment, std::string_view what) {
    constexpr std::size_t kDriverAlignment = 256;
    if (alignment > kDriverAlignment) {
        fail(ErrorKind::kInvalidArgument,
             "[cuda] memory for {}: expected an alignment of at most {}, got {}. Ask for less.",
             what, kDriverAlignment, alignment);
    }
    GpuScope const scope = enter();
    Gpu const& gpu = scope.gpu();
    CUdeviceptr memory = 0;
    CUresult const result = gpu.driver.memAlloc(&memory, std::max<std::size_t>(bytes, 1));
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        std::size_t free = 0;
        std::size_t total = 0;
        gpu.driver.memGetInfo(&free, &total);
        fail(ErrorKind::kOutOfMemory,
             "[cuda] cannot allocate {} bytes for {}: {} of {} bytes are free on {}. Use smaller "
             "shapes, or free memory.",
             bytes, what, free, total, gpu.name);
    }
    check(result, "allocate memory");
    return reinterpret_cast<void*>(memory);
}

void CudaDevice::release(void* memory) noexcept {
    try {
        enter()->memFree(addressOf(memory)); // waits for kernels that may use the memory
    } catch (...) {
        return; // the device is lost, and its memory too
    }
}

void* CudaDevice::allocateHost(std::size_t bytes) {
    void* memory = nullptr;
    check(enter()->memHostAlloc(&memory, std::max<std::size_t>(bytes, 1),
                                CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP),
          "allocate pinned memory");
    return memory;
}

void CudaDevice::releaseHost(void* memory) noexcept {
    try {
        enter()->memFreeHost(memory);
    } catch (...) {
        return;
    }
}

void CudaDevice::copy(void* to, void const* from, std::size_t bytes, target::CopyKind kind,
                      target::StreamHandle stream) {
    if (bytes == 0) {
        return;
    }
    GpuScope const scope = enter();
    Driver const& driver = scope.gpu().driver;
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

void CudaDevice::fill(void* memory, uint8_t value, std::size_t bytes, target::StreamHandle stream) {
    if (bytes != 0) {
        check(enter()->memsetD8Async(addressOf(memory), value, bytes, stream), "fill memory");
    }
}

std::string CudaDevice::pointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    unsigned type = 0;
    CUresult const result =
        enter()->pointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addressOf(pointer));
    if (result == CUDA_ERROR_INVALID_VALUE) { // unknown to the driver
        return "expected memory of the GPU, got host memory. Allocate it with cudaMalloc, Torch or "
               "CuPy and copy the data there";
    }
    check(result, "ask where a pointer leads");
    return {}; // kernels can access device, managed and pinned memory
}

std::string CudaDevice::hostPointerProblem(void const* pointer) const {
    if (pointer == nullptr) {
        return "it is null";
    }
    GpuScope const scope = enter();
    Driver const& driver = scope.gpu().driver;
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
