// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans that cannot be opened: damaged plans, and plans whose plugins have changed. Opening returns
// null with a message and never crashes.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

/// A plan with a plugin, a constant and two layers.
std::string samplePlan(Script& script, Style style) {
    Session session;
    ITensor& x = session.input("x", {-1, 4});
    session.range("x", {1, 4}, {2, 4}, {8, 4});
    static float const bias[] = {1, 2, 3, 4};
    ITensor& b =
        *session.network->addConstant(dims({1, 4}), {DataType::kFLOAT, bias, 4})->getOutput(0);
    ILayer* const layer = addScripted(*session.network, script, style, {&x});
    layer->setName("custom");
    IElementWiseLayer* const sum =
        session.network->addElementWise(*layer->getOutput(0), b, ElementWiseOperation::kSUM);
    session.output(*sum->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = session.build();
    EXPECT_NE(plan, nullptr) << session.log.errors();
    return {static_cast<char const*>(plan->data()), plan->size()};
}

class PlanFailure : public testing::Test {
protected:
    PlanFailure() : runtime(createInferRuntime(log)) {}

    /// Opens the plan and returns the errors; empty on success.
    std::string open(std::string const& plan) {
        log.clear();
        std::unique_ptr<ICudaEngine> const engine(
            runtime->deserializeCudaEngine(plan.data(), plan.size()));
        std::string const errors = log.errors();
        EXPECT_EQ(engine == nullptr, !errors.empty()) << errors;
        return errors;
    }

    RecordingLogger log;
    std::unique_ptr<IRuntime> runtime;
    Script script;
};

TEST_F(PlanFailure, AbsentPluginIsNamedWithTheRemedy) {
    std::string const plan = samplePlan(script, Style::kV3);
    std::string const errors = open(plan);
    EXPECT_THAT(errors, HasSubstr("[plan] layer 'custom' needs plugin Scripted (version 1) (C++, "
                                  "IPluginV3): no creator for plugin Scripted (version 1)"));
    EXPECT_THAT(errors, HasSubstr("Register it before the plan is loaded, or pass "
                                  "--plugins=LIBRARY.so to trtexec"));
}

TEST_F(PlanFailure, NearNamesAreListed) {
    std::string const plan = samplePlan(script, Style::kV2);
    Script near;
    near.name = "scriptet";
    ScriptedV2Creator const creator(near);
    EXPECT_THAT(open(plan), HasSubstr("near names: scriptet"));
}

TEST_F(PlanFailure, OtherVersion) {
    std::string const plan = samplePlan(script, Style::kV3);
    Script other;
    other.version = "2";
    ScriptedV3Creator const creator(other);
    EXPECT_THAT(open(plan),
                HasSubstr("no creator for plugin Scripted (version 1); registered under "
                          "that name: Scripted (version 2)"));
}

TEST_F(PlanFailure, OtherNamespace) {
    std::string const plan = samplePlan(script, Style::kV2);
    Script other;
    other.space = "elsewhere";
    ScriptedV2Creator const creator(other);
    EXPECT_THAT(open(plan),
                HasSubstr("registered under that name: elsewhere::Scripted (version 1)"));
}

TEST_F(PlanFailure, OtherStyle) {
    std::string const v3 = samplePlan(script, Style::kV3);
    {
        ScriptedV2Creator const creator(script);
        EXPECT_THAT(open(v3), HasSubstr("expected a creator of IPluginV3, found one of "
                                        "another family"));
    }
    std::string const v2 = samplePlan(script, Style::kV2);
    ScriptedV3Creator const creator(script);
    EXPECT_THAT(open(v2), HasSubstr("expected a creator of IPluginV2DynamicExt, found one of "
                                    "IPluginV3"));
}

TEST_F(PlanFailure, NullAndEmpty) {
    EXPECT_EQ(runtime->deserializeCudaEngine(nullptr, 100), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a plan, got null"));
    EXPECT_THAT(open(""), HasSubstr("[plan]"));
    EXPECT_THAT(open(std::string(5000, 'k')), HasSubstr("[plan]"));
}

TEST_F(PlanFailure, CutAtEveryHundredthByte) {
    ScriptedV3Creator const creator(script);
    std::string const plan = samplePlan(script, Style::kV3);
    ASSERT_EQ(open(plan), "");
    for (std::size_t size = 0; size < plan.size(); size += 100) {
        EXPECT_THAT(open(plan.substr(0, size)), HasSubstr("[plan]")) << "cut at " << size;
    }
    EXPECT_THAT(open(plan.substr(0, plan.size() - 1)), HasSubstr("[plan]"));
    EXPECT_EQ(script.alive, 0);
}

TEST_F(PlanFailure, BytesBehindTheEnd) {
    ScriptedV3Creator const creator(script);
    std::string const plan = samplePlan(script, Style::kV3);
    EXPECT_THAT(open(plan + std::string(100, '\0')), HasSubstr("[plan]"));
}

// Opening a plan does not hash its weights, so a flipped bit there may go unnoticed; any other is
// refused. None may crash or leave a plugin undestroyed.
TEST_F(PlanFailure, FlippedBits) {
    ScriptedV3Creator const creator(script);
    std::string const plan = samplePlan(script, Style::kV3);
    std::size_t unnoticed = 0;
    for (std::size_t bit = 0; bit < plan.size() * 8; bit += 3) {
        std::string damaged = plan;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        unnoticed += open(damaged).empty() ? 1 : 0;
    }
    // Not hashed: 16 bytes of weights, and padding between sections.
    EXPECT_LT(unnoticed, plan.size() * 8 / 3 / 4) << "of " << plan.size() << " bytes";
    EXPECT_EQ(script.alive, 0);
}

TEST_F(PlanFailure, RecorderGetsTheSameText) {
    RecordingRecorder recorder;
    runtime->setErrorRecorder(&recorder);
    std::string const errors =
        open("no plan at all, but long enough to hold a header of a plan file");
    runtime->setErrorRecorder(nullptr);
    ASSERT_EQ(recorder.errors.size(), 1U);
    EXPECT_EQ(recorder.errors[0].second + "\n", errors);
    EXPECT_EQ(recorder.errors[0].first, ErrorCode::kINVALID_ARGUMENT);
    EXPECT_EQ(recorder.references, 0);
}

} // namespace
} // namespace kiln::test
