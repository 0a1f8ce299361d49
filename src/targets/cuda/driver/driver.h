// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "targets/cuda/driver/driver_types.h"

namespace kiln::targets::cuda {

// Every function of the driver that Kiln calls: symbol in libcuda, member name, parameters.
#define KILN_CUDA_DRIVER_FUNCTIONS(X)                                                              \
    X(cuInit, init, (unsigned flags))                                                              \
    X(cuDriverGetVersion, driverGetVersion, (int* version))                                        \
    X(cuGetErrorName, getErrorName, (CUresult error, char const** text))                           \
    X(cuGetErrorString, getErrorString, (CUresult error, char const** text))                       \
    X(cuDeviceGetCount, deviceGetCount, (int* count))                                              \
    X(cuDeviceGet, deviceGet, (CUdevice * device, int ordinal))                                    \
    X(cuDeviceGetName, deviceGetName, (char* name, int length, CUdevice device))                   \
    X(cuDeviceTotalMem_v2, deviceTotalMem, (std::size_t* bytes, CUdevice device))                  \
    X(cuDeviceGetAttribute, deviceGetAttribute,                                                    \
      (int* value, CUdevice_attribute attribute, CUdevice device))                                 \
    X(cuDevicePrimaryCtxRetain, devicePrimaryCtxRetain, (CUcontext * context, CUdevice device))    \
    X(cuCtxGetCurrent, ctxGetCurrent, (CUcontext * context))                                       \
    X(cuCtxSetCurrent, ctxSetCurrent, (CUcontext context))                                         \
    X(cuCtxGetDevice, ctxGetDevice, (CUdevice * device))                                           \
    X(cuMemGetInfo_v2, memGetInfo, (std::size_t* free, std::size_t* total))                        \
    X(cuMemAlloc_v2, memAlloc, (CUdeviceptr * memory, std::size_t bytes))                          \
    X(cuMemFree_v2, memFree, (CUdeviceptr memory))                                                 \
    X(cuMemHostAlloc, memHostAlloc, (void** memory, std::size_t bytes, unsigned flags))            \
    X(cuMemFreeHost, memFreeHost, (void* memory))                                                  \
    X(cuMemcpyHtoDAsync_v2, memcpyHtoDAsync,                                                       \
      (CUdeviceptr to, void const* from, std::size_t bytes, CUstream stream))                      \
    X(cuMemcpyDtoHAsync_v2, memcpyDtoHAsync,                                                       \
      (void* to, CUdeviceptr from, std::size_t bytes, CUstream stream))                            \
    X(cuMemcpyDtoDAsync_v2, memcpyDtoDAsync,                                                       \
      (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream))                      \
    X(cuMemsetD8Async, memsetD8Async,                                                              \
      (CUdeviceptr memory, unsigned char value, std::size_t bytes, CUstream stream))               \
    X(cuPointerGetAttribute, pointerGetAttribute,                                                  \
      (void* value, CUpointer_attribute attribute, CUdeviceptr pointer))                           \
    X(cuStreamCreate, streamCreate, (CUstream * stream, unsigned flags))                           \
    X(cuStreamDestroy_v2, streamDestroy, (CUstream stream))                                        \
    X(cuStreamSynchronize, streamSynchronize, (CUstream stream))                                   \
    X(cuStreamQuery, streamQuery, (CUstream stream))                                               \
    X(cuStreamIsCapturing, streamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))   \
    X(cuStreamWaitEvent, streamWaitEvent, (CUstream stream, CUevent event, unsigned flags))        \
    X(cuStreamBeginCapture_v2, streamBeginCapture, (CUstream stream, CUstreamCaptureMode mode))    \
    X(cuStreamEndCapture, streamEndCapture, (CUstream stream, CUgraph * graph))                    \
    X(cuGraphInstantiateWithFlags, graphInstantiate,                                               \
      (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                         \
    X(cuGraphLaunch, graphLaunch, (CUgraphExec executable, CUstream stream))                       \
    X(cuGraphDestroy, graphDestroy, (CUgraph graph))                                               \
    X(cuGraphExecDestroy, graphExecDestroy, (CUgraphExec executable))                              \
    X(cuEventCreate, eventCreate, (CUevent * event, unsigned flags))                               \
    X(cuEventDestroy_v2, eventDestroy, (CUevent event))                                            \
    X(cuEventRecord, eventRecord, (CUevent event, CUstream stream))                                \
    X(cuEventSynchronize, eventSynchronize, (CUevent event))                                       \
    X(cuEventElapsedTime, eventElapsedTime, (float* ms, CUevent start, CUevent stop))              \
    X(cuModuleLoadDataEx, moduleLoadDataEx,                                                        \
      (CUmodule * module, void const* image, unsigned optionCount, CUjit_option* options,          \
       void** optionValues))                                                                       \
    X(cuModuleUnload, moduleUnload, (CUmodule module))                                             \
    X(cuModuleGetFunction, moduleGetFunction,                                                      \
      (CUfunction * function, CUmodule module, char const* name))                                  \
    X(cuFuncGetAttribute, funcGetAttribute,                                                        \
      (int* value, CUfunction_attribute attribute, CUfunction function))                           \
    X(cuFuncSetAttribute, funcSetAttribute,                                                        \
      (CUfunction function, CUfunction_attribute attribute, int value))                            \
    X(cuLaunchKernel, launchKernel,                                                                \
      (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,       \
       unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void** parameters, \
       void** extra))                                                                              \
    X(cuLaunchKernelEx, launchKernelEx,                                                            \
      (CUlaunchConfig const* config, CUfunction function, void** parameters, void** extra))        \
    X(cuTensorMapEncodeTiled, tensorMapEncodeTiled,                                                \
      (CUtensorMap * map, CUtensorMapDataType type, unsigned rank, void* address,                  \
       uint64_t const* extents, uint64_t const* strides, unsigned const* box,                      \
       unsigned const* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,        \
       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))                            \
    X(cuTensorMapEncodeIm2col, tensorMapEncodeIm2col,                                              \
      (CUtensorMap * map, CUtensorMapDataType type, unsigned rank, void* address,                  \
       uint64_t const* extents, uint64_t const* strides, int const* lowest, int const* highest,    \
       unsigned channels, unsigned positions, unsigned const* steps,                               \
       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,                               \
       CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill))

/// The driver, opened at run time: one member for each function in the list.
struct Driver {
#define KILN_MEMBER(symbol, member, parameters) CUresult(*member) parameters = nullptr;
    KILN_CUDA_DRIVER_FUNCTIONS(KILN_MEMBER)
#undef KILN_MEMBER

    /// Opens and initializes the driver at first use; KILN_CUDA_DRIVER names a file to open instead
    /// of libcuda.so.1. Throws kUnsupported on each call if there is no driver or no usable GPU.
    static Driver const& instance();
    /// Empty if instance() works, else the reason.
    static std::string const& problem();
    /// The device that is current on the calling thread.
    struct Current {
        bool found = false;
        CUdevice device = 0;
    };
    /// Not found if the process has not loaded and started a driver yet; does neither.
    static Current currentIfLoaded() noexcept;
    /// The library's path; empty if it was not opened.
    static std::string const& file();
};

/// The driver's text: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
std::string textOf(CUresult result);

/// Throws kDevice, or kOutOfMemory, with "[cuda] <action>: expected success, got <text>. <Remedy>"
/// unless the call succeeded.
void check(CUresult result, char const* action);

} // namespace kiln::targets::cuda
