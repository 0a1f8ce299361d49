// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where device memory comes from, and the errors when it runs out.
#include <gmock/gmock.h>

#include "device/device_session.h"
#include "support/switched_off.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Given final : public IGpuAsyncAllocator {
public:
    void* allocateAsync(uint64_t size, uint64_t alignment, AllocatorFlags,
                        cudaStream_t) noexcept override {
        if (refuses) {
            return nullptr;
        }
        ++given;
        return QueuedDevice::instance().allocate(size, alignment, "the test's allocator");
    }
    bool deallocateAsync(void* memory, cudaStream_t) noexcept override {
        ++taken;
        QueuedDevice::instance().release(memory);
        return true;
    }
    bool refuses = false;
    int given = 0;
    int taken = 0;
};

/// y = relu(x + c), with an arena for the sum and a constant in device memory.
class DeviceMemory : public OnDevice {
protected:
    void SetUp() override {
        session->network->setName("memories");
        ITensor& x = session->input("x", {4});
        ITensor& c =
            *session->network->addConstant(dims({4}), {DataType::kFLOAT, values, 4})->getOutput(0);
        ITensor& sum =
            *session->network->addElementWise(x, c, ElementWiseOperation::kSUM)->getOutput(0);
        session->output(*session->network->addActivation(sum, ActivationType::kRELU)->getOutput(0),
                        "y");
    }
    void TearDown() override { device.room = std::size_t{1} << 30; }
    void expectRun(IExecutionContext& context) {
        ASSERT_TRUE(context.setTensorAddress("x", in.data())) << errors();
        ASSERT_TRUE(context.setTensorAddress("y", out.data())) << errors();
        ASSERT_TRUE(context.enqueueV3(stream)) << errors();
        device.synchronize(stream);
        EXPECT_THAT(out.values(), ElementsAre(11, 0, 33, 0));
    }
    SwitchedOff const fusion{"KILN_FUSION"}; ///< for an arena
    float const values[4] = {1, 2, 3, 4};
    DeviceArray<float> in{{10, -20, 30, -40}};
    DeviceArray<float> out{{0, 0, 0, 0}};
};

TEST_F(DeviceMemory, OfTheUsersAllocator) {
    plan = session->build();
    ASSERT_NE(plan, nullptr) << errors();
    Given given;
    {
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(session->log));
        runtime->setGpuAllocator(&given);
        std::unique_ptr<ICudaEngine> const engine(
            runtime->deserializeCudaEngine(plan->data(), plan->size()));
        ASSERT_NE(engine, nullptr) << errors();
        EXPECT_EQ(given.given, 1); // the constant
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        EXPECT_EQ(given.given, 2); // the arena
        expectRun(*context);
        EXPECT_TRUE(context->setTemporaryStorageAllocator(&given));
        EXPECT_EQ(context->getTemporaryStorageAllocator(), &given);
        expectRun(*context);
        EXPECT_EQ(given.given, 2);
        given.refuses = true;
        EXPECT_EQ(engine->createExecutionContext(), nullptr);
        EXPECT_THAT(errors(),
                    HasSubstr("[queued] the user's allocator gave no memory for the arena of an "
                              "execution context of engine 'memories': 64 bytes are needed. Free "
                              "some, or use smaller shapes."));
        EXPECT_EQ(runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
        EXPECT_THAT(errors(), AllOf(HasSubstr("gave no memory for constant '"),
                                    HasSubstr("' of engine 'memories': 16 bytes are needed.")));
    }
    EXPECT_EQ(given.taken, given.given);
}

TEST_F(DeviceMemory, BuildersUseTheirAllocatorToo) {
    Given given;
    session->builder->setGpuAllocator(&given);
    session->config->setFlag(BuilderFlag::kFP16); // so that types are compared by time
    ASSERT_NE(session->build(), nullptr) << errors();
    EXPECT_GT(given.given, 0);
    EXPECT_EQ(given.taken, given.given);
}

TEST_F(DeviceMemory, ThatRunsOut) {
    open();
    RecordingRecorder recorder;
    running->engine->setErrorRecorder(&recorder);
    device.room = 63;
    EXPECT_EQ(running->engine->createExecutionContext(), nullptr);
    std::string const expected =
        "[queued] cannot allocate 64 bytes for the arena of an execution context of engine "
        "'memories': 63 bytes are free";
    EXPECT_THAT(errors(), HasSubstr(expected));
    ASSERT_EQ(recorder.errors.size(), 1U);
    EXPECT_EQ(recorder.errors[0].first, ErrorCode::kFAILED_ALLOCATION);
    EXPECT_THAT(recorder.errors[0].second, HasSubstr(expected));
    running->engine->setErrorRecorder(nullptr);
    device.room = 15;
    EXPECT_EQ(running->runtime->deserializeCudaEngine(plan->data(), plan->size()), nullptr);
    EXPECT_THAT(errors(), HasSubstr("[queued] cannot allocate 16 bytes for constant '"));
}

TEST_F(DeviceMemory, OfTheUserIsCheckedAndShared) {
    open();
    std::unique_ptr<IExecutionContext> const first(
        running->engine->createExecutionContextWithoutDeviceMemory());
    std::unique_ptr<IExecutionContext> const second(
        running->engine->createExecutionContextWithoutDeviceMemory());
    EXPECT_EQ(running->engine->getDeviceMemorySizeV2(), 64);
    DeviceArray<float> const arena(std::vector<float>(128));
    std::vector<float> host(128);
    first->setDeviceMemoryV2(host.data(), 512);
    EXPECT_THAT(errors(), AllOf(HasSubstr("[run] device memory, address "),
                                HasSubstr("expected memory of the device, got host memory.")));
    first->setDeviceMemoryV2(static_cast<std::byte*>(arena.data()) + 16, 128);
    EXPECT_THAT(errors(), HasSubstr("expected an address that is a multiple of 256."));
    first->setDeviceMemoryV2(arena.data(), 63);
    EXPECT_THAT(errors(), HasSubstr("[run] device memory: expected 64 bytes or more, got 63."));
    first->setDeviceMemoryV2(arena.data(), 512);
    second->setDeviceMemory(arena.data());
    expectRun(*first);
    expectRun(*second);
}

} // namespace
} // namespace kiln::test
