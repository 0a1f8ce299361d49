// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

TEST(CudartStreams, AreAliveUntilTheyAreDestroyed) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_NE(stream, nullptr);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST(CudartStreams, SomeNeedNoCreation) {
    for (cudaStream_t const stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
        unsigned int flags = 7;
        EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
        EXPECT_EQ(flags, 0U);
    }
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST(CudartStreams, KeepFlagsAndPriority) {
    int least = 1;
    int greatest = 1;
    ASSERT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
    EXPECT_LT(greatest, least);
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 10),
              cudaSuccess);
    unsigned int flags = 0;
    int priority = 0;
    EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
    EXPECT_EQ(flags, static_cast<unsigned int>(cudaStreamNonBlocking));
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
    EXPECT_EQ(priority, greatest);
    EXPECT_EQ(cudaStreamGetPriority(stream, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 9), cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamCreate(nullptr), cudaErrorInvalidValue);
}

TEST(CudartStreams, CallAFunctionAtOnce) {
    int calls = 0;
    auto const count = [](void* data) { ++*static_cast<int*>(data); };
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, count, &calls), cudaSuccess);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, nullptr, &calls), cudaErrorInvalidValue);
    auto* const unknown = reinterpret_cast<cudaStream_t>(&calls);
    EXPECT_EQ(cudaLaunchHostFunc(unknown, count, &calls), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(calls, 1);
}

TEST(CudartEvents, MeasureTime) {
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&end, cudaEventBlockingSync), cudaSuccess);
    float ms = -1;
    EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaErrorInvalidResourceHandle)
        << "nothing was recorded";
    EXPECT_EQ(cudaEventRecord(start), cudaSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(cudaEventRecord(end, cudaStreamPerThread), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(end), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, end), cudaSuccess);
    EXPECT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
    EXPECT_GE(ms, 2);
    EXPECT_LT(ms, 60'000);
    EXPECT_EQ(cudaEventElapsedTime(nullptr, start, end), cudaErrorInvalidValue);
    EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(end), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventSynchronize(end), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventQuery(end), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, end), cudaErrorInvalidResourceHandle);
}

TEST(CudartEvents, WithoutTiming) {
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess),
              cudaSuccess);
    EXPECT_EQ(cudaEventRecordWithFlags(event, nullptr, cudaEventRecordExternal), cudaSuccess);
    float ms = 0;
    EXPECT_EQ(cudaEventElapsedTime(&ms, event, event), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST(CudartEvents, BadArguments) {
    cudaEvent_t event = nullptr;
    EXPECT_EQ(cudaEventCreate(nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(cudaEventCreateWithFlags(&event, 8), cudaErrorInvalidValue);
    EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    auto* const unknown = reinterpret_cast<cudaStream_t>(&event);
    EXPECT_EQ(cudaEventRecord(event, unknown), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaEventRecordWithFlags(event, nullptr, 2), cudaErrorInvalidValue);
    EXPECT_EQ(cudaStreamWaitEvent(unknown, event), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 5), cudaErrorInvalidValue);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

} // namespace
