// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A CUDA runtime for machines without a GPU, for use with Kiln's cpu target. "Device" memory is
// host memory, and work on a stream completes before the call returns, so nothing is ever pending.
// Functions return the errors that CUDA documents. Programs that use other CUDA functions (kernels,
// graphs, textures) do not compile or link.
//
// All functions are thread-safe. cudaGetLastError is per thread.
#pragma once

#include <driver_types.h>

//! The CUDA version that the functions and numbers follow: 13.0.
#define CUDART_VERSION 13000
#define CUDARTAPI

#pragma GCC visibility push(default)
#ifdef __cplusplus
#define KILN_CUDART_DEFAULT(value) = value
extern "C" {
#else
#define KILN_CUDART_DEFAULT(value)
#endif

// Errors.

//! Returns and clears the last error of this thread; cudaSuccess if there is none.
cudaError_t cudaGetLastError(void);
//! Returns the last error of this thread without clearing it.
cudaError_t cudaPeekAtLastError(void);
//! The name, such as "cudaErrorInvalidValue". Static text.
char const* cudaGetErrorName(cudaError_t error);
//! A short description. Static text.
char const* cudaGetErrorString(cudaError_t error);

// Memory.

//! Allocates memory aligned to 256 bytes; null for size 0.
cudaError_t cudaMalloc(void** devPtr, size_t size);
cudaError_t cudaMallocManaged(void** devPtr, size_t size,
                              unsigned int flags KILN_CUDART_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocAsync(void** devPtr, size_t size, cudaStream_t stream);
cudaError_t cudaMallocHost(void** ptr, size_t size);
cudaError_t cudaHostAlloc(void** ptr, size_t size, unsigned int flags);
//! Frees memory from cudaMalloc and its variants; ignores null. Other addresses give
//! cudaErrorInvalidValue.
cudaError_t cudaFree(void* devPtr);
cudaError_t cudaFreeAsync(void* devPtr, cudaStream_t stream);
//! Frees memory from cudaMallocHost and cudaHostAlloc.
cudaError_t cudaFreeHost(void* ptr);
cudaError_t cudaHostRegister(void* ptr, size_t size, unsigned int flags);
cudaError_t cudaHostUnregister(void* ptr);
cudaError_t cudaHostGetDevicePointer(void** devPtr, void* ptr, unsigned int flags);
//! The machine's available and total memory, in bytes.
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* ptr);

// Copies. Source and destination of cudaMemcpy may overlap. Each address may be host or "device"
// memory, whatever `kind` says.

cudaError_t cudaMemcpy(void* dst, void const* src, size_t count, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* dst, void const* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream KILN_CUDART_DEFAULT(0));
//! Copies `height` rows of `width` bytes. Rows start `dpitch` and `spitch` bytes apart.
cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, void const* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, void const* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream KILN_CUDART_DEFAULT(0));
cudaError_t cudaMemset(void* devPtr, int value, size_t count);
cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count,
                            cudaStream_t stream KILN_CUDART_DEFAULT(0));

// Streams. An invalid or destroyed handle gives cudaErrorInvalidResourceHandle.

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags KILN_CUDART_DEFAULT(0));
//! Calls `fn` before it returns.
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);

// Events.

cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
//! Stores the time of the call.
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream KILN_CUDART_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream KILN_CUDART_DEFAULT(0),
                                     unsigned int flags KILN_CUDART_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
//! Milliseconds from `start` to `end`. Both events must be recorded and have timing enabled.
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

// Devices: there is one, the host's memory, because programs fail without a device.

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority);
cudaError_t cudaDeviceSynchronize(void);
//! Does nothing. Other parts of the program may still use memory, streams and events.
cudaError_t cudaDeviceReset(void);

// Versions.

cudaError_t cudaRuntimeGetVersion(int* runtimeVersion);
//! Returns the same number as cudaRuntimeGetVersion; there is no driver.
cudaError_t cudaDriverGetVersion(int* driverVersion);

#undef KILN_CUDART_DEFAULT
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
