// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests that need a GPU, real or emulated (tests/emulation). Their suites are called Gpu..., which
// is how they are run: backends_test --gtest_filter='Gpu*'.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/backend_registry.h"
#include "backends/cuda/backend.h"
#include "backends/cuda/device.h"
#include "backends/cuda/driver/nvrtc.h"
#include "base/error_matchers.h"

namespace kiln::backends::cuda::test {

/// Skips where there is no GPU or no NVRTC, in the words of the backend.
class GpuTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    CudaBackend cuda_{backend::parseTarget("cuda:sm_90")};
};

/// One that asks the emulated GPU for failures; skips on a real one.
class EmulatedGpuTest : public GpuTest {
protected:
    void SetUp() override;

    /// Lets a function of the driver fail after so many calls that work.
    static void failCall(char const* function, CUresult result, int after = 0);
    /// Lets the next kernel touch an illegal address.
    static void faultNextKernel();
    static void setMemory(std::size_t bytes);
    static uint64_t calls(char const* function);
};

/// Memory of the GPU that holds these values.
class GpuNumbers {
public:
    GpuNumbers(CudaBackend& cuda, std::vector<float> const& values);
    ~GpuNumbers();
    GpuNumbers(GpuNumbers const&) = delete;
    GpuNumbers& operator=(GpuNumbers const&) = delete;

    void* address() const { return memory_; }
    /// After waiting for the stream.
    std::vector<float> read(backend::StreamHandle stream = nullptr) const;

private:
    CudaBackend& cuda_;
    std::size_t count_;
    void* memory_;
};

/// Machine code of a source for the GPU that tests run on.
Bytes compiled(std::string const& source);

} // namespace kiln::backends::cuda::test
