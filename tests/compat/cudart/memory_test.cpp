// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

/// Expects this error from the call, and as the thread's last error until it is read.
void expectError(cudaError_t got, cudaError_t expected) {
    EXPECT_STREQ(cudaGetErrorName(got), cudaGetErrorName(expected));
    EXPECT_EQ(cudaPeekAtLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), expected);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudartMemory, EachKindIsFreedByItsOwnFunction) {
    float* device = nullptr;
    float* host = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 12), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&host, 12), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(device) % 256, 0U);
    device[2] = 1; // device memory is host memory
    expectError(cudaFree(host), cudaErrorInvalidValue);
    expectError(cudaFreeHost(device), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
    expectError(cudaFree(device), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
}

TEST(CudartMemory, OtherWaysToAllocate) {
    int* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, 8), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    ASSERT_EQ(cudaMallocAsync(&memory, 8, cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, nullptr), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(&memory, 8, cudaHostAllocMapped), cudaSuccess);
    int* mapped = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(&mapped, memory, 0), cudaSuccess);
    EXPECT_EQ(mapped, memory);
    EXPECT_EQ(cudaFreeHost(memory), cudaSuccess);
    expectError(cudaHostGetDevicePointer(&mapped, memory, 0), cudaErrorInvalidValue);
}

TEST(CudartMemory, SizesThatAreNone) {
    void* memory = &memory;
    EXPECT_EQ(cudaMalloc(&memory, 0), cudaSuccess);
    EXPECT_EQ(memory, nullptr);
    expectError(cudaMalloc(&memory, std::numeric_limits<std::size_t>::max()),
                cudaErrorMemoryAllocation);
    expectError(cudaMallocHost(&memory, std::size_t{1} << 62), cudaErrorMemoryAllocation);
    expectError(cudaMallocManaged(&memory, 0), cudaErrorInvalidValue);
}

TEST(CudartMemory, BadArguments) {
    void* memory = nullptr;
    expectError(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
    expectError(cudaHostAlloc(&memory, 4, 64), cudaErrorInvalidValue);
    expectError(cudaMallocManaged(&memory, 4, 7), cudaErrorInvalidValue);
    expectError(cudaMemGetInfo(nullptr, nullptr), cudaErrorInvalidValue);
    auto* const unknown = reinterpret_cast<cudaStream_t>(&memory);
    expectError(cudaMallocAsync(&memory, 4, unknown), cudaErrorInvalidResourceHandle);
    expectError(cudaFreeAsync(memory, unknown), cudaErrorInvalidResourceHandle);
}

TEST(CudartMemory, WhatAnAddressIs) {
    cudaPointerAttributes about{};
    std::array<char, 16> own{};
    ASSERT_EQ(cudaPointerGetAttributes(&about, own.data()), cudaSuccess);
    EXPECT_EQ(about.type, cudaMemoryTypeUnregistered);
    EXPECT_EQ(about.hostPointer, own.data());
    EXPECT_EQ(about.devicePointer, nullptr);

    ASSERT_EQ(cudaHostRegister(own.data(), own.size(), cudaHostRegisterDefault), cudaSuccess);
    expectError(cudaHostRegister(own.data() + 4, 2, 0), cudaErrorHostMemoryAlreadyRegistered);
    ASSERT_EQ(cudaPointerGetAttributes(&about, own.data() + 15), cudaSuccess);
    EXPECT_EQ(about.type, cudaMemoryTypeHost);
    expectError(cudaFreeHost(own.data()), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
    expectError(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
    expectError(cudaHostRegister(nullptr, 4, 0), cudaErrorInvalidValue);

    char* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 100), cudaSuccess);
    ASSERT_EQ(cudaPointerGetAttributes(&about, device + 99), cudaSuccess);
    EXPECT_EQ(about.type, cudaMemoryTypeDevice);
    EXPECT_EQ(about.device, 0);
    EXPECT_EQ(about.devicePointer, device + 99);
    EXPECT_EQ(about.hostPointer, nullptr);
    ASSERT_EQ(cudaPointerGetAttributes(&about, device + 100), cudaSuccess);
    EXPECT_EQ(about.type, cudaMemoryTypeUnregistered);
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    expectError(cudaPointerGetAttributes(nullptr, device), cudaErrorInvalidValue);
}

TEST(CudartMemory, FreeAndTotal) {
    std::size_t available = 0;
    std::size_t total = 0;
    ASSERT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
    EXPECT_GT(available, 0U);
    EXPECT_LT(available, total);
}

TEST(CudartCopies, CopyAndFill) {
    std::vector<int> from{1, 2, 3, 4};
    std::vector<int> to(4);
    ASSERT_EQ(cudaMemcpy(to.data(), from.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(to, from);
    ASSERT_EQ(cudaMemset(to.data(), 0xff, 8), cudaSuccess);
    EXPECT_EQ(to, (std::vector{-1, -1, 3, 4}));
    ASSERT_EQ(cudaMemcpyAsync(to.data(), to.data() + 1, 12, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(to, (std::vector{-1, 3, 4, 4})) << "ranges may overlap";
    ASSERT_EQ(cudaMemsetAsync(to.data(), 0, 16, nullptr), cudaSuccess);
    EXPECT_EQ(to, (std::vector{0, 0, 0, 0}));
    EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaMemset(nullptr, 0, 0), cudaSuccess);
}

TEST(CudartCopies, Rows) {
    std::vector<int> const from{1, 2, 9, 3, 4, 9};
    std::vector<int> to(4);
    ASSERT_EQ(cudaMemcpy2D(to.data(), 8, from.data(), 12, 8, 2, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(to, (std::vector{1, 2, 3, 4}));
    ASSERT_EQ(cudaMemcpy2DAsync(to.data(), 8, from.data() + 1, 12, 8, 2, cudaMemcpyDefault),
              cudaSuccess);
    EXPECT_EQ(to, (std::vector{2, 9, 4, 9}));
    expectError(cudaMemcpy2D(to.data(), 4, from.data(), 12, 8, 2, cudaMemcpyDefault),
                cudaErrorInvalidPitchValue);
    expectError(cudaMemcpy2D(nullptr, 8, from.data(), 12, 8, 2, cudaMemcpyDefault),
                cudaErrorInvalidValue);
}

TEST(CudartCopies, BadArguments) {
    int value = 0;
    auto const noKind = static_cast<cudaMemcpyKind>(5);
    expectError(cudaMemcpy(&value, &value, 4, noKind), cudaErrorInvalidMemcpyDirection);
    expectError(cudaMemcpy2D(&value, 4, &value, 4, 4, 1, noKind), cudaErrorInvalidMemcpyDirection);
    expectError(cudaMemcpy(&value, nullptr, 4, cudaMemcpyDefault), cudaErrorInvalidValue);
    expectError(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
    auto* const unknown = reinterpret_cast<cudaStream_t>(&value);
    expectError(cudaMemcpyAsync(&value, &value, 4, cudaMemcpyDefault, unknown),
                cudaErrorInvalidResourceHandle);
    expectError(cudaMemcpy2DAsync(&value, 4, &value, 4, 4, 1, cudaMemcpyDefault, unknown),
                cudaErrorInvalidResourceHandle);
    expectError(cudaMemsetAsync(&value, 0, 4, unknown), cudaErrorInvalidResourceHandle);
}

} // namespace
