// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IRefitter from C++, as programs use it. tests/python/test_refit.py has the numbers of more
// networks.
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "support/recording_logger.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;
using Floats = std::vector<float>;

Weights weightsOf(Floats const& values) {
    return {DataType::kFLOAT, values.data(), static_cast<int64_t>(values.size())};
}

/// y = x * factor + shift, of 4 elements.
class Refitting : public testing::Test, protected Session {
protected:
    std::unique_ptr<IHostMemory> plan(BuilderFlag flag) {
        ITensor* const factor = constant("factor", factor_);
        ITensor* const shift = constant("shift", shift_);
        ITensor& x = input("x", {4});
        ITensor* const scaled =
            network->addElementWise(x, *factor, ElementWiseOperation::kPROD)->getOutput(0);
        ITensor* const y =
            network->addElementWise(*scaled, *shift, ElementWiseOperation::kSUM)->getOutput(0);
        output(*y, "y");
        EXPECT_TRUE(network->setWeightsName(weightsOf(factor_), "w")) << log.errors();
        config->setFlag(flag);
        return build();
    }
    std::unique_ptr<IRefitter> refitterOf(ICudaEngine& engine) {
        return std::unique_ptr<IRefitter>(createInferRefitter(engine, log));
    }
    Floats run(Running& running) {
        Floats x{1, 2, 3, 4};
        Floats y;
        EXPECT_TRUE(running.run({{"x", &x}, {"y", &y}})) << log.errors();
        return y;
    }

private:
    ITensor* constant(char const* name, Floats const& values) {
        IConstantLayer* const layer = network->addConstant(dims({4}), weightsOf(values));
        layer->setName(name);
        return layer->getOutput(0);
    }

    Floats const factor_{1, 2, 3, 4};
    Floats const shift_{1, 1, 1, 1};
};

TEST_F(Refitting, NewWeightsByNameAndByLayer) {
    auto const plan = this->plan(BuilderFlag::kREFIT);
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    EXPECT_EQ(run(running), (Floats{2, 5, 10, 17}));
    ASSERT_TRUE(running.engine->isRefittable());
    auto const refitter = refitterOf(*running.engine);
    ASSERT_NE(refitter, nullptr);
    EXPECT_EQ(refitter->getMissing(0, nullptr, nullptr), 0);
    char const* layers[2]{};
    WeightsRole roles[2]{};
    ASSERT_EQ(refitter->getAll(2, layers, roles), 2);
    EXPECT_EQ(std::string(layers[0]) + layers[1], "factorshift");
    EXPECT_EQ(roles[1], WeightsRole::kCONSTANT);
    char const* names[2]{"", "untouched"};
    EXPECT_EQ(refitter->getAllWeights(1, names), 2); // as many as there is room for
    EXPECT_STREQ(names[0], "w");
    EXPECT_STREQ(names[1], "untouched");
    EXPECT_EQ(refitter->getAllWeights(0, nullptr), 2);

    Floats const factor{0, 1, 0, 1};
    Floats const shift{5, 5, 5, 5};
    EXPECT_TRUE(refitter->setNamedWeights("w", weightsOf(factor), TensorLocation::kHOST));
    EXPECT_TRUE(refitter->setWeights("shift", WeightsRole::kCONSTANT, weightsOf(shift)));
    EXPECT_EQ(refitter->getNamedWeights("w").values, factor.data());
    EXPECT_EQ(refitter->getNamedWeights("shift CONSTANT").values, shift.data());
    EXPECT_TRUE(refitter->refitCudaEngineAsync(nullptr)) << log.errors();
    EXPECT_EQ(refitter->getNamedWeights("w").values, nullptr); // the memory may be freed now
    EXPECT_EQ(run(running), (Floats{5, 7, 5, 9}));
}

TEST_F(Refitting, ErrorsGoToTheRecorder) {
    RecordingRecorder recorder;
    auto const plan = this->plan(BuilderFlag::kREFIT_IDENTICAL);
    Running running(log, *plan);
    running.engine->setErrorRecorder(&recorder);
    {
        auto const refitter = refitterOf(*running.engine);
        EXPECT_EQ(refitter->getErrorRecorder(), &recorder); // that of the engine
        EXPECT_FALSE(refitter->setNamedWeights(nullptr, Weights{}));
        ASSERT_EQ(recorder.errors.size(), 1U);
        EXPECT_THAT(recorder.errors[0].second, HasSubstr("[refit] weights '': expected weights"));
        refitter->setErrorRecorder(nullptr);
        EXPECT_EQ(refitter->getErrorRecorder(), nullptr);
        EXPECT_EQ(refitter->getAll(-1, nullptr, nullptr), 0);
        EXPECT_EQ(recorder.errors.size(), 1U);
        EXPECT_THAT(log.takeErrors(), HasSubstr("expected a capacity of 0 or more, got -1"));
        EXPECT_EQ(refitter->getLogger(), &log);
        EXPECT_FALSE(refitter->setMaxThreads(0));
        EXPECT_TRUE(std::isnan(refitter->getDynamicRangeMin("x")));
        EXPECT_EQ(refitter->getTensorsWithDynamicRange(0, nullptr), 0);
    }
    running.engine->setErrorRecorder(nullptr);
}

TEST_F(Refitting, PlansWithoutWeightsNeedThem) {
    auto const plan = this->plan(BuilderFlag::kSTRIP_PLAN);
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    EXPECT_EQ(running.context, nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("got a plan without 2 of them"));
    auto const refitter = refitterOf(*running.engine);
    EXPECT_EQ(refitter->getMissingWeights(0, nullptr), 2);
    Floats const factor{0, 1, 0, 1};
    Floats const shift{5, 5, 5, 5};
    EXPECT_TRUE(refitter->setNamedWeights("w", weightsOf(factor)));
    EXPECT_FALSE(refitter->refitCudaEngine());
    EXPECT_TRUE(refitter->setNamedWeights("shift CONSTANT", weightsOf(shift)));
    EXPECT_TRUE(refitter->refitCudaEngine()) << log.errors();
    running.context.reset(running.engine->createExecutionContext());
    EXPECT_EQ(run(running), (Floats{5, 7, 5, 9}));
    std::unique_ptr<ISerializationConfig> const config(running.engine->createSerializationConfig());
    EXPECT_TRUE(config->clearFlag(SerializationFlag::kEXCLUDE_WEIGHTS));
    std::unique_ptr<IHostMemory> const full(running.engine->serializeWithConfig(*config));
    ASSERT_NE(full, nullptr) << log.errors();
    Running again(log, *full);
    EXPECT_EQ(run(again), (Floats{5, 7, 5, 9}));
}

/// y = x * w, of 4 by 2 weights that ranges quantize.
class RefittingInt8 : public Refitting {
protected:
    std::unique_ptr<IHostMemory> quantized(Floats const& weights) {
        ITensor& x = input("x", {1, 4});
        x.setDynamicRange(-4.0F, 4.0F);
        IConstantLayer* const w = network->addConstant(dims({4, 2}), weightsOf(weights));
        output(*network
                    ->addMatrixMultiply(x, MatrixOperation::kNONE, *w->getOutput(0),
                                        MatrixOperation::kNONE)
                    ->getOutput(0),
               "y");
        EXPECT_TRUE(network->setWeightsName(weightsOf(weights), "w"));
        config->setFlag(BuilderFlag::kINT8);
        config->setFlag(BuilderFlag::kREFIT);
        return build();
    }
};

TEST_F(RefittingInt8, ScalesOfWeightsFollow) {
    Floats const before{1, 0, 1, 0, 1, 0, 1, 0};
    auto const plan = quantized(before);
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    Floats const after{100, 1, 0, 1, 0, 1, 0, 1}; // far beyond the old scale
    auto const refitter = refitterOf(*running.engine);
    ASSERT_TRUE(refitter->setNamedWeights("w", weightsOf(after))) << log.errors();
    ASSERT_TRUE(refitter->refitCudaEngine()) << log.errors();
    Floats x{4, 4, 4, 4}; // 127 by its scale, as the largest of each column are
    Floats y(2);
    EXPECT_TRUE(running.run({{"x", &x}, {"y", &y}})) << log.errors();
    EXPECT_NEAR(y[0], 400.0F, 1e-3F);
    EXPECT_NEAR(y[1], 16.0F, 1e-4F);
}

TEST_F(Refitting, OtherEnginesAreRefused) {
    auto const plan = this->plan(BuilderFlag::kTF32);
    Running running(log, *plan);
    EXPECT_EQ(refitterOf(*running.engine), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected an engine that was built for refit"));
    EXPECT_EQ(createInferRefitter_INTERNAL(nullptr, &log, NV_TENSORRT_VERSION), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected an engine, got null"));
}

} // namespace
} // namespace kiln::test
