// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/device.h"

#include <thread>

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
    Device const& device = Device::instance();
    EXPECT_NE(device.name, "");
    EXPECT_GE(device.architecture.major, 7);
    EXPECT_GT(device.totalBytes, 0U);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GE(device.sharedBytesPerBlock, 48 << 10);
    EXPECT_GE(device.driverVersion, 12000);
}

TEST_F(GpuDevice, IsEnteredByEachThread) {
    Device const& device = Device::instance();
    std::thread([&] {
        CUcontext current = nullptr;
        device.driver.ctxGetCurrent(&current);
        EXPECT_EQ(current, nullptr);
        {
            DeviceScope const outer;
            DeviceScope const inner;
            device.driver.ctxGetCurrent(&current);
            EXPECT_EQ(current, device.context);
        }
        device.driver.ctxGetCurrent(&current);
        EXPECT_EQ(current, device.handle == 0 ? device.context : nullptr);
    }).join();
}

TEST_F(GpuDevice, LeavesTheCallersGpuCurrent) {
    Device const& device = Device::instance();
    int count = 0;
    device.driver.deviceGetCount(&count);
    if (count < 2) {
        GTEST_SKIP() << "the machine has one GPU";
    }
    CUcontext other = nullptr;
    ASSERT_EQ(device.driver.devicePrimaryCtxRetain(&other, device.handle == 0 ? 1 : 0),
              CUDA_SUCCESS);
    std::thread([&] {
        ASSERT_EQ(device.driver.ctxSetCurrent(other), CUDA_SUCCESS);
        auto const stays = [&] {
            CUcontext current = nullptr;
            device.driver.ctxGetCurrent(&current);
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
            target::ThreadScope const scope(cuda_);
            EXPECT_FALSE(stays());
        }
        EXPECT_TRUE(stays());
        cuda_.release(memory);
        cuda_.destroyStream(stream);
        EXPECT_TRUE(stays());
    }).join();
}

} // namespace
} // namespace kiln::targets::cuda
