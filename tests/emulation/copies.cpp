// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Like the driver, they read and write pageable host memory before the call
// returns. A capture refuses pageable memory, because the graph would keep its address.
#include <cstring>

#include "emulation/memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {
namespace {

void* pointer(CUdeviceptr address) {
    return reinterpret_cast<void*>(address);
}

bool isDevice(void const* address) {
    Allocation const* const found = allocationOf(address);
    return found != nullptr && found->device;
}

} // namespace

KILN_EMULATED CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, void const* from, std::size_t bytes,
                                            CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || bytes == 0) {
        return call.result();
    }
    if (stream == nullptr || !covers(pointer(to), bytes) || isDevice(from)) {
        return stream == nullptr ? kInvalidHandle : CUDA_ERROR_INVALID_VALUE;
    }
    if (allocationOf(from) != nullptr) {
        return enqueue(*stream, [=] { std::memcpy(pointer(to), from, bytes); });
    }
    if (forbidsCapture(*stream)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    auto const* const bytesOfHost = static_cast<std::byte const*>(from);
    return enqueue(*stream,
                   [to, staged = std::vector<std::byte>(bytesOfHost, bytesOfHost + bytes)] {
                       std::memcpy(pointer(to), staged.data(), staged.size());
                   });
}

KILN_EMULATED CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes,
                                            CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || bytes == 0) {
        return call.result();
    }
    if (stream == nullptr || !covers(pointer(from), bytes) || isDevice(to)) {
        return stream == nullptr ? kInvalidHandle : CUDA_ERROR_INVALID_VALUE;
    }
    bool const pageable = allocationOf(to) == nullptr;
    if (pageable && forbidsCapture(*stream)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    CUresult const result = enqueue(*stream, [=] { std::memcpy(to, pointer(from), bytes); });
    if (pageable) {
        drain(*stream);
        return lostWith();
    }
    return result;
}

KILN_EMULATED CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                                            CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || bytes == 0) {
        return call.result();
    }
    if (stream == nullptr || !covers(pointer(from), bytes) || !covers(pointer(to), bytes)) {
        return stream == nullptr ? kInvalidHandle : CUDA_ERROR_INVALID_VALUE;
    }
    return enqueue(*stream, [=] { std::memcpy(pointer(to), pointer(from), bytes); });
}

KILN_EMULATED CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, std::size_t bytes,
                                       CUstream handle) {
    Call const call(__func__);
    Stream* const stream = streamOf(handle);
    if (call.refused() || bytes == 0) {
        return call.result();
    }
    if (stream == nullptr || !covers(pointer(memory), bytes)) {
        return stream == nullptr ? kInvalidHandle : CUDA_ERROR_INVALID_VALUE;
    }
    return enqueue(*stream, [=] { std::memset(pointer(memory), value, bytes); });
}

// The synchronous versions, for users of the driver other than Kiln: they use the legacy stream and
// are complete on return.

KILN_EMULATED CUresult cuMemcpyHtoD_v2(CUdeviceptr to, void const* from, std::size_t bytes) {
    CUresult const result = cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
    return result != CUDA_SUCCESS ? result : cuStreamSynchronize(nullptr);
}

KILN_EMULATED CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
    CUresult const result = cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
    return result != CUDA_SUCCESS ? result : cuStreamSynchronize(nullptr);
}

KILN_EMULATED CUresult cuMemsetD8_v2(CUdeviceptr memory, unsigned char value, std::size_t bytes) {
    return cuMemsetD8Async(memory, value, bytes, nullptr);
}

} // namespace kiln::emulation
