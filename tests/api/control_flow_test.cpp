// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops, conditionals and assertions of a network, in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scripted_v3.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::ElementsAre;
using testing::HasSubstr;

class ControlFlow : public testing::Test, protected Session {
protected:
    ControlFlow()
        : Session(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)) {}

    ~ControlFlow() override { network.reset(); }

    ITensor& number(int32_t value) {
        numbers.push_back(std::make_unique<int32_t>(value));
        return *network->addConstant(dims({}), {DataType::kINT32, numbers.back().get(), 1})
                    ->getOutput(0);
    }
    ITensor& sum(ITensor& a, ITensor& b) {
        return *network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0);
    }
    std::unique_ptr<Running> running() {
        auto const plan = build();
        EXPECT_NE(plan, nullptr) << log.errors();
        return plan == nullptr ? nullptr : std::make_unique<Running>(log, *plan);
    }

    std::vector<std::unique_ptr<int32_t>> numbers; ///< the network refers to them
    Script script;                                 ///< and copies of plugins to this one
};

TEST_F(ControlFlow, LayersHaveTheClassOfTheirKind) {
    ITensor& x = input("x", {4, 2});
    ITensor& c = input("c", {}, DataType::kBOOL);
    ILoop& loop = *network->addLoop();
    loop.addTripLimit(number(4), TripLimit::kCOUNT);
    ITensor& part = *loop.addIterator(x)->getOutput(0);
    IRecurrenceLayer& state = *loop.addRecurrence(part);
    loop.addLoopOutput(*state.getOutput(0), LoopOutput::kREVERSE, 1);
    IIfConditional& conditional = *network->addIfConditional();
    conditional.setCondition(c);
    conditional.addOutput(*conditional.addInput(x)->getOutput(0), x);
    network->addAssertion(c, "c holds");
    int32_t seen = 0;
    for (int32_t i = 0; i < network->getNbLayers(); ++i) {
        ILayer* const layer = network->getLayer(i);
        switch (layer->getType()) {
        case LayerType::kTRIP_LIMIT:
            EXPECT_EQ(static_cast<ITripLimitLayer*>(layer)->getTripLimit(), TripLimit::kCOUNT);
            EXPECT_EQ(static_cast<ILoopBoundaryLayer*>(layer)->getLoop(), &loop);
            break;
        case LayerType::kITERATOR:
            EXPECT_EQ(static_cast<IIteratorLayer*>(layer)->getAxis(), 0);
            EXPECT_FALSE(static_cast<IIteratorLayer*>(layer)->getReverse());
            break;
        case LayerType::kRECURRENCE:
            EXPECT_EQ(static_cast<IRecurrenceLayer*>(layer)->getLoop(), &loop);
            break;
        case LayerType::kLOOP_OUTPUT: {
            auto const& output = *static_cast<ILoopOutputLayer*>(layer);
            EXPECT_EQ(output.getLoopOutput(), LoopOutput::kREVERSE);
            EXPECT_EQ(output.getAxis(), 1);
            break;
        }
        case LayerType::kCONDITION:
            EXPECT_EQ(static_cast<IConditionLayer*>(layer)->getConditional(), &conditional);
            break;
        case LayerType::kCONDITIONAL_INPUT:
            EXPECT_EQ(static_cast<IIfConditionalInputLayer*>(layer)->getInput(0), &x);
            break;
        case LayerType::kCONDITIONAL_OUTPUT:
            EXPECT_EQ(static_cast<IIfConditionalOutputLayer*>(layer)->getInput(1), &x);
            break;
        case LayerType::kASSERTION:
            EXPECT_STREQ(static_cast<IAssertionLayer*>(layer)->getMessage(), "c holds");
            break;
        default: continue;
        }
        ++seen;
    }
    EXPECT_EQ(seen, 8);
}

TEST_F(ControlFlow, ArgumentsAreChecked) {
    ILoop& loop = *network->addLoop();
    ITensor& x = input("x", {4});
    EXPECT_EQ(loop.addTripLimit(x, static_cast<TripLimit>(7)), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("trip limit layer: expected a member of TripLimit, got 7"));
    EXPECT_EQ(loop.addLoopOutput(x, static_cast<LoopOutput>(-1)), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("expected a member of LoopOutput, got -1"));
    EXPECT_EQ(loop.addIterator(x, 9), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("expected an axis from 0 to 7, got 9"));
    Session other;
    EXPECT_EQ(loop.addRecurrence(other.input("x", {4})), nullptr);
    EXPECT_THAT(log.errors(), HasSubstr("belongs to another network"));
    loop.setName(nullptr);
    EXPECT_STREQ(loop.getName(), "");
}

TEST_F(ControlFlow, ARunningSum) {
    ITensor& x = input("x", {3, 2});
    ILoop& loop = *network->addLoop();
    loop.addTripLimit(number(3), TripLimit::kCOUNT);
    static float const kZeros[2] = {0, 0};
    IRecurrenceLayer& state = *loop.addRecurrence(
        *network->addConstant(dims({2}), {DataType::kFLOAT, kZeros, 2})->getOutput(0));
    ITensor& next = sum(*state.getOutput(0), *loop.addIterator(x)->getOutput(0));
    state.setInput(1, next);
    ILoopOutputLayer& all = *loop.addLoopOutput(next, LoopOutput::kCONCATENATE, 1);
    all.setInput(1, number(3));
    output(*all.getOutput(0), "all");
    output(*loop.addLoopOutput(*state.getOutput(0), LoopOutput::kLAST_VALUE)->getOutput(0), "last");
    auto const run = running();
    ASSERT_NE(run, nullptr);
    std::vector<float> values{1, 2, 3, 4, 5, 6};
    std::vector<float> stack;
    std::vector<float> last;
    ASSERT_TRUE(run->run({{"x", &values}, {"all", &stack}, {"last", &last}})) << log.errors();
    EXPECT_THAT(stack, ElementsAre(1, 4, 9, 2, 6, 12));
    EXPECT_THAT(last, ElementsAre(9, 12));
}

// The plugin adds 1; the loop ends when the sum of the state is no longer below 10.
TEST_F(ControlFlow, APluginInALoopThatDataEnds) {
    script.work = [](Call const& call) {
        for (int i = 0; i < 2; ++i) {
            static_cast<float*>(call.outputs[0])[i] =
                static_cast<float const*>(call.inputs[0])[i] + 1;
        }
        return 0;
    };
    ScriptedV3Creator creator(script);
    ScriptedV3 plugin(script);
    ILoop& loop = *network->addLoop();
    IRecurrenceLayer& state = *loop.addRecurrence(input("x", {2}));
    ITensor* const current = state.getOutput(0);
    state.setInput(1, *network->addPluginV3(&current, 1, nullptr, 0, plugin)->getOutput(0));
    static float const kLimit = 10;
    ITensor& total = *network->addReduce(*current, ReduceOperation::kSUM, 1, false)->getOutput(0);
    ITensor& limit = *network->addConstant(dims({}), {DataType::kFLOAT, &kLimit, 1})->getOutput(0);
    loop.addTripLimit(
        *network->addElementWise(total, limit, ElementWiseOperation::kLESS)->getOutput(0),
        TripLimit::kWHILE);
    output(*loop.addLoopOutput(*current, LoopOutput::kLAST_VALUE)->getOutput(0), "y");
    auto const run = running();
    ASSERT_NE(run, nullptr);
    std::vector<float> y;
    for (auto const& [first, last] : {std::pair(0.0F, 6.0F), {3.0F, 7.0F}, {20.0F, 20.0F}}) {
        std::vector<float> x{first, -1};
        ASSERT_TRUE(run->run({{"x", &x}, {"y", &y}})) << log.errors();
        EXPECT_THAT(y, ElementsAre(last, last - first - 1));
    }
}

} // namespace
} // namespace kiln::test
