// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. All complete before the call returns, on any stream.
#include <cstddef>
#include <cstring>

#include "status.h"
#include "streams.h"

namespace kiln::cudart {
namespace {

cudaError_t checkKind(cudaMemcpyKind kind) {
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault
               ? cudaSuccess
               : cudaErrorInvalidMemcpyDirection;
}

cudaError_t copy(void* dst, void const* src, std::size_t bytes, cudaMemcpyKind kind) {
    if (cudaError_t const error = checkKind(kind); error != cudaSuccess) {
        return error;
    }
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (dst == nullptr || src == nullptr) {
        return cudaErrorInvalidValue;
    }
    std::memmove(dst, src, bytes);
    return cudaSuccess;
}

struct Rows {
    std::size_t width;
    std::size_t height;
};

cudaError_t copyRows(void* dst, std::size_t dpitch, void const* src, std::size_t spitch, Rows rows,
                     cudaMemcpyKind kind) {
    if (cudaError_t const error = checkKind(kind); error != cudaSuccess) {
        return error;
    }
    if (rows.width > dpitch || rows.width > spitch) {
        return cudaErrorInvalidPitchValue;
    }
    if (rows.width == 0 || rows.height == 0) {
        return cudaSuccess;
    }
    if (dst == nullptr || src == nullptr) {
        return cudaErrorInvalidValue;
    }
    for (std::size_t row = 0; row < rows.height; ++row) {
        std::memmove(static_cast<std::byte*>(dst) + row * dpitch,
                     static_cast<std::byte const*>(src) + row * spitch, rows.width);
    }
    return cudaSuccess;
}

cudaError_t fill(void* address, int value, std::size_t bytes) {
    if (bytes == 0) {
        return cudaSuccess;
    }
    if (address == nullptr) {
        return cudaErrorInvalidValue;
    }
    std::memset(address, value, bytes);
    return cudaSuccess;
}

} // namespace
} // namespace kiln::cudart

using namespace kiln::cudart;

cudaError_t cudaMemcpy(void* dst, void const* src, size_t count, cudaMemcpyKind kind) {
    return report(copy(dst, src, count, kind));
}

cudaError_t cudaMemcpyAsync(void* dst, void const* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    cudaError_t const error = checkStream(stream);
    return report(error == cudaSuccess ? copy(dst, src, count, kind) : error);
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, void const* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
    return report(copyRows(dst, dpitch, src, spitch, {width, height}, kind));
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, void const* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    cudaError_t const error = checkStream(stream);
    return report(error == cudaSuccess ? copyRows(dst, dpitch, src, spitch, {width, height}, kind)
                                       : error);
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
    return report(fill(devPtr, value, count));
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
    cudaError_t const error = checkStream(stream);
    return report(error == cudaSuccess ? fill(devPtr, value, count) : error);
}
