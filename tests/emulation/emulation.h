// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU for machines without one. The library stands in for libcuda.so.1 and for NVRTC at once:
//
//   KILN_CUDA_DRIVER=.../libkiln_emulated_cuda.so KILN_NVRTC=(the same) KILN_TARGET=cuda
//
// and, where KILN_CUBLASLT and KILN_CUDNN name it too, for cuBLASLt and cuDNN.
//
// Kernels are compiled by the C++ compiler and run on the CPU; device memory is host memory that
// only kernels and copies may touch. It exposes mistakes early: streams defer their work until
// something waits for it, fresh memory is filled with 0x7f, shared memory with NaN for each block,
// arrays of threads with 0xfe, allocations have guard bytes and guard pages, unaligned wide loads
// fail, asynchronous copies to shared memory are done when a thread waits for them, and a stream
// capture refuses what CUDA refuses. A random order shows missing barriers and waits for events,
// and that a kernel that may overlap with the one in front touches memory before it has waited.
// Errors are written to stderr.
//
// Variables:
//   KILN_EMULATION_MEMORY=BYTES     size of the device's memory (4 GiB)
//   KILN_EMULATION_STREAMS=now      work runs when it is put on a stream
//   KILN_EMULATION_ORDER=SEED       threads, blocks and independent streams take turns at random
//   KILN_EMULATION_TIMES=SEED       random times between events: a build takes any candidate
//   KILN_EMULATION_HOST_ACCESS=1    the host may read and write device memory
//   KILN_EMULATION_DEVICES=0        the driver finds no GPU; 2: it finds two, which share memory
//   KILN_EMULATION_START=RESULT     what cuInit() returns
//   KILN_EMULATION_CACHE=FOLDER     cache of compiled kernels (a folder of the build)
//   KILN_EMULATION_CXX=COMPILER     the C++ compiler (the one that compiled Kiln)
//   KILN_EMULATION_NVRTC=LIBRARY    NVIDIA's compiler compiles each kernel as well; launches are
//                                   then limited by the kernel's registers and static shared memory
#pragma once

#include <mutex>

#include "targets/cuda/driver/driver.h"
#include "targets/cuda/driver/nvrtc.h"

#define KILN_EMULATED extern "C" __attribute__((visibility("default")))

namespace kiln::emulation {

using namespace targets::cuda; // names and numbers of the driver's interface

// Declares every function that Kiln calls: a definition with other parameters does not compile.
#define KILN_DECLARE(symbol, member, parameters) KILN_EMULATED CUresult symbol parameters;
KILN_CUDA_DRIVER_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE
#define KILN_DECLARE(symbol, member, parameters) KILN_EMULATED int symbol parameters;
KILN_NVRTC_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

// Error codes that Kiln itself does not use.
constexpr CUresult kInvalidHandle{400};
constexpr CUresult kMisalignedAddress{716};
constexpr CUresult kCaptureImplicit{906};
constexpr CUresult kCapturedEvent{907};

/// "sm_90"
constexpr int kMajor = 9;
constexpr int kMinor = 0;

/// Constructed first by every entry point. Takes the lock of the device, and fails like the driver
/// after a failed kernel or without a context, or because a test has requested a failure.
class Call {
public:
    enum class Needs { kNothing, kContext };

    explicit Call(char const* function, Needs needs = Needs::kContext);

    bool refused() const { return result_ != CUDA_SUCCESS; }
    CUresult result() const { return result_; }

private:
    std::lock_guard<std::mutex> lock_;
    CUresult result_;
};

/// Makes every later call fail, like after a failed kernel.
void loseDevice(CUresult result);
/// The argument of loseDevice(), or success.
CUresult lostWith();

} // namespace kiln::emulation

// Functions for tests, in addition to those of the driver.

/// Makes the call after `after` successful calls of a function fail: ("cuMemAlloc_v2", 2, 0).
KILN_EMULATED void kilnEmulatedFail(char const* function, int result, int after);
/// Makes the next kernel that runs access an illegal address.
KILN_EMULATED void kilnEmulatedFaultNextKernel();
/// Makes a lost device work again and cancels all requested failures.
KILN_EMULATED void kilnEmulatedReset();
/// Number of calls of a driver function.
KILN_EMULATED unsigned long long kilnEmulatedCalls(char const* function);
/// Lets threads, blocks and streams take turns at random, or in order.
KILN_EMULATED void kilnEmulatedSetOrder(bool random, unsigned long long seed);
/// Sets the size of the device's memory, in bytes.
KILN_EMULATED void kilnEmulatedSetMemory(std::size_t bytes);
/// Bytes of device memory that are allocated.
KILN_EMULATED std::size_t kilnEmulatedUsedMemory();
