// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/device.h"

#include <thread>

#include "backends/cuda/gpu_fixture.h"

namespace kiln::backends::cuda {
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
        device.enter();
        device.enter();
        device.driver.ctxGetCurrent(&current);
        EXPECT_EQ(current, device.context);
    }).join();
}

} // namespace
} // namespace kiln::backends::cuda
