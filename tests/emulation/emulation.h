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
// only kernels and copies may touch. Made to show mistakes early: work waits on its stream until
// somebody waits for it, fresh memory is filled with 0x7f, allocations have guard bytes and guard
// pages, unaligned wide loads fail, and a stream capture refuses what CUDA refuses. What goes wrong
// is written to stderr.
//
// Variables:
//   KILN_EMULATION_MEMORY=BYTES     size of the device's memory (4 GiB)
//   KILN_EMULATION_STREAMS=now      work is done when it is put on a stream
//   KILN_EMULATION_HOST_ACCESS=1    the host may read and write device memory
//   KILN_EMULATION_DEVICES=0        the driver finds no GPU; 2: it finds two, which share memory
//   KILN_EMULATION_START=RESULT     what cuInit() answers
//   KILN_EMULATION_CACHE=FOLDER     where compiled kernels are kept (a folder of the build)
//   KILN_EMULATION_CXX=COMPILER     the C++ compiler, if it is another than Kiln's
#pragma once

#include <mutex>

#include "backends/cuda/driver/driver.h"
#include "backends/cuda/driver/nvrtc.h"

#define KILN_EMULATED extern "C" __attribute__((visibility("default")))

namespace kiln::emulation {

using namespace backends::cuda; // names and numbers of the driver's interface

// Every function that Kiln calls: a definition with other parameters does not compile.
#define KILN_DECLARE(symbol, member, parameters) KILN_EMULATED CUresult symbol parameters;
KILN_CUDA_DRIVER_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE
#define KILN_DECLARE(symbol, member, parameters) KILN_EMULATED int symbol parameters;
KILN_NVRTC_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

// Results that Kiln itself never asks for.
constexpr CUresult kInvalidHandle{400};
constexpr CUresult kMisalignedAddress{716};
constexpr CUresult kCaptureImplicit{906};
constexpr CUresult kCapturedEvent{907};

/// "sm_90"
constexpr int kMajor = 9;
constexpr int kMinor = 0;

/// What every entry point does first: it takes the lock of the whole device and answers as the
/// driver does after a failed kernel, without a context, or when a test has asked for a failure.
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

/// Makes every later call fail, as a kernel that failed does.
void loseDevice(CUresult result);
/// What loseDevice() was given, or success.
CUresult lostWith();

} // namespace kiln::emulation

// Functions for tests, beside those of the driver.

/// Lets the call after `after` successful calls of a function fail: ("cuMemAlloc_v2", 2, 0).
KILN_EMULATED void kilnEmulatedFail(char const* function, int result, int after);
/// Lets the next kernel that is run touch an illegal address.
KILN_EMULATED void kilnEmulatedFaultNextKernel();
/// Makes a lost device work again and forgets all requests of failures.
KILN_EMULATED void kilnEmulatedReset();
/// How often a function of the driver was called.
KILN_EMULATED unsigned long long kilnEmulatedCalls(char const* function);
/// Sets the size of the device's memory, in bytes.
KILN_EMULATED void kilnEmulatedSetMemory(std::size_t bytes);
/// Bytes of device memory that are allocated.
KILN_EMULATED std::size_t kilnEmulatedUsedMemory();
