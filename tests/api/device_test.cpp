// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "kiln/device.h"

#include <array>

#include <gmock/gmock.h>

#include "kiln/kiln.h"
#include "support/session.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

TEST(OpenDevice, OfTheCpuComputesOnHostMemory) {
    char const* problem = nullptr;
    IDevice* const device = openDevice("cpu", &problem);
    ASSERT_NE(device, nullptr) << problem;
    EXPECT_STREQ(problem, "");
    EXPECT_EQ(device, openDevice("cpu"));
    EXPECT_STREQ(device->target(), "cpu");
    EXPECT_STRNE(device->name(), "");
    EXPECT_GT(device->memoryBytes(), 0U);
    EXPECT_TRUE(device->usesHostMemory());

    std::array<int, 4> const values{1, 2, 3, 4};
    auto* const memory = static_cast<int*>(device->allocate(sizeof(values)));
    cudaStream_t stream = nullptr;
    ASSERT_TRUE(device->createStream(&stream));
    ASSERT_TRUE(device->fill(memory, 0xff, sizeof(values), stream));
    EXPECT_EQ(memory[3], -1);
    cudaEvent_t const start = device->createEvent();
    cudaEvent_t const stop = device->createEvent();
    ASSERT_TRUE(device->record(start, stream));
    ASSERT_TRUE(
        device->copy(memory, values.data(), sizeof(values), MemoryCopy::kHOST_TO_DEVICE, stream));
    ASSERT_TRUE(device->record(stop, stream));
    ASSERT_TRUE(device->synchronize(stream));
    EXPECT_EQ(memory[3], 4);
    EXPECT_GE(device->elapsedMs(start, stop), 0.0F);
    device->destroyEvent(start);
    device->destroyEvent(stop);
    device->destroyStream(stream);
    device->release(memory);
    device->release(nullptr);
}

TEST(OpenDevice, SaysWhatFailed) {
    char const* problem = nullptr;
    EXPECT_EQ(openDevice("gpu", &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("'gpu'"));
    EXPECT_EQ(openDevice("cuda:sm_20", &problem), nullptr);
    EXPECT_THAT(problem, HasSubstr("Plans can be built for it, not run."));

    IDevice* const cpu = openDevice("cpu");
    EXPECT_EQ(cpu->allocate(UINT64_MAX / 2), nullptr);
    EXPECT_THAT(cpu->problem(), HasSubstr("cannot allocate"));
    EXPECT_FALSE(cpu->beginCapture(nullptr));
    EXPECT_THAT(cpu->problem(), HasSubstr("[cpu] this target has no graphs"));
    EXPECT_EQ(cpu->endCapture(nullptr), nullptr);
    EXPECT_FALSE(cpu->launchGraph(nullptr, nullptr));
    EXPECT_TRUE(cpu->synchronize(nullptr));
    EXPECT_STREQ(cpu->problem(), "");
}

TEST(DeviceOf, IsWhereTheEngineRuns) {
    test::Session session;
    nvinfer1::ITensor& x = session.input("x", {2});
    session.output(*session.network->addIdentity(x)->getOutput(0), "y");
    auto const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    ASSERT_TRUE(setDefaultTarget("cuda:sm_90"));
    test::Running running(session.log, *plan);
    EXPECT_EQ(deviceOf(*running.engine), openDevice("cpu"));
    setDefaultTarget(nullptr);
}

} // namespace
} // namespace kiln
