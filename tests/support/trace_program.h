// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The program whose callbacks the trace tests compare: x [-1,8] -> plugin -> ReLU -> y, built and
// run. `add` puts the plugin into the network.
#pragma once

#include <memory>
#include <vector>

#include "support/session.h"
#include "support/text.h"
#include "support/trace.h"

namespace kiln::test {

template <typename Add>
std::unique_ptr<nvinfer1::IHostMemory> buildTraced(Trace& trace, Session& session, bool half,
                                                   Add&& add) {
    nvinfer1::ITensor& input = session.input("x", {-1, 8});
    session.range("x", {1, 8}, {4, 8}, {16, 8});
    if (half) {
        session.config->setFlag(nvinfer1::BuilderFlag::kFP16);
    }
    trace.section("add the plugin");
    nvinfer1::ITensor& output = add(*session.network, input);
    trace.section("getDimensions of the output");
    trace.note(str(output.getDimensions()));
    auto* const relu = session.network->addActivation(output, nvinfer1::ActivationType::kRELU);
    session.output(*relu->getOutput(0), "y");
    trace.section("buildSerializedNetwork");
    return session.build();
}

inline void runTraced(Trace& trace, RecordingLogger& log, nvinfer1::IHostMemory const& plan) {
    using nvinfer1::Dims2;
    using Context = std::unique_ptr<nvinfer1::IExecutionContext>;
    std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(log));
    trace.section("deserializeCudaEngine");
    std::unique_ptr<nvinfer1::ICudaEngine> engine(
        runtime->deserializeCudaEngine(plan.data(), plan.size()));
    ASSERT_NE(engine, nullptr) << log.errors();
    trace.section("createExecutionContext (1)");
    Context first(engine->createExecutionContext());
    trace.section("createExecutionContext (2)");
    Context second(engine->createExecutionContext());
    std::vector<float> x(128, 1.0F);
    std::vector<float> y(128);
    ASSERT_TRUE(first->setTensorAddress("x", x.data()));
    ASSERT_TRUE(first->setTensorAddress("y", y.data()));
    trace.section("setInputShape 4x8");
    EXPECT_TRUE(first->setInputShape("x", Dims2{4, 8}));
    trace.section("enqueueV3");
    EXPECT_TRUE(first->enqueueV3(nullptr)) << log.errors();
    trace.section("enqueueV3 again");
    EXPECT_TRUE(first->enqueueV3(nullptr));
    trace.section("setInputShape 2x8, enqueueV3");
    EXPECT_TRUE(first->setInputShape("x", Dims2{2, 8}));
    EXPECT_TRUE(first->enqueueV3(nullptr));
    trace.section("setInputShape 2x8 again, enqueueV3");
    EXPECT_TRUE(first->setInputShape("x", Dims2{2, 8}));
    EXPECT_TRUE(first->enqueueV3(nullptr));
    trace.section("setInputShape 17x8 (outside)");
    EXPECT_FALSE(first->setInputShape("x", Dims2{17, 8}));
    trace.section("delete context 1");
    first.reset();
    trace.section("delete context 2");
    second.reset();
    trace.section("delete engine");
    engine.reset();
    trace.section("delete runtime");
    runtime.reset();
    trace.section("end");
    EXPECT_EQ(y[0], 1.0F);
}

} // namespace kiln::test
