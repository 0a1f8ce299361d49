// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The emulated GPU computes like a GPU, and detects the mistakes that it is meant to detect.
#include <array>
#include <memory>
#include <numeric>

#include "targets/cuda/gpu_fixture.h"
#include "targets/cuda/module.h"

namespace kiln::targets::cuda {
namespace {

using testing::Each;
using testing::ElementsAre;

class GpuEmulation : public test::EmulatedGpuTest {
protected:
    static constexpr unsigned kThreads = 64;

    void TearDown() override {
        module_.reset();
        EmulatedGpuTest::TearDown();
    }

    /// Launches `body` as a kernel of one block; its parameter, float* at, is `numbers`.
    CUresult launch(std::string const& body, void* numbers, unsigned threads = kThreads) {
        module_ = std::make_unique<Module>(test::compiled(
            "extern \"C\" __global__ void test(float* at) { int i = threadIdx.x; " + body + " }"));
        void* parameters[] = {&numbers};
        return Driver::instance().launchKernel(module_->function("test"), 1, 1, 1, threads, 1, 1, 0,
                                               nullptr, parameters, nullptr);
    }

    /// Runs such a kernel and returns the error with which the device is lost.
    CUresult failureOf(std::string const& body, void* numbers) {
        EXPECT_EQ(launch(body, numbers), CUDA_SUCCESS);
        return Driver::instance().streamSynchronize(nullptr);
    }

    std::unique_ptr<Module> module_;
};

TEST_F(GpuEmulation, ShufflesAmongTheLanesOfAWarp) {
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    launch("float sum = i; for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);"
           "at[i] = sum;",
           numbers.address());
    std::vector<float> const sums = numbers.read();
    EXPECT_EQ(sums[0], 496.0F);
    EXPECT_EQ(sums[31], 496.0F);
    EXPECT_EQ(sums[32], 1520.0F);
    launch("at[i] = __shfl_up_sync(~0u, i, 1) * 100 + __shfl_down_sync(~0u, i, 2, 4);",
           numbers.address());
    std::vector<float> const shifted = numbers.read();
    EXPECT_EQ(shifted[0], 0 * 100 + 2);
    EXPECT_EQ(shifted[5], 4 * 100 + 7);
    EXPECT_EQ(shifted[6], 5 * 100 + 6);
    EXPECT_EQ(shifted[32], 32 * 100 + 34);
    launch("at[i] = __ballot_sync(~0u, i % 32 < 3);", numbers.address());
    EXPECT_THAT(numbers.read(), Each(7.0F));
}

TEST_F(GpuEmulation, WaitsForAllThreadsOfABlock) {
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    launch("__shared__ float shared[64]; shared[i] = i; __syncthreads(); at[i] = shared[63 - i];"
           "__syncthreads(); if (i >= 8) return; __syncthreads(); atomicAdd(at + 63, 1.0f);",
           numbers.address());
    std::vector<float> const values = numbers.read();
    EXPECT_EQ(values[0], 63.0F);
    EXPECT_EQ(values[62], 1.0F);
    EXPECT_EQ(values[63], 8.0F);
}

TEST_F(GpuEmulation, FindsThreadsThatWaitForEver) {
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(failureOf("if (i == 0) __syncthreads(); else __syncwarp();", numbers.address()),
              CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(GpuEmulation, FindsAccessesOutsideOfAllocations) {
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(failureOf("at[0] = at[64 + i];", numbers.address()), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(GpuEmulation, FindsPointersToTheHost) {
    float plain = 0.0F;
    EXPECT_EQ(failureOf("at[0] = 1.0f;", &plain), CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(plain, 0.0F);
}

TEST_F(GpuEmulation, FindsUnalignedWideAccesses) {
    test::GpuNumbers const numbers(cuda_, std::vector<float>(kThreads));
    EXPECT_EQ(
        failureOf("float4 v = *reinterpret_cast<float4*>(at + 1); at[0] = v.x;", numbers.address()),
        CUresult{716});
}

TEST_F(GpuEmulation, FindsWhatIsWrittenBesideAnAllocation) {
    test::GpuNumbers const numbers(cuda_, {1, 2, 3});
    EXPECT_DEATH(failureOf("at[-1] = 0.0f;", numbers.address()),
                 "somebody wrote beside the 12 bytes");
}

TEST_F(GpuEmulation, FindsAHostThatTouchesItsMemory) {
    test::GpuNumbers const numbers(cuda_, {1, 2, 3});
    EXPECT_DEATH(*static_cast<float volatile*>(numbers.address()) = 0.0F, "");
}

TEST_F(GpuEmulation, WorksWhenSomebodyWaits) {
    auto* const pinned = static_cast<float*>(cuda_.allocateHost(kThreads * sizeof(float)));
    std::iota(pinned, pinned + kThreads, 0.0F);
    launch("at[i] += 1.0f;", pinned);
    EXPECT_EQ(pinned[5], 5.0F);
    cuda_.synchronize(nullptr);
    EXPECT_EQ(pinned[5], 6.0F);
    cuda_.releaseHost(pinned);
}

TEST_F(GpuEmulation, FillsFreshMemory) {
    Driver const& driver = Driver::instance();
    void* const memory = cuda_.allocate(4, 1, "a test");
    auto const address = reinterpret_cast<CUdeviceptr>(memory);
    std::array<uint8_t, 4> bytes{};
    driver.memcpyDtoHAsync(bytes.data(), address, 4, nullptr);
    EXPECT_THAT(bytes, Each(0x7f));
    EXPECT_EQ(driver.memcpyDtoHAsync(bytes.data(), address, 5, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.memFree(address + 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver.memFree(address), CUDA_SUCCESS);
    EXPECT_EQ(driver.memFree(address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GpuEmulation, RefusesWhatACaptureRefuses) {
    Driver const& driver = Driver::instance();
    CUstream stream = nullptr;
    driver.streamCreate(&stream, CU_STREAM_NON_BLOCKING);
    auto const endsCapture = [&](auto const& call) {
        driver.streamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
        EXPECT_NE(call(), CUDA_SUCCESS);
        CUgraph graph = nullptr;
        EXPECT_EQ(driver.streamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    };
    CUdeviceptr memory = 0;
    float plain = 0.0F;
    test::GpuNumbers const numbers(cuda_, {1});
    auto const address = reinterpret_cast<CUdeviceptr>(numbers.address());
    endsCapture([&] { return driver.memAlloc(&memory, 4); });
    endsCapture([&] { return driver.streamSynchronize(stream); });
    endsCapture([&] { return driver.memcpyHtoDAsync(address, &plain, 4, stream); });
    endsCapture([&] { return driver.memcpyDtoHAsync(&plain, address, 4, stream); });
    driver.streamDestroy(stream);
}

} // namespace
} // namespace kiln::targets::cuda
