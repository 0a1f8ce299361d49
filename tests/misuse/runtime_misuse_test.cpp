// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engines, contexts, runtimes and registries with arguments that no correct program passes, called
// in the wrong order, and from several threads while engines come and go.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <kiln/kiln.h>

#include "misuse/hostile.h"
#include "support/scripted_v3.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

class RuntimeMisuse : public testing::Test, protected Session {
protected:
    void SetUp() override {
        ITensor& x = input("x", {-1, 2});
        output(*network->addActivation(x, ActivationType::kRELU)->getOutput(0), "y");
        range("x", {1, 2}, {2, 2}, {4, 2});
        network->markDebug(*network->getOutput(0));
        plan_ = build();
        ASSERT_NE(plan_, nullptr) << log.errors();
        runtime_.reset(createInferRuntime(log));
        engine_.reset(runtime_->deserializeCudaEngine(plan_->data(), plan_->size()));
        ASSERT_NE(engine_, nullptr) << log.errors();
    }
    static bool computes(IExecutionContext& context) {
        float x[] = {-1, 2, -3, 4};
        float y[4] = {};
        void* bindings[] = {x, y};
        return context.setInputShape("x", Dims2{2, 2}) && context.executeV2(bindings) &&
               y[0] == 0.0F && y[3] == 4.0F;
    }

    std::unique_ptr<IHostMemory> plan_;
    std::unique_ptr<IRuntime> runtime_;
    std::unique_ptr<ICudaEngine> engine_;
};

TEST_F(RuntimeMisuse, Runtime) {
    forNumbers([&](int32_t number) {
        runtime_->setDLACore(number);
        EXPECT_EQ(runtime_->setMaxThreads(number), number >= 1);
        runtime_->setTempfileControlFlags(static_cast<uint32_t>(number));
    });
    forTexts([&](char const* text) {
        runtime_->setTemporaryDirectory(text);
        EXPECT_NE(runtime_->getTemporaryDirectory(), nullptr);
        EXPECT_EQ(runtime_->loadRuntime(text), nullptr);
        EXPECT_EQ(openEngine(*runtime_, text), nullptr);
        EXPECT_EQ(runtime_->deserializeCudaEngine(text, 0), nullptr);
    });
    for (std::size_t length = 0; length < plan_->size(); length += 97) {
        EXPECT_EQ(runtime_->deserializeCudaEngine(plan_->data(), length), nullptr);
    }
    runtime_->setErrorRecorder(nullptr);
    runtime_->setGpuAllocator(nullptr);
}

TEST_F(RuntimeMisuse, Engine) {
    forTexts([&](char const* name) {
        EXPECT_EQ(engine_->getTensorShape(name).nbDims, -1);
        engine_->getTensorDataType(name);
        engine_->getTensorLocation(name);
        EXPECT_FALSE(engine_->isShapeInferenceIO(name));
        EXPECT_EQ(engine_->getTensorIOMode(name), TensorIOMode::kNONE);
        EXPECT_EQ(engine_->getAliasedInputTensor(name), nullptr);
        EXPECT_EQ(engine_->getTensorBytesPerComponent(name), -1);
        EXPECT_EQ(engine_->getTensorComponentsPerElement(name), -1);
        engine_->getTensorFormat(name);
        EXPECT_NE(engine_->getTensorFormatDesc(name), nullptr);
        EXPECT_EQ(engine_->getTensorVectorizedDim(name), -1);
        EXPECT_FALSE(engine_->isDebugTensor(name));
    });
    forNumbers([&](int32_t number) {
        for (char const* name : {static_cast<char const*>(nullptr), "", "x", "y"}) {
            engine_->getTensorBytesPerComponent(name, number);
            engine_->getTensorComponentsPerElement(name, number);
            engine_->getTensorFormat(name, number);
            engine_->getTensorFormatDesc(name, number);
            engine_->getTensorVectorizedDim(name, number);
            forEnum<OptProfileSelector>([&](OptProfileSelector select) {
                engine_->getProfileShape(name, number, select);
                engine_->getProfileTensorValuesV2(name, number, select);
                engine_->getProfileTensorValues(name, number, select);
            });
        }
        engine_->getDeviceMemorySizeForProfileV2(number);
        engine_->getDeviceMemorySizeForProfile(number);
        engine_->getIOTensorName(number);
        engine_->setWeightStreamingBudgetV2(number);
        engine_->setWeightStreamingBudget(number);
        engine_->getEngineStat(static_cast<EngineStat>(number));
        std::unique_ptr<IExecutionContext> const context(engine_->createExecutionContext(
            static_cast<ExecutionContextAllocationStrategy>(number)));
    });
    EXPECT_EQ(engine_->getIOTensorName(-1), nullptr);
    EXPECT_EQ(engine_->getIOTensorName(2), nullptr);
    std::unique_ptr<IExecutionContext> const context(
        engine_->createExecutionContext(static_cast<IRuntimeConfig*>(nullptr)));
    ASSERT_NE(context, nullptr);
    EXPECT_TRUE(computes(*context));
}

TEST_F(RuntimeMisuse, Inspector) {
    std::unique_ptr<IEngineInspector> const inspector(engine_->createEngineInspector());
    forNumbers([&](int32_t number) {
        forEnum<LayerInformationFormat>([&](LayerInformationFormat format) {
            EXPECT_NE(inspector->getLayerInformation(number, format), nullptr);
            EXPECT_NE(inspector->getEngineInformation(format), nullptr);
        });
    });
    std::unique_ptr<ICudaEngine> const other(
        runtime_->deserializeCudaEngine(plan_->data(), plan_->size()));
    std::unique_ptr<IExecutionContext> const context(other->createExecutionContext());
    EXPECT_FALSE(inspector->setExecutionContext(context.get()));
    EXPECT_TRUE(inspector->setExecutionContext(nullptr));
}

TEST_F(RuntimeMisuse, Context) {
    std::unique_ptr<IExecutionContext> const context(engine_->createExecutionContext());
    EXPECT_FALSE(context->enqueueV3(nullptr)) << "nothing is set";
    EXPECT_FALSE(context->reportToProfiler());
    forTexts([&](char const* name) {
        float memory[8];
        EXPECT_FALSE(context->setTensorAddress(name, memory));
        EXPECT_FALSE(context->setInputTensorAddress(name, memory));
        EXPECT_FALSE(context->setOutputTensorAddress(name, memory));
        EXPECT_EQ(context->getTensorAddress(name), nullptr);
        EXPECT_EQ(context->getOutputTensorAddress(name), nullptr);
        EXPECT_EQ(context->getTensorShape(name).nbDims, -1);
        EXPECT_EQ(context->getTensorStrides(name).nbDims, -1);
        EXPECT_EQ(context->getMaxOutputSize(name), -1);
        EXPECT_FALSE(context->setOutputAllocator(name, nullptr));
        EXPECT_EQ(context->getOutputAllocator(name), nullptr);
        EXPECT_FALSE(context->setTensorDebugState(name, true));
        EXPECT_FALSE(context->getDebugState(name));
        forDims([&](Dims const& dims) { EXPECT_FALSE(context->setInputShape(name, dims)); });
        context->setName(name);
        EXPECT_NE(context->getName(), nullptr);
        char const* names[1];
        context->inferShapes(1, names);
    });
    forDims([&](Dims const& dims) { EXPECT_FALSE(context->setInputShape("x", dims)); });
    EXPECT_FALSE(context->setInputShape("y", Dims2{1, 2}));
    forNumbers([&](int32_t number) {
        EXPECT_EQ(context->setOptimizationProfileAsync(number, nullptr), number == 0);
        context->inferShapes(number, nullptr);
        context->setDeviceMemoryV2(nullptr, number);
        context->setNvtxVerbosity(static_cast<ProfilingVerbosity>(number));
        context->setAuxStreams(nullptr, number);
    });
    context->setDeviceMemory(nullptr);
    context->setInputConsumedEvent(nullptr);
    context->setProfiler(nullptr);
    context->setDebugListener(nullptr);
    context->setAllTensorsDebugState(true);
    context->setUnfusedTensorsDebugState(true);
    context->setTemporaryStorageAllocator(nullptr);
    context->setErrorRecorder(nullptr);
    EXPECT_TRUE(context->setCommunicator(nullptr)) << "takes a communicator away";
    EXPECT_FALSE(context->executeV2(nullptr));
    void* const nowhere[] = {nullptr, nullptr};
    EXPECT_FALSE(context->executeV2(nowhere));
    EXPECT_TRUE(computes(*context)) << log.errors();
}

TEST_F(RuntimeMisuse, Registries) {
    Script script;
    ScriptedV3Creator creator(script); // registered by its constructor
    for (IPluginRegistry* registry :
         {getPluginRegistry(), &runtime_->getPluginRegistry(), &builder->getPluginRegistry()}) {
        forTexts([&](char const* text) {
            EXPECT_EQ(registry->getCreator(text, text, text), nullptr);
            EXPECT_EQ(registry->getPluginCreator(text, text, text), nullptr);
            EXPECT_EQ(registry->loadLibrary(text), nullptr);
            EXPECT_EQ(registry->acquirePluginResource(text, nullptr), nullptr);
            EXPECT_NE(registry->releasePluginResource(text), 0);
        });
        registry->deregisterLibrary(nullptr);
        registry->deregisterLibrary(&script);
        registry->getAllCreators(nullptr);
        registry->getAllCreatorsRecursive(nullptr);
        registry->getPluginCreatorList(nullptr);
        registry->setErrorRecorder(nullptr);
        registry->registerCreator(creator, nullptr);
        registry->registerCreator(creator, "again");
        registry->registerCreator(creator, "again");
        EXPECT_NE(registry->getCreator("Scripted", "1", "again"), nullptr) << script.name;
        EXPECT_TRUE(registry->deregisterCreator(creator));
        EXPECT_FALSE(registry->deregisterCreator(creator));
    }
}

/// Contexts run in two threads while others open engines, make contexts and destroy them all.
TEST_F(RuntimeMisuse, EnginesComeAndGoWhileContextsRun) {
    std::atomic<bool> stop{false};
    std::atomic<int32_t> wrong{0};
    std::vector<std::thread> threads;
    for (int32_t i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            std::unique_ptr<IExecutionContext> const context(engine_->createExecutionContext());
            while (!stop) {
                wrong += computes(*context) ? 0 : 1;
            }
        });
    }
    for (int32_t i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            for (int32_t round = 0; round < 150; ++round) {
                std::unique_ptr<IRuntime> runtime(createInferRuntime(log));
                std::unique_ptr<ICudaEngine> engine(
                    runtime->deserializeCudaEngine(plan_->data(), plan_->size()));
                std::unique_ptr<IExecutionContext> const context(
                    engine == nullptr ? nullptr : engine->createExecutionContext());
                runtime.reset();
                engine.reset();
                wrong += context != nullptr && computes(*context) ? 0 : 1;
            }
        });
    }
    threads[2].join();
    threads[3].join();
    engine_.reset(); // its contexts keep running
    runtime_.reset();
    stop = true;
    threads[0].join();
    threads[1].join();
    EXPECT_EQ(wrong, 0) << log.errors();
}

} // namespace
} // namespace kiln::test
