// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decorated plugins in C++, just in time and ahead of time on the CPU.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "kiln/kiln.h"
#include "support/quick_plugin.h"
#include "support/session.h"
#include "support/test_paths.h"

namespace kiln::test {
namespace {

using nvinfer1::DataType;
using nvinfer1::DimsExprs;
using nvinfer1::IExprBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<char> hostKernels() {
    std::ifstream file(builtFolder() + "/kiln_test_host_kernels.so", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<nvinfer1::IHostMemory> buildWith(Session& session, QuickScript& script,
                                                 std::vector<int64_t> const& extents) {
    QuickPlugin plugin(script);
    nvinfer1::ITensor* const x = &session.input("x", extents);
    nvinfer1::IPluginV3Layer* const layer = session.network->addPluginV3(&x, 1, nullptr, 0, plugin);
    if (layer == nullptr) {
        return nullptr;
    }
    session.output(*layer->getOutput(0), "y");
    return session.build();
}

/// Adds the kernel scaleBy for the whole tensor with a factor of 2.5, then the kernel `second`, if
/// given, with 100 blocks.
void giveCode(DimsExprs const* inputs, IAotCode& code, IExprBuilder& builder,
              std::vector<char> const& object, char const* second) {
    auto const* const count =
        builder.operation(nvinfer1::DimensionOperation::kPROD, *inputs[0].d[0], *inputs[0].d[1]);
    code.beginKernel("scaleBy");
    code.addImage(object.data(), object.size());
    code.addInteger(ArgumentType::kINT64, *count);
    code.addReal(ArgumentType::kFLOAT32, 2.5);
    if (second != nullptr) {
        nvinfer1::IDimensionExpr const* const one = builder.constant(1);
        nvinfer1::IDimensionExpr const* const grid[3]{builder.constant(100), one, one};
        nvinfer1::IDimensionExpr const* const block[3]{one, one, one};
        code.beginKernel(second);
        code.addImage(object.data(), object.size());
        code.setLaunch(grid, block, *builder.constant(0));
    }
}

TEST(QuickPlugin, RunsJustInTimeThroughItsCreator) {
    QuickScript script;
    Session session;
    auto const plan = buildWith(session, script, {2, 3});
    ASSERT_NE(plan, nullptr) << session.log.errors();
    EXPECT_EQ(script.runs, 0); // one combination: nothing is timed
    QuickCreator creator(script);
    Running running(session.log, *plan);
    ASSERT_NE(running.context, nullptr) << session.log.errors();
    EXPECT_EQ(creator.request, nvinfer1::QuickPluginCreationRequest::kSTRICT_JIT);
    EXPECT_EQ(creator.lastPhase, nvinfer1::TensorRTPhase::kRUNTIME);
    EXPECT_EQ(creator.fieldCount, 1);
    std::vector<float> x{1, 2, 3, 4, 5, 6};
    std::vector<float> y;
    ASSERT_TRUE(running.run({{"x", &x}, {"y", &y}})) << session.log.errors();
    EXPECT_THAT(y, ElementsAre(2, 4, 6, 8, 10, 12));
    EXPECT_THAT(script.strides, ElementsAre(3, 1));
    EXPECT_EQ(script.runs, 1);
    EXPECT_EQ(script.ranTactic, 0);
}

TEST(QuickPlugin, TacticsAreTimedAndKept) {
    QuickScript script;
    script.tactics = {3, 5};
    Session session;
    auto const plan = buildWith(session, script, {2, 3});
    ASSERT_NE(plan, nullptr) << session.log.errors();
    EXPECT_GT(script.runs, 1);
    QuickCreator creator(script);
    Running running(session.log, *plan);
    std::vector<float> x(6, 1.0F);
    std::vector<float> y;
    ASSERT_TRUE(running.run({{"x", &x}, {"y", &y}})) << session.log.errors();
    EXPECT_THAT(script.ranTactic, ::testing::AnyOf(3, 5));
}

TEST(QuickPlugin, WithoutItsCreatorThePlanSaysWhatItNeeds) {
    QuickScript script;
    Session session;
    auto const plan = buildWith(session, script, {2, 3});
    ASSERT_NE(plan, nullptr);
    Running running(session.log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(session.log.errors(),
                HasSubstr("needs plugin quick::Double (version 1) (C++, IPluginV3Quick)"));
}

TEST(QuickPlugin, TacticZeroIsRefused) {
    QuickScript script;
    script.tactics = {0, 1};
    Session session;
    EXPECT_EQ(buildWith(session, script, {2, 3}), nullptr);
    EXPECT_THAT(session.log.errors(), HasSubstr("expected positive tactics, got 0"));
}

TEST(QuickPlugin, ListsNothingThatTheNetworkGives) {
    QuickScript script;
    script.combinations = {{DataType::kINT32, DataType::kINT32}};
    Session session;
    EXPECT_EQ(buildWith(session, script, {2, 3}), nullptr);
    EXPECT_THAT(session.log.errors(),
                HasSubstr("getSupportedFormatCombinations takes no combination of types and "
                          "formats that the network offers; it listed, and the network cannot "
                          "give,: int32,int32."));
}

TEST(QuickPlugin, EmptyListIsRefused) {
    QuickScript script;
    script.combinations.clear();
    Session session;
    EXPECT_EQ(buildWith(session, script, {2, 3}), nullptr);
    EXPECT_THAT(session.log.errors(),
                HasSubstr("getNbSupportedFormatCombinations: expected 1 to 65536, returned 0"));
}

class AheadOfTime : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_GT(object_.size(), 0U); }

    std::unique_ptr<nvinfer1::IHostMemory> build(char const* second,
                                                 std::vector<int64_t> const& extents = {2, 3}) {
        script_.code = [this, second](DimsExprs const* inputs, int32_t, IAotCode& code,
                                      IExprBuilder& builder) {
            giveCode(inputs, code, builder, object_, second);
        };
        return buildWith(session_, script_, extents);
    }
    /// Opens the plan with host code allowed.
    void open(nvinfer1::IHostMemory const& plan) {
        runtime_.reset(nvinfer1::createInferRuntime(session_.log));
        runtime_->setEngineHostCodeAllowed(true);
        engine_.reset(runtime_->deserializeCudaEngine(plan.data(), plan.size()));
        ASSERT_NE(engine_, nullptr) << session_.log.errors();
        context_.reset(engine_->createExecutionContext());
        ASSERT_NE(context_, nullptr) << session_.log.errors();
    }
    bool run(std::vector<float>& x, std::vector<float>& y) {
        return context_->setTensorAddress("x", x.data()) &&
               context_->setTensorAddress("y", y.data()) && context_->enqueueV3(nullptr);
    }

    std::vector<char> object_ = hostKernels();
    QuickScript script_;
    Session session_;
    std::unique_ptr<nvinfer1::IRuntime> runtime_;
    std::unique_ptr<nvinfer1::ICudaEngine> engine_;
    std::unique_ptr<nvinfer1::IExecutionContext> context_;
};

TEST_F(AheadOfTime, NeedsNoCreator) {
    auto const plan = build(nullptr);
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    open(*plan);
    std::vector<float> x{1, 2, 3, 4, 5, 6};
    std::vector<float> y(6);
    ASSERT_TRUE(run(x, y)) << session_.log.errors();
    EXPECT_THAT(y, ElementsAre(2.5F, 5, 7.5F, 10, 12.5F, 15));
    EXPECT_EQ(script_.runs, 0);
}

TEST_F(AheadOfTime, SeveralKernelsRunInOrder) {
    auto const plan = build("addExtent");
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    open(*plan);
    std::vector<float> x{1, 2, 3, 4, 5, 6};
    std::vector<float> y(6);
    ASSERT_TRUE(run(x, y)) << session_.log.errors();
    EXPECT_THAT(y, ElementsAre(104.5F, 107, 109.5F, 112, 114.5F, 117));
}

TEST_F(AheadOfTime, ArgumentsFollowTheShapes) {
    session_.range("x", {1, 3}, {2, 3}, {4, 3});
    auto const plan = build("addExtent", {-1, 3});
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    open(*plan);
    for (int64_t const rows : {4, 1, 3}) {
        ASSERT_TRUE(context_->setInputShape("x", dims({rows, 3})));
        std::vector<float> x(static_cast<std::size_t>(rows) * 3, 2.0F);
        std::vector<float> y(x.size() + 1, -1.0F);
        ASSERT_TRUE(run(x, y)) << session_.log.errors();
        EXPECT_EQ(y[x.size() - 1], 105.0F + static_cast<float>(rows));
        EXPECT_EQ(y[x.size()], -1.0F);
    }
}

/// Number of mappings of the memory file of scaleBy, from which code is loaded.
int loadedCode() {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);) {
        count += line.find("memfd:scaleBy") != std::string::npos ? 1 : 0;
    }
    return count;
}

TEST_F(AheadOfTime, CodeIsLoadedOnceAndLeavesWithTheEngine) {
    session_.range("x", {1, 3}, {2, 3}, {64, 3});
    auto const plan = build(nullptr, {-1, 3});
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    EXPECT_EQ(loadedCode(), 0);
    open(*plan);
    int const loaded = loadedCode();
    EXPECT_GT(loaded, 0);
    std::vector<float> x(64 * 3);
    std::vector<float> y(64 * 3);
    for (int64_t rows = 1; rows <= 64; ++rows) {
        ASSERT_TRUE(context_->setInputShape("x", dims({rows, 3})));
        ASSERT_TRUE(run(x, y));
        std::unique_ptr<nvinfer1::IExecutionContext> const other(engine_->createExecutionContext());
        ASSERT_NE(other, nullptr);
    }
    EXPECT_EQ(loadedCode(), loaded);
    context_.reset();
    engine_.reset();
    EXPECT_EQ(loadedCode(), 0);
}

TEST_F(AheadOfTime, HostCodeRunsOnlyWhereAllowed) {
    auto const plan = build(nullptr);
    ASSERT_NE(plan, nullptr);
    Running running(session_.log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(session_.log.errors(),
                HasSubstr("the plan carries host code (compiled plugin quick::Double (version 1) "
                          "of layer '(Unnamed Layer* 0) [PluginV3]'): expected it to be allowed"));
}

TEST_F(AheadOfTime, FailingKernelIsNamed) {
    auto const plan = build("fails");
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    open(*plan);
    std::vector<float> x(6);
    std::vector<float> y(6);
    EXPECT_FALSE(run(x, y));
    EXPECT_THAT(session_.log.errors(),
                HasSubstr("plugin quick::Double (version 1), kernel 'fails': expected 0, returned "
                          "42"));
}

TEST_F(AheadOfTime, StandardInterfaceGivesOneKernel) {
    struct Sym final : nvinfer1::ISymExpr {
        explicit Sym(nvinfer1::IDimensionExpr const* e) : expr(e) {}
        nvinfer1::PluginArgType getType() const noexcept override {
            return nvinfer1::PluginArgType::kINT;
        }
        nvinfer1::PluginArgDataType getDataType() const noexcept override {
            return nvinfer1::PluginArgDataType::kINT32;
        }
        void* getExpr() noexcept override { return const_cast<nvinfer1::IDimensionExpr*>(expr); }
        nvinfer1::IDimensionExpr const* expr;
    };
    script_.launch = [](DimsExprs const* inputs, nvinfer1::IKernelLaunchParams& params,
                        nvinfer1::ISymExprs& extra, IExprBuilder& builder) {
        Sym grid(inputs[0].d[0]);
        EXPECT_EQ(params.getGridX(), nullptr);
        EXPECT_TRUE(params.setGridX(&grid));
        EXPECT_FALSE(params.setGridY(nullptr));
        EXPECT_FALSE(extra.setSymExpr(0, &grid)); // the list is still empty
        EXPECT_TRUE(extra.setNbSymExprs(0));
        EXPECT_FALSE(extra.setNbSymExprs(-1));
        EXPECT_NE(params.getGridX(), nullptr);
        static_cast<void>(builder);
    };
    script_.entry = "addExtent";
    script_.kernel = object_;
    auto const plan = buildWith(session_, script_, {2, 3});
    ASSERT_NE(plan, nullptr) << session_.log.errors();
    open(*plan);
    std::vector<float> x(6);
    std::vector<float> y(6, 1.0F);
    ASSERT_TRUE(run(x, y)) << session_.log.errors();
    EXPECT_EQ(y[5], 1.0F + 2 + 2);
}

TEST_F(AheadOfTime, MistakesOfTheCodeAreTold) {
    auto const errorOf = [&](auto give) {
        Session session;
        QuickScript script;
        script.code = [&](DimsExprs const* inputs, int32_t, IAotCode& code, IExprBuilder& builder) {
            give(inputs, code, builder);
        };
        EXPECT_EQ(buildWith(session, script, {2, 3}), nullptr);
        return session.log.errors();
    };
    EXPECT_THAT(errorOf([](auto, IAotCode&, auto&) {}),
                HasSubstr("expected at least one kernel for the target cpu"));
    EXPECT_THAT(
        errorOf([](auto, IAotCode& code, auto&) {
            EXPECT_FALSE(code.addReal(ArgumentType::kFLOAT32, 1));
        }),
        HasSubstr("getCode: addReal: expected a kernel that beginKernel() began, got none"));
    EXPECT_THAT(errorOf([](auto, IAotCode& code, auto&) {
                    code.beginKernel("k");
                    code.addReal(ArgumentType::kINT8, 1);
                }),
                HasSubstr("addReal: expected the type FLOAT32 or FLOAT64, got INT8"));
    EXPECT_THAT(errorOf([&](DimsExprs const* inputs, IAotCode& code, IExprBuilder& builder) {
                    giveCode(inputs, code, builder, object_, nullptr);
                    code.addInteger(ArgumentType::kINT8, *builder.constant(128));
                }),
                HasSubstr("extra argument 2: expected a number of 8 bits, got 128"));
    EXPECT_THAT(errorOf([&](DimsExprs const* inputs, IAotCode& code, IExprBuilder& builder) {
                    giveCode(inputs, code, builder, object_, nullptr);
                    nvinfer1::IDimensionExpr const* const negative = builder.constant(-4);
                    nvinfer1::IDimensionExpr const* const three[3]{negative, negative, negative};
                    code.setLaunch(three, three, *builder.constant(0));
                }),
                HasSubstr("expected a grid and a block of 0 or more, got -4"));
}

TEST_F(AheadOfTime, DescriptionTellsAttributesAndCode) {
    auto const plan = build(nullptr);
    ASSERT_NE(plan, nullptr);
    auto const path = std::filesystem::temp_directory_path() / "kiln_quick_plugin_test.plan";
    std::ofstream(path, std::ios::binary)
        .write(static_cast<char const*>(plan->data()), static_cast<std::streamsize>(plan->size()));
    std::unique_ptr<nvinfer1::IHostMemory> const text(describePlan(path.c_str(), session_.log));
    std::filesystem::remove(path);
    ASSERT_NE(text, nullptr);
    std::string const json(static_cast<char const*>(text->data()), text->size());
    EXPECT_THAT(json, HasSubstr("\"style\": \"IPluginV3QuickAOT\""));
    EXPECT_THAT(json, HasSubstr("\"size\": 7"));
    EXPECT_THAT(json, HasSubstr("\"entry\": \"scaleBy\""));
    EXPECT_THAT(json, HasSubstr("\"kind\": \"shared object\""));
    EXPECT_THAT(json, HasSubstr("\"problems\": []"));
}

} // namespace
} // namespace kiln::test
