// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Misuse of engines and contexts: each call fails with a message and changes nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"
#include "support/switched_off.h"
#include "support/text.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// x [-1,2] -> identity -> ReLU -> y, for 1 to 4 rows, with a tensor in the arena.
class ContextFailure : public testing::Test {
protected:
    void SetUp() override {
        SwitchedOff const rewriting("KILN_REWRITE");
        ITensor& x = session.input("x", {-1, 2});
        session.range("x", {1, 2}, {2, 2}, {4, 2});
        ITensor& same = *session.network->addIdentity(x)->getOutput(0);
        session.output(*session.network->addActivation(same, ActivationType::kRELU)->getOutput(0),
                       "y");
        std::unique_ptr<IHostMemory> const plan = session.build();
        ASSERT_NE(plan, nullptr) << session.log.errors();
        running = std::make_unique<Running>(log, *plan);
        ASSERT_NE(running->context, nullptr) << log.errors();
        log.clear();
    }
    IExecutionContext& context() { return *running->context; }
    void bind() {
        EXPECT_TRUE(context().setTensorAddress("x", x.data()));
        EXPECT_TRUE(context().setTensorAddress("y", y.data()));
    }
    void expectError(bool result, std::string const& text) {
        EXPECT_FALSE(result);
        EXPECT_THAT(log.takeErrors(), HasSubstr(text));
    }

    Session session;
    RecordingLogger log;
    std::unique_ptr<Running> running;
    std::vector<float> x = std::vector<float>(8, -1.0F);
    std::vector<float> y = std::vector<float>(8, 5.0F);
};

TEST_F(ContextFailure, ShapeOutsideTheProfile) {
    expectError(context().setInputShape("x", Dims2{5, 2}),
                "[run] input 'x': expected a shape from [1,2] to [4,2] (optimization profile 0), "
                "got [5,2].");
    expectError(context().setInputShape("x", Dims2{0, 2}), "got [0,2]");
    expectError(context().setInputShape("x", Dims2{2, 3}), "got [2,3]");
    expectError(context().setInputShape("x", dims({2})), "got [2]");
    expectError(context().setInputShape("x", Dims2{-1, 2}), "got [-1,2]");
    expectError(context().setInputShape("x", Dims{-1, {}}), "expected 0 to 8 dimensions, got -1");
    EXPECT_EQ(str(context().getTensorShape("x")), "[-1,2]");
}

TEST_F(ContextFailure, ARefusedShapeLeavesTheOldOne) {
    bind();
    EXPECT_TRUE(context().setInputShape("x", Dims2{3, 2}));
    EXPECT_FALSE(context().setInputShape("x", Dims2{9, 2}));
    EXPECT_EQ(str(context().getTensorShape("y")), "[3,2]");
    EXPECT_TRUE(context().enqueueV3(nullptr));
    EXPECT_EQ(y[5], 0.0F);
    EXPECT_EQ(y[6], 5.0F);
}

TEST_F(ContextFailure, ShapeOfAnOutput) {
    expectError(context().setInputShape("y", Dims2{2, 2}),
                "tensor 'y', set input shape: expected an input, got an output");
}

TEST_F(ContextFailure, UnknownNames) {
    char const* const text = "tensor 'z': expected the name of an input or output, which are: x, y";
    expectError(context().setInputShape("z", Dims2{2, 2}), text);
    expectError(context().setTensorAddress("z", x.data()), text);
    expectError(context().setInputTensorAddress("z", x.data()), text);
    expectError(context().setOutputTensorAddress("z", x.data()), text);
    EXPECT_EQ(context().getTensorShape("z").nbDims, -1);
    EXPECT_THAT(log.takeErrors(), HasSubstr(text));
    EXPECT_EQ(context().getTensorAddress("z"), nullptr);
    EXPECT_EQ(context().getTensorStrides("z").nbDims, -1);
    EXPECT_EQ(running->engine->getTensorShape("z").nbDims, -1);
    EXPECT_EQ(running->engine->getTensorIOMode("z"), TensorIOMode::kNONE);
    EXPECT_EQ(running->engine->getTensorBytesPerComponent("z"), -1);
    EXPECT_EQ(running->engine->getProfileShape("z", 0, OptProfileSelector::kMIN).nbDims, -1);
    EXPECT_EQ(running->engine->getProfileShape("x", 3, OptProfileSelector::kMIN).nbDims, -1);
    EXPECT_EQ(running->engine->getIOTensorName(-1), nullptr);
    EXPECT_EQ(running->engine->getIOTensorName(2), nullptr);
}

TEST_F(ContextFailure, NullNames) {
    char const* const text = "tensor '': expected the name of an input or output";
    expectError(context().setInputShape(nullptr, Dims2{2, 2}), text);
    expectError(context().setTensorAddress(nullptr, x.data()), text);
    EXPECT_EQ(context().getTensorShape(nullptr).nbDims, -1);
    EXPECT_EQ(context().getTensorAddress(nullptr), nullptr);
    EXPECT_EQ(context().getMaxOutputSize(nullptr), -1);
    EXPECT_EQ(running->engine->getTensorIOMode(nullptr), TensorIOMode::kNONE);
    EXPECT_EQ(running->engine->getTensorShape(nullptr).nbDims, -1);
    context().setName(nullptr);
    EXPECT_STREQ(context().getName(), "");
}

TEST_F(ContextFailure, AddressOfTheWrongKind) {
    expectError(context().setInputTensorAddress("y", x.data()),
                "tensor 'y', set address: expected an input, got an output");
    expectError(context().setOutputTensorAddress("x", x.data()),
                "tensor 'x', set address: expected an output, got an input");
    bind();
    EXPECT_EQ(context().getOutputTensorAddress("y"), y.data());
    EXPECT_EQ(context().getOutputTensorAddress("x"), nullptr);
}

TEST_F(ContextFailure, MissingShape) {
    bind();
    expectError(context().enqueueV3(nullptr),
                "[run] input 'x': its shape [-1,2] has unknown extents. Set the shape");
    EXPECT_FALSE(context().allInputDimensionsSpecified());
    char const* names[1] = {};
    EXPECT_EQ(context().inferShapes(1, names), 1);
    EXPECT_STREQ(names[0], "x");
    EXPECT_EQ(context().inferShapes(0, nullptr), 1);
}

TEST_F(ContextFailure, MissingAddress) {
    EXPECT_TRUE(context().setInputShape("x", Dims2{2, 2}));
    expectError(context().enqueueV3(nullptr), "[run] input 'x': no address is bound.");
    EXPECT_TRUE(context().setTensorAddress("x", x.data()));
    expectError(context().enqueueV3(nullptr), "[run] output 'y': no address is bound.");
    EXPECT_TRUE(context().setTensorAddress("y", y.data()));
    EXPECT_TRUE(context().enqueueV3(nullptr));
}

TEST_F(ContextFailure, AddressTakenAwayAgain) {
    bind();
    EXPECT_TRUE(context().setInputShape("x", Dims2{2, 2}));
    EXPECT_TRUE(context().enqueueV3(nullptr));
    EXPECT_TRUE(context().setTensorAddress("x", nullptr));
    expectError(context().enqueueV3(nullptr), "input 'x': no address is bound");
    EXPECT_TRUE(context().setTensorAddress("x", x.data()));
    EXPECT_TRUE(context().enqueueV3(nullptr));
}

TEST_F(ContextFailure, ExecuteV2WithoutAddresses) {
    EXPECT_TRUE(context().setInputShape("x", Dims2{2, 2}));
    expectError(context().executeV2(nullptr), "[run] bindings: expected 2 addresses");
    void* bindings[] = {x.data(), nullptr};
    expectError(context().executeV2(bindings), "output 'y': no address is bound");
    bindings[1] = y.data();
    EXPECT_TRUE(context().executeV2(bindings));
}

TEST_F(ContextFailure, UnknownProfile) {
    expectError(context().setOptimizationProfileAsync(1, nullptr),
                "optimization profile: expected 0 to 0, got 1");
    expectError(context().setOptimizationProfileAsync(-1, nullptr), "got -1");
}

TEST_F(ContextFailure, UserManagedMemory) {
    int64_t const bytes = running->engine->getDeviceMemorySizeV2();
    ASSERT_GT(bytes, 0);
    running->context.reset(
        running->engine->createExecutionContext(ExecutionContextAllocationStrategy::kUSER_MANAGED));
    bind();
    EXPECT_TRUE(context().setInputShape("x", Dims2{4, 2}));
    expectError(context().enqueueV3(nullptr), "the context has no device memory");
    std::vector<char> memory(static_cast<std::size_t>(bytes) + 64);
    context().setDeviceMemoryV2(memory.data(), bytes - 1);
    expectError(context().enqueueV3(nullptr), "device memory: expected");
    context().setDeviceMemoryV2(nullptr, bytes);
    expectError(context().enqueueV3(nullptr), "at a null address");
    context().setDeviceMemoryV2(memory.data(), -5);
    expectError(context().enqueueV3(nullptr), "device memory: expected");
    auto const address = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
    context().setDeviceMemoryV2(reinterpret_cast<void*>(address), bytes);
    EXPECT_TRUE(context().enqueueV3(nullptr)) << log.errors();
    EXPECT_EQ(y[7], 0.0F);
}

TEST_F(ContextFailure, RecorderOfTheRuntimeIsInherited) {
    RecordingRecorder recorder;
    context().setErrorRecorder(&recorder);
    EXPECT_EQ(context().getErrorRecorder(), &recorder);
    EXPECT_FALSE(context().enqueueV3(nullptr));
    ASSERT_EQ(recorder.errors.size(), 1U);
    EXPECT_EQ(recorder.errors[0].first, ErrorCode::kINVALID_STATE);
    context().setErrorRecorder(nullptr);
    EXPECT_EQ(recorder.references, 0);
}

} // namespace
} // namespace kiln::test
