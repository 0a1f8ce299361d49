// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/gpu.h"

#include <thread>

#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/cudnn/cudnn.h"
#include "targets/cuda/gpu_fixture.h"

namespace kiln::targets::cuda {
namespace {

TEST(PtxVersion, FollowsTheToolkits) {
    EXPECT_EQ(ptxVersionOf(11000), 70);
    EXPECT_EQ(ptxVersionOf(11080), 78);
    EXPECT_EQ(ptxVersionOf(12000), 80);
    EXPECT_EQ(ptxVersionOf(12050), 85);
    EXPECT_EQ(ptxVersionOf(12060), 85);
    EXPECT_EQ(ptxVersionOf(12080), 87);
    EXPECT_EQ(ptxVersionOf(13000), 90);
    EXPECT_EQ(ptxVersionOf(13010), 91);
}

using GpuDevice = test::GpuTest;

TEST_F(GpuDevice, KnowsItself) {
    Gpu const& gpu = Gpu::current();
    EXPECT_NE(gpu.name, "");
    EXPECT_GE(gpu.architecture.major, 7);
    EXPECT_GT(gpu.totalBytes, 0U);
    EXPECT_GT(gpu.multiprocessors, 0);
    EXPECT_GE(gpu.sharedBytesPerBlock, 48 << 10);
    EXPECT_GE(gpu.driverVersion, 12000);
}

TEST_F(GpuDevice, IsEnteredByEachThread) {
    Gpu const& gpu = Gpu::current();
    std::thread([&] {
        CUcontext current = nullptr;
        gpu.driver.ctxGetCurrent(&current);
        EXPECT_EQ(current, nullptr);
        {
            GpuScope const outer;
            GpuScope const inner;
            gpu.driver.ctxGetCurrent(&current);
            EXPECT_EQ(current, gpu.context);
        }
        gpu.driver.ctxGetCurrent(&current);
        EXPECT_EQ(current, gpu.handle == 0 ? gpu.context : nullptr);
    }).join();
}

TEST_F(GpuDevice, LeavesTheCallersGpuCurrent) {
    Gpu const& gpu = Gpu::current();
    int count = 0;
    gpu.driver.deviceGetCount(&count);
    if (count < 2) {
        GTEST_SKIP() << "the machine has one GPU";
    }
    CUcontext other = nullptr;
    ASSERT_EQ(gpu.driver.devicePrimaryCtxRetain(&other, gpu.handle == 0 ? 1 : 0), CUDA_SUCCESS);
    std::thread([&] {
        ASSERT_EQ(gpu.driver.ctxSetCurrent(other), CUDA_SUCCESS);
        auto const stays = [&] {
            CUcontext current = nullptr;
            gpu.driver.ctxGetCurrent(&current);
            return current == other;
        };
        target::StreamHandle const stream = cuda_.createStream();
        EXPECT_TRUE(stays());
        void* const memory = cuda_.allocate(16, 16, "a test");
        EXPECT_TRUE(stays());
        cuda_.fill(memory, 1, 16, stream);
        cuda_.synchronize(stream);
        EXPECT_TRUE(stays());
        {
            target::DeviceScope const scope(cuda_);
            EXPECT_FALSE(stays());
        }
        EXPECT_TRUE(stays());
        cuda_.release(memory);
        cuda_.destroyStream(stream);
        EXPECT_TRUE(stays());
    }).join();
}

TEST_F(GpuDevice, LibrariesHaveAHandleForEach) {
    int count = 0;
    Driver::instance().deviceGetCount(&count);
    if (count < 2 || !CublasLt::problem().empty() || !Cudnn::problem().empty()) {
        GTEST_SKIP() << "the machine has one GPU, or lacks cuBLASLt or cuDNN";
    }
    cublasLtHandle_t products[2] = {};
    cudnnHandle_t convolutions[2] = {};
    for (int i = 0; i < 2; ++i) {
        GpuScope const scope(Gpu::of(i));
        EXPECT_EQ(Gpu::current().handle, i);
        EXPECT_EQ(currentGpuNumber(), i);
        products[i] = CublasLt::instance().handle();
        EXPECT_EQ(products[i], CublasLt::instance().handle());
        convolutions[i] = Cudnn::threadHandle(Gpu::of(i));
        EXPECT_EQ(convolutions[i], Cudnn::threadHandle(Gpu::of(i)));
    }
    EXPECT_NE(products[0], products[1]);
    EXPECT_NE(convolutions[0], convolutions[1]);
}

} // namespace
} // namespace kiln::targets::cuda
