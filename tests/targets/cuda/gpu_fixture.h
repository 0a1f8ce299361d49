// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests that need a GPU, real or emulated (tests/emulation). The names of their suites start with
// Gpu or Cuda, for targets_test --gtest_filter='Gpu*:Cuda*'.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_matchers.h"
#include "target/backend_registry.h"
#include "targets/cuda/backend.h"
#include "targets/cuda/device.h"
#include "targets/cuda/driver/nvrtc.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda::test {

/// Skips the test if there is no GPU or no NVRTC, with the reason.
class GpuTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    CudaDevice cuda_{0};
};

/// A test that makes the emulated GPU fail; skipped on a real GPU.
class EmulatedGpuTest : public GpuTest {
protected:
    void SetUp() override;

    /// Makes a driver function fail after `after` successful calls.
    static void failCall(char const* function, CUresult result, int after = 0);
    /// Makes the next kernel access an illegal address.
    static void faultNextKernel();
    static void setMemory(std::size_t bytes);
    /// Lets threads, blocks and streams take turns at random, or in order.
    static void setOrder(bool random, uint64_t seed = 0);
    static uint64_t calls(char const* function);
};

/// GPU memory that holds these values.
class GpuNumbers {
public:
    GpuNumbers(CudaDevice& cuda, std::vector<float> const& values);
    ~GpuNumbers();
    GpuNumbers(GpuNumbers const&) = delete;
    GpuNumbers& operator=(GpuNumbers const&) = delete;

    void* address() const { return memory_; }
    /// Waits for the stream, then returns the values.
    std::vector<float> read(target::StreamHandle stream = nullptr) const;

private:
    CudaDevice& cuda_;
    std::size_t count_;
    void* memory_;
};

/// Compiles a source to machine code for the GPU that the tests run on.
Bytes compiled(std::string const& source);

} // namespace kiln::targets::cuda::test
