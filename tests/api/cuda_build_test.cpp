// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plans for GPUs, built without one: ahead-of-time code is checked and stored.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "kiln/device.h"
#include "kiln/kiln.h"
#include "support/quick_plugin.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using nvinfer1::DimsExprs;
using nvinfer1::IExprBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPtx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(
    .param .u64 scale_param_0,
    .param .u32 scale_param_1,
    .param .f32 scale_param_2,
    .param .u64 scale_param_3
)
{
    ret;
}
)";

bool hasGpu() {
    return openDevice("cuda") != nullptr;
}

class CudaBuild : public ::testing::Test {
protected:
    ~CudaBuild() override { setDefaultTarget(nullptr); }

    /// Builds one plugin with the code that `give` adds. x has 0 to 64 rows and 8 columns.
    template <typename Give>
    std::unique_ptr<nvinfer1::IHostMemory> build(char const* target, Give give) {
        EXPECT_TRUE(setDefaultTarget(target));
        session_ = std::make_unique<Session>();
        script_ = {};
        script_.code = [&, give](DimsExprs const* inputs, int32_t, IAotCode& code,
                                 IExprBuilder& builder) {
            targets_.emplace_back(buildTarget());
            give(inputs, code, builder);
        };
        QuickPlugin plugin(script_);
        nvinfer1::ITensor* const x = &session_->input("x", {-1, 8});
        session_->range("x", {0, 8}, {16, 8}, {64, 8});
        session_->output(*session_->network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0),
                         "y");
        return session_->build();
    }
    /// Adds a kernel with the parameters of kPtx. The grid has one block more than x has rows.
    static void give(DimsExprs const* inputs, IAotCode& code, IExprBuilder& builder,
                     std::string_view ptx = kPtx) {
        auto const* const one = builder.constant(1);
        code.beginKernel("scale");
        code.addImage(ptx.data(), ptx.size());
        code.addInteger(ArgumentType::kINT32, *inputs[0].d[0]);
        code.addReal(ArgumentType::kFLOAT32, 0.5);
        nvinfer1::IDimensionExpr const* const grid[3]{
            builder.operation(nvinfer1::DimensionOperation::kSUM, *inputs[0].d[0], *one), one, one};
        nvinfer1::IDimensionExpr const* const block[3]{builder.constant(128), one, one};
        code.setLaunch(grid, block, *builder.constant(1024));
    }
    template <typename Give>
    std::string errorOf(char const* target, Give giveCode) {
        EXPECT_EQ(build(target, giveCode), nullptr);
        return session_->log.errors();
    }

    QuickScript script_;
    std::unique_ptr<Session> session_;
    std::vector<std::string> targets_;
};

TEST_F(CudaBuild, PlansForSeveralArchitectures) {
    auto const plan = build("cuda:sm_80+sm_90",
                            [](auto* in, auto& code, auto& builder) { give(in, code, builder); });
    ASSERT_NE(plan, nullptr) << session_->log.errors();
    EXPECT_THAT(targets_, ElementsAre("cuda:sm_80", "cuda:sm_90"));
    EXPECT_STREQ(buildTarget(), "");
    auto const path = std::filesystem::temp_directory_path() / "kiln_cuda_build_test.plan";
    std::ofstream(path, std::ios::binary)
        .write(static_cast<char const*>(plan->data()), static_cast<std::streamsize>(plan->size()));
    std::unique_ptr<nvinfer1::IHostMemory> const text(describePlan(path.c_str(), session_->log));
    std::filesystem::remove(path);
    std::string const json(static_cast<char const*>(text->data()), text->size());
    EXPECT_THAT(json, HasSubstr("\"target\": \"cuda\""));
    EXPECT_THAT(json, HasSubstr("\"kind\": \"PTX\""));
    EXPECT_THAT(json, HasSubstr("\"ptx_version\": \"8.0\""));
    EXPECT_THAT(json, HasSubstr("\"architecture\": \"sm_90\""));
}

TEST_F(CudaBuild, WhatCannotRunHereSaysSo) {
    if (hasGpu()) {
        GTEST_SKIP() << "there is a GPU here";
    }
    auto const plan =
        build("cuda:sm_90", [](auto* in, auto& code, auto& builder) { give(in, code, builder); });
    ASSERT_NE(plan, nullptr) << session_->log.errors();
    Running running(session_->log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(session_->log.errors(),
                AllOf(HasSubstr("[plan] target"), HasSubstr("the NVIDIA driver")));
}

TEST_F(CudaBuild, TacticsAreTakenUntimed) {
    if (hasGpu()) {
        GTEST_SKIP() << "there is a GPU here, which times them";
    }
    EXPECT_TRUE(setDefaultTarget("cuda:sm_90"));
    Session session;
    QuickScript script;
    script.tactics = {4, 2};
    int32_t asked = 0;
    script.code = [&](DimsExprs const* inputs, int32_t tactic, IAotCode& code,
                      IExprBuilder& builder) {
        asked = tactic;
        give(inputs, code, builder);
    };
    QuickPlugin plugin(script);
    nvinfer1::ITensor* const x = &session.input("x", {4, 8});
    session.output(*session.network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0), "y");
    ASSERT_NE(session.build(), nullptr) << session.log.errors();
    EXPECT_EQ(asked, 4);
}

TEST_F(CudaBuild, CodeThatCannotWork) {
    EXPECT_THAT(
        errorOf("cuda:sm_70", [](auto* in, auto& code, auto& builder) { give(in, code, builder); }),
        HasSubstr("expected code that runs on sm_70, got PTX for sm_80"));
    EXPECT_THAT(
        errorOf("cuda:sm_90",
                [](auto* in, auto& code, auto& builder) {
                    give(in, code, builder);
                    code.addReal(ArgumentType::kFLOAT32, 1.0);
                }),
        HasSubstr("expected 5 parameters (1 inputs, 3 scalars, 1 outputs, in this order), the "
                  "code has 4"));
    EXPECT_THAT(errorOf("cuda:sm_90",
                        [](auto* in, auto& code, auto& builder) { give(in, code, builder, ""); }),
                HasSubstr("expected PTX, a cubin or a host object, got no bytes"));
    EXPECT_THAT(errorOf("cuda:sm_90",
                        [](auto* in, auto& code, auto& builder) {
                            give(in, code, builder);
                            auto const* const one = builder.constant(1);
                            nvinfer1::IDimensionExpr const* const grid[3]{in[0].d[0], one, one};
                            code.setLaunch(grid, grid, *builder.constant(0));
                        }),
                HasSubstr("kernel 'scale', at the smallest shapes of the profiles: grid_x: "
                          "expected 1 to 2147483647, got 0"));
}

TEST_F(CudaBuild, JustInTimePluginsAreKeptForAMachineWithAGpu) {
    EXPECT_TRUE(setDefaultTarget("cuda:sm_90"));
    Session session;
    QuickScript script;
    QuickPlugin plugin(script);
    nvinfer1::ITensor* const x = &session.input("x", {4, 8});
    session.output(*session.network->addPluginV3(&x, 1, nullptr, 0, plugin)->getOutput(0), "y");
    EXPECT_NE(session.build(), nullptr) << session.log.errors();
    EXPECT_EQ(script.runs, 0);
}

} // namespace
} // namespace kiln::test
