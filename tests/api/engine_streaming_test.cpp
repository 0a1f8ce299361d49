// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Weight streaming in C++ on the cpu target; tests/python/test_weight_streaming.py has the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_logger.h"

using namespace nvinfer1;

namespace kiln::api {
namespace {

using testing::HasSubstr;

TEST(EngineStreaming, KeepsBudgetsWhileThereIsNoContext) {
    test::RecordingLogger log;
    std::unique_ptr<IBuilder> const builder(createInferBuilder(log));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(
        1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)));
    std::vector<float> const numbers(64, 2.0F);
    Weights const weights{DataType::kFLOAT, numbers.data(), 64};
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims2{2, 8});
    ITensor* const w = network->addConstant(Dims2{8, 8}, weights)->getOutput(0);
    network->markOutput(
        *network->addMatrixMultiply(*x, MatrixOperation::kNONE, *w, MatrixOperation::kNONE)
             ->getOutput(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    config->setFlag(BuilderFlag::kWEIGHT_STREAMING);
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    ASSERT_NE(plan, nullptr) << log.errors();
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    std::unique_ptr<ICudaEngine> const engine(
        runtime->deserializeCudaEngine(plan->data(), plan->size()));
    ASSERT_NE(engine, nullptr) << log.errors();

    int64_t const all = engine->getStreamableWeightsSize();
    EXPECT_GE(all, 256);
    EXPECT_EQ(engine->getWeightStreamingBudgetV2(), all);
    EXPECT_TRUE(engine->setWeightStreamingBudgetV2(0));
    EXPECT_EQ(engine->getWeightStreamingBudgetV2(), 0);
    EXPECT_EQ(engine->getWeightStreamingAutomaticBudget(), all);
    EXPECT_FALSE(engine->setWeightStreamingBudgetV2(-1));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected bytes, 0 or more, got -1"));
    {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
        EXPECT_FALSE(engine->setWeightStreamingBudgetV2(all));
        EXPECT_THAT(log.takeErrors(), HasSubstr("expected no execution context, got 1"));
    }
    EXPECT_TRUE(engine->setWeightStreamingBudgetV2(2 * all));
    EXPECT_EQ(engine->getWeightStreamingBudgetV2(), all);
    std::unique_ptr<IHostMemory> const copy(engine->serialize());
    std::unique_ptr<ICudaEngine> const again(
        runtime->deserializeCudaEngine(copy->data(), copy->size()));
    EXPECT_EQ(again->getStreamableWeightsSize(), all);
}

} // namespace
} // namespace kiln::api
