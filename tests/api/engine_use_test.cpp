// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engines in use: unusual networks, threads, orders of destruction, and reproducible plans.
#include <thread>

#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

ITensor& relu(INetworkDefinition& network, ITensor& tensor) {
    return *network.addActivation(tensor, ActivationType::kRELU)->getOutput(0);
}

std::string bytesOf(IHostMemory const& memory) {
    return {static_cast<char const*>(memory.data()), memory.size()};
}

TEST(EngineUse, ConstantAsOutput) {
    Session session;
    static float const values[] = {1, 2, 3};
    ITensor& constant =
        *session.network->addConstant(dims({3}), {DataType::kFLOAT, values, 3})->getOutput(0);
    session.output(constant, "c");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    std::vector<float> c;
    ASSERT_TRUE(running.run({{"c", &c}})) << session.log.errors();
    EXPECT_EQ(c, (std::vector<float>{1, 2, 3}));
}

TEST(EngineUse, InputAsOutput) {
    Session session;
    ITensor& x = session.input("x", {2});
    session.network->markOutput(x);
    session.output(relu(*session.network, x), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    EXPECT_EQ(running.engine->getNbIOTensors(), 3);
    std::vector<float> in{-1, 4};
    std::vector<float> copy;
    std::vector<float> y;
    ASSERT_TRUE(running.run({{"x", &in}, {"x_output", &copy}, {"y", &y}})) << session.log.errors();
    EXPECT_EQ(copy, in);
    EXPECT_EQ(y, (std::vector<float>{0, 4}));
}

TEST(EngineUse, OutputThatOthersRead) {
    Session session;
    ITensor& a = relu(*session.network, session.input("x", {2}));
    session.output(a, "a");
    ITensor& sum = *session.network->addElementWise(a, a, ElementWiseOperation::kSUM)->getOutput(0);
    session.output(sum, "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    std::vector<float> x{-1, 4};
    std::vector<float> first;
    std::vector<float> y;
    ASSERT_TRUE(running.run({{"x", &x}, {"a", &first}, {"y", &y}}));
    EXPECT_EQ(first, (std::vector<float>{0, 4}));
    EXPECT_EQ(y, (std::vector<float>{0, 8}));
}

TEST(EngineUse, UnusedInputAndUnusedLayer) {
    Session session;
    session.input("unused", {-1});
    session.range("unused", {1}, {2}, {3});
    ITensor& x = session.input("x", {2});
    relu(*session.network, x);
    session.output(*session.network->addIdentity(x)->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    EXPECT_EQ(running.engine->getNbIOTensors(), 3);
    EXPECT_EQ(running.engine->getNbLayers(), 1);
}

TEST(EngineUse, EmptyTensors) {
    Session session;
    ITensor& x = session.input("x", {-1, 3});
    session.range("x", {0, 3}, {2, 3}, {4, 3});
    session.output(relu(*session.network, x), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    ASSERT_TRUE(running.context->setInputShape("x", Dims2{0, 3}));
    float guard = 7.0F;
    running.context->setTensorAddress("x", &guard);
    running.context->setTensorAddress("y", &guard);
    EXPECT_TRUE(running.context->enqueueV3(nullptr)) << session.log.errors();
    EXPECT_EQ(guard, 7.0F);
}

TEST(EngineUse, TwoProfiles) {
    Session session;
    ITensor& x = session.input("x", {-1});
    session.output(relu(*session.network, relu(*session.network, x)), "y");
    for (int64_t const first : {1, 100}) {
        IOptimizationProfile* const profile = session.builder->createOptimizationProfile();
        profile->setDimensions("x", OptProfileSelector::kMIN, dims({first}));
        profile->setDimensions("x", OptProfileSelector::kOPT, dims({first + 1}));
        profile->setDimensions("x", OptProfileSelector::kMAX, dims({first + 9}));
        EXPECT_GE(session.config->addOptimizationProfile(profile), 0);
    }
    std::unique_ptr<IHostMemory> const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    EXPECT_EQ(running.engine->getNbOptimizationProfiles(), 2);
    EXPECT_EQ(str(running.engine->getProfileShape("x", 1, OptProfileSelector::kMAX)), "[109]");
    EXPECT_FALSE(running.context->setInputShape("x", dims({105})));
    EXPECT_TRUE(running.context->setOptimizationProfileAsync(1, nullptr));
    EXPECT_FALSE(running.context->setInputShape("x", dims({5})));
    EXPECT_TRUE(running.context->setInputShape("x", dims({105})));
    std::vector<float> in(105, -2.0F);
    std::vector<float> out;
    EXPECT_TRUE(running.run({{"x", &in}, {"y", &out}})) << session.log.errors();
    EXPECT_EQ(out, std::vector<float>(105, 0.0F));
}

// Two threads run one engine, each with its own context and plugin.
TEST(EngineUse, TwoContextsInTwoThreads) {
    for (Style const style : {Style::kV2, Style::kV3}) {
        Script script;
        ScriptedV2Creator const v2(script);
        Script script3;
        script3.space = "v3";
        ScriptedV3Creator const v3(script3);
        Session session;
        ITensor& x = session.input("x", {-1});
        session.range("x", {1}, {8}, {64});
        Script& used = style == Style::kV2 ? script : script3;
        ITensor& mid = *addScripted(*session.network, used, style, {&x})->getOutput(0);
        session.output(
            *session.network->addElementWise(mid, x, ElementWiseOperation::kSUM)->getOutput(0),
            "y");
        std::unique_ptr<IHostMemory> const plan = session.build();
        ASSERT_NE(plan, nullptr) << session.log.errors();
        Running running(session.log, *plan);
        auto const work = [&](float base) {
            std::unique_ptr<IExecutionContext> context(running.engine->createExecutionContext());
            for (int64_t i = 0; i < 300; ++i) {
                int64_t const extent = 1 + i % 64;
                std::vector<float> in(static_cast<std::size_t>(extent), base + float(i));
                std::vector<float> out(in.size());
                context->setInputShape("x", dims({extent}));
                context->setTensorAddress("x", in.data());
                context->setTensorAddress("y", out.data());
                ASSERT_TRUE(context->enqueueV3(nullptr));
                ASSERT_EQ(out, std::vector<float>(in.size(), 2 * (base + float(i))));
            }
        };
        std::thread one(work, 0.0F);
        std::thread two(work, 1000.0F);
        one.join();
        two.join();
    }
}

// Objects keep what they need: builder, runtime and engine are destroyed before their products.
TEST(EngineUse, DestructionInAnyOrder) {
    Script script;
    {
        ScriptedV3Creator const creator(script);
        auto session = std::make_unique<Session>();
        RecordingLogger log;
        std::unique_ptr<IHostMemory> plan;
        {
            ITensor& x = session->input("x", {4});
            session->output(*addScripted(*session->network, script, Style::kV3, {&x})->getOutput(0),
                            "y");
            plan = session->build();
            ASSERT_NE(plan, nullptr) << session->log.errors();
            session->builder.reset();
            session->config.reset();
            session->network.reset();
        }
        session.reset();
        Running running(log, *plan);
        plan.reset();
        running.runtime.reset();
        std::vector<float> x{1, 2, 3, 4};
        std::vector<float> y(4);
        running.context->setTensorAddress("x", x.data());
        running.context->setTensorAddress("y", y.data());
        running.engine.reset();
        EXPECT_TRUE(running.context->enqueueV3(nullptr));
        EXPECT_EQ(x, y);
        EXPECT_FALSE(running.context->setInputShape("nobody", dims({4})));
    }
    EXPECT_EQ(script.alive, 0);
}

TEST(EngineUse, EqualBuildsGiveEqualBytes) {
    auto const once = [](Style style) {
        Script script;
        Session session;
        int32_t const kept = 5;
        script.fields.emplace_back("kept", &kept, PluginFieldType::kINT32, 1);
        ITensor& x = session.input("x", {-1, 4});
        session.range("x", {1, 4}, {2, 4}, {8, 4});
        static float const bias[] = {1, 2, 3, 4};
        ITensor& b =
            *session.network->addConstant(dims({1, 4}), {DataType::kFLOAT, bias, 4})->getOutput(0);
        ITensor& mid = *addScripted(*session.network, script, style, {&x})->getOutput(0);
        session.output(
            *session.network->addElementWise(mid, b, ElementWiseOperation::kSUM)->getOutput(0),
            "y");
        std::unique_ptr<IHostMemory> const plan = session.build();
        EXPECT_NE(plan, nullptr) << session.log.errors();
        return bytesOf(*plan);
    };
    EXPECT_TRUE(once(Style::kV2) == once(Style::kV2));
    EXPECT_TRUE(once(Style::kV3) == once(Style::kV3));
    EXPECT_FALSE(once(Style::kV2) == once(Style::kV3));
}

TEST(EngineUse, SerializeGivesThePlanBack) {
    Session session;
    session.output(relu(*session.network, session.input("x", {2})), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    Running const running(session.log, *plan);
    std::unique_ptr<IHostMemory> const again(running.engine->serialize());
    EXPECT_TRUE(bytesOf(*plan) == bytesOf(*again));
}

// A network can be built twice, extended, and built again with the same configuration.
TEST(EngineUse, BuildingTwice) {
    Script script;
    ScriptedV3Creator const creator(script);
    Session session;
    ITensor& x = session.input("x", {4});
    ITensor& mid = *addScripted(*session.network, script, Style::kV3, {&x})->getOutput(0);
    session.output(mid, "mid");
    std::unique_ptr<IHostMemory> const first = session.build();
    std::unique_ptr<IHostMemory> const second = session.build();
    ASSERT_NE(second, nullptr) << session.log.errors();
    EXPECT_TRUE(bytesOf(*first) == bytesOf(*second));
    session.output(relu(*session.network, mid), "y");
    std::unique_ptr<IHostMemory> const third = session.build();
    ASSERT_NE(third, nullptr) << session.log.errors();
    Running const running(session.log, *third);
    EXPECT_EQ(running.engine->getNbIOTensors(), 3);
}

} // namespace
} // namespace kiln::test
