// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that describe a plugin wrongly: sizes, types, counts. The plugins are correct, and would
// write where the plan gave them no memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/reader.h"
#include "plan/writer.h"
#include "runtime/context.h"
#include "support/batch_plugin.h"
#include "support/scripted_v2.h"
#include "support/scripted_v3.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// x [1..16, 8] -> plugin -> relu -> y; `add` puts the plugin in.
template <typename Add>
plan::Document built(Bytes& bytes, Add&& add) {
    Session session;
    ITensor& x = session.input("x", {-1, 8});
    session.range("x", {1, 8}, {4, 8}, {16, 8});
    ITensor* const inputs[] = {&x};
    ILayer* const layer = add(*session.network, inputs);
    EXPECT_NE(layer, nullptr) << session.log.errors();
    layer->setName("plugin");
    auto* const relu = session.network->addActivation(*layer->getOutput(0), ActivationType::kRELU);
    session.output(*relu->getOutput(0), "y");
    auto const plan = session.build();
    EXPECT_NE(plan, nullptr) << session.log.errors();
    auto const* const data = static_cast<std::byte const*>(plan->data());
    bytes.assign(data, data + plan->size());
    return plan::read(bytes);
}

/// Opens and runs a plan; returns the error, empty on success.
std::string problemOf(plan::Document const& document) {
    try {
        runtime::Engine const engine(runtime::copyOfPlan(plan::write(document)), Log());
        runtime::Context context(engine, {}, runtime::MemoryStrategy::kOnce);
        std::vector<float> memory(512);
        context.setInputShape(0, document.tensors[0].shape.rank == 2 ? makeDims({16, 8})
                                                                     : makeDims({8}));
        for (plan::TensorId const index : engine.io()) {
            context.setAddress(index, memory.data());
        }
        context.run(nullptr);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

plan::StepRecord& pluginStep(plan::Document& document) {
    return *std::find_if(document.steps.begin(), document.steps.end(),
                         [](plan::StepRecord const& step) { return !step.plugin.isNone(); });
}

plan::TensorRecord& outputOf(plan::Document& document) {
    return document.tensors[pluginStep(document).outputs[0]];
}

/// Gives the layer after the plugin the type that the plan states for the plugin's output.
void letReaderBelieve(plan::Document& document) {
    for (plan::StepRecord& step : document.steps) {
        if (step.plugin < 0) {
            step.kernel.inputs.front() = outputOf(document).type;
        }
    }
}

class LyingPlan : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        script.workspace = [](auto const&, auto const& out) {
            return static_cast<std::size_t>(volumeOf(out[0].dims)) * 1024;
        };
        script.takes = [](auto const&, auto const&) { return true; }; // every type and format
        if (GetParam()) {
            v3 = std::make_unique<ScriptedV3Creator>(script);
        } else {
            v2 = std::make_unique<ScriptedV2Creator>(script);
        }
        document = built(bytes, [&](INetworkDefinition& network, ITensor* const* x) -> ILayer* {
            if (GetParam()) {
                ScriptedV3 plugin(script);
                return network.addPluginV3(x, 1, nullptr, 0, plugin);
            }
            auto* const plugin = new ScriptedV2(script);
            ILayer* const layer = network.addPluginV2(x, 1, *plugin);
            plugin->destroy();
            return layer;
        });
    }

    void expectRefused(std::string const& problem) {
        std::string const got = problemOf(document);
        EXPECT_THAT(got, HasSubstr("[plan] layer 'plugin', plugin Scripted (version 1), "));
        EXPECT_THAT(got, HasSubstr(problem));
        EXPECT_EQ(script.calls("enqueue"), 0);
        EXPECT_EQ(script.alive, 0);
    }

    Script script;
    std::unique_ptr<ScriptedV2Creator> v2;
    std::unique_ptr<ScriptedV3Creator> v3;
    Bytes bytes;
    plan::Document document;
};

INSTANTIATE_TEST_SUITE_P(Styles, LyingPlan, testing::Bool(),
                         [](auto const& info) { return info.param ? "V3" : "V2"; });

TEST_P(LyingPlan, TheTruthRuns) {
    EXPECT_EQ(problemOf(document), "");
    EXPECT_EQ(script.calls("enqueue"), 1);
}

TEST_P(LyingPlan, LessWorkspace) {
    EXPECT_EQ(pluginStep(document).workspaceBytes, 16U * 8 * 1024);
    pluginStep(document).workspaceBytes = 64;
    expectRefused("workspace under optimization profile 0: expected 131072 bytes, as the plugin "
                  "says, the plan has 64");
}

TEST_P(LyingPlan, SmallerOutputShape) {
    document.exprs.push_back({graph::ExprOp::kConstant, 0, 0, 1});
    outputOf(document).shape[0] = static_cast<int32_t>(document.exprs.size()) - 1;
    expectRefused("shape of output 0: expected [-1,8], as the plugin says, the plan has [1,8]");
}

TEST_P(LyingPlan, OutputShapeThatIsSmallerInBetween) {
    // n // 2 * 2 is less than n where n is odd, which comparing values at even points cannot tell.
    auto const n = static_cast<int32_t>(outputOf(document).shape[0]);
    auto const next = static_cast<int32_t>(document.exprs.size());
    document.exprs.push_back({graph::ExprOp::kConstant, 0, 0, 2});
    document.exprs.push_back({graph::ExprOp::kFloorDiv, n, next, 0});
    document.exprs.push_back({graph::ExprOp::kProd, next + 1, next, 0});
    outputOf(document).shape[0] = next + 2;
    expectRefused("shape of output 0: expected [-1,8], as the plugin says, the plan has other "
                  "expressions");
}

TEST_P(LyingPlan, SmallerOutputType) {
    outputOf(document).type.type = DataType::kINT8;
    letReaderBelieve(document);
    expectRefused("type of output 0: expected float32, as the plugin says, the plan has int8");
}

TEST_P(LyingPlan, AnotherInputType) {
    document.tensors[0].type.type = DataType::kINT8;
    expectRefused("type of input 0: expected float32, as the plugin says, the plan has int8");
}

TEST_P(LyingPlan, AnotherFormat) {
    script.takes = [](PluginTensorDesc const& desc, auto const&) {
        return desc.format == TensorFormat::kLINEAR;
    };
    document.exprs.push_back({graph::ExprOp::kConstant, 0, 0, 1});
    auto const one = static_cast<int32_t>(document.exprs.size()) - 1;
    for (plan::TensorRecord* const tensor : {&document.tensors[0], &outputOf(document)}) {
        tensor->shape.rank = 3;
        tensor->shape[2] = one;
    }
    for (plan::ProfileRange& range : document.profiles[0].ranges) {
        range = {0, makeDims({1, 8, 1}), makeDims({4, 8, 1}), makeDims({16, 8, 1})};
    }
    outputOf(document).type.format = TensorFormat::kCHW32;
    letReaderBelieve(document);
    document.arenaBytes = 1U << 20;
    expectRefused("type and format of output 0");
}

TEST_P(LyingPlan, MoreOutputs) {
    plan::TensorRecord extra = outputOf(document);
    pluginStep(document).outputs.push_back(document.tensors.add(extra));
    expectRefused("number of outputs: expected 1, as the plugin says, the plan has 2");
}

// The plugin reads input 0 without checking the count, and gets a tensor of one element.
TEST_P(LyingPlan, NoInputs) {
    pluginStep(document).inputs.clear();
    pluginStep(document).declared.clear();
    expectRefused("shape of output 0: expected [1,1,1,1,1,1,1,1], as the plugin says, the plan has "
                  "[-1,8]");
}

TEST_P(LyingPlan, APluginThatRefusesTheShapesSaysSo) {
    script.failAt = GetParam() ? "getOutputShapes" : "clone";
    script.failFrom = script.calls(script.failAt);
    EXPECT_THAT(problemOf(document), HasSubstr(script.failAt));
    EXPECT_EQ(script.alive, 0);
}

/// A plugin of x and x. Its types and shapes do not depend on its inputs, but what it reads does.
class LyingPlanOfTwoInputs : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Styles, LyingPlanOfTwoInputs, testing::Bool(),
                         [](auto const& info) { return info.param ? "V3" : "V2"; });

TEST_P(LyingPlanOfTwoInputs, FewerThanItReads) {
    Script script;
    script.type = [](auto, auto) { return DataType::kFLOAT; };
    script.takes = [](auto const&, auto const&) { return true; };
    script.shape = [](auto, auto const*, IExprBuilder& builder) {
        return DimsExprs{1, {builder.constant(8)}};
    };
    int64_t read = 0;
    script.work = [&](Call const& call) {
        for (std::size_t input = 0; input < 2; ++input) {
            auto const* const values = static_cast<float const*>(call.inputs[input]);
            for (int64_t i = 0; i < volumeOf(call.in[input].dims); ++i, ++read) {
                static_cast<void>(static_cast<float const volatile*>(values)[i]);
            }
        }
        std::memset(call.outputs[0], 0, 8 * sizeof(float));
        return 0;
    };
    std::unique_ptr<ScriptedV2Creator> v2;
    std::unique_ptr<ScriptedV3Creator> v3;
    if (GetParam()) {
        v3 = std::make_unique<ScriptedV3Creator>(script);
    } else {
        v2 = std::make_unique<ScriptedV2Creator>(script);
    }
    Bytes bytes;
    plan::Document const whole =
        built(bytes, [&](INetworkDefinition& network, ITensor* const* x) -> ILayer* {
            ITensor* const inputs[] = {*x, *x};
            if (GetParam()) {
                ScriptedV3 plugin(script);
                return network.addPluginV3(inputs, 2, nullptr, 0, plugin);
            }
            auto* const plugin = new ScriptedV2(script);
            ILayer* const layer = network.addPluginV2(inputs, 2, *plugin);
            plugin->destroy();
            return layer;
        });
    int64_t const expected[] = {1 + 1, 128 + 1, 128 + 128};
    for (std::size_t count : {2U, 1U, 0U}) {
        read = 0;
        plan::Document document = whole;
        pluginStep(document).inputs.resize(count);
        pluginStep(document).declared.resize(count);
        int const ran = script.calls("enqueue");
        EXPECT_EQ(problemOf(document), "") << count;
        EXPECT_EQ(script.calls("enqueue"), ran + 1) << count;
        EXPECT_EQ(read, expected[count]) << count;
    }
}

TEST(LyingPlanOfV2, ShapeInputs) {
    Script script;
    ScriptedV2Creator const creator(script);
    Bytes bytes;
    plan::Document document =
        built(bytes, [&](INetworkDefinition& network, ITensor* const* x) -> ILayer* {
            auto* const plugin = new ScriptedV2(script);
            ILayer* const layer = network.addPluginV2(x, 1, *plugin);
            plugin->destroy();
            return layer;
        });
    plan::TensorRecord values;
    values.name = "values";
    values.role = plan::TensorRole::kValues;
    values.type.type = DataType::kINT64;
    values.values = {0};
    pluginStep(document).inputs.push_back(document.tensors.add(values));
    pluginStep(document).shapeInputs = 1;
    EXPECT_THAT(problemOf(document), HasSubstr("shape inputs: expected none"));
}

template <typename Plugin>
class LyingPlanOfBatch : public testing::Test {};
using BatchStyles = testing::Types<BatchV2, BatchV2Ext, BatchV2IOExt>;
TYPED_TEST_SUITE(LyingPlanOfBatch, BatchStyles);

// The batch is the first extent of input 0.
TYPED_TEST(LyingPlanOfBatch, NoInputs) {
    BatchScript script;
    BatchCreator<TypeParam> const creator(script);
    Bytes bytes;
    plan::Document document =
        built(bytes, [&](INetworkDefinition& network, ITensor* const* x) -> ILayer* {
            auto* const plugin = new TypeParam(script, 0);
            ILayer* const layer = network.addPluginV2(x, 1, *plugin);
            plugin->destroy();
            return layer;
        });
    EXPECT_EQ(problemOf(document), "");
    plan::Document less = document;
    pluginStep(less).workspaceBytes = 0;
    EXPECT_THAT(problemOf(less), HasSubstr("expected 64 bytes, as the plugin says"));
    pluginStep(document).inputs.clear();
    pluginStep(document).declared.clear();
    EXPECT_THAT(problemOf(document), HasSubstr("expected 1 or more inputs"));
    EXPECT_EQ(script.alive, 0);
    EXPECT_EQ(script.initialized, 0);
}

} // namespace
} // namespace kiln::test
