// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <thread>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

TEST(CudartDevices, ThereIsOne) {
    int number = -1;
    ASSERT_EQ(cudaGetDeviceCount(&number), cudaSuccess);
    EXPECT_EQ(number, 1);
    ASSERT_EQ(cudaGetDevice(&number), cudaSuccess);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_EQ(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(CudartDevices, IsNoGpu) {
    cudaDeviceProp about{};
    ASSERT_EQ(cudaGetDeviceProperties(&about, 0), cudaSuccess);
    EXPECT_STREQ(about.name, "Kiln host memory (no GPU)");
    EXPECT_EQ(about.major, 0);
    EXPECT_GT(about.totalGlobalMem, 0U);
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    EXPECT_EQ(value, about.multiProcessorCount);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 0), cudaSuccess);
    EXPECT_EQ(value, 1);
    auto const unknown = static_cast<cudaDeviceAttr>(1);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, unknown, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, 2), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDeviceProperties(&about, -1), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
}

TEST(CudartVersions, AreThoseOfTheHeader) {
    int version = 0;
    ASSERT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
    EXPECT_EQ(version, CUDART_VERSION);
    ASSERT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
    EXPECT_EQ(version, CUDART_VERSION);
}

TEST(CudartErrors, HaveNamesAndWords) {
    EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
    EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
    EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(-1)), "unrecognized error code");
}

TEST(CudartErrors, AreThoseOfTheThread) {
    ASSERT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
    cudaError_t other = cudaErrorUnknown;
    std::thread([&] { other = cudaPeekAtLastError(); }).join();
    EXPECT_EQ(other, cudaSuccess);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice) << "a success leaves it";
}

} // namespace
