// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV2, IPluginV2Ext and IPluginV2IOExt with a dynamic batch: build, save, restore and run,
// the callbacks on the way, and what is refused.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/batch_plugin.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

template <typename Plugin>
class BatchInterface : public testing::Test {
protected:
    /// Adds input x with the given extents, and a plugin that reads x and writes y.
    IPluginV2Layer* add(Session& session, std::vector<int64_t> const& extents) {
        ITensor* const inputs[] = {&session.input("x", extents)};
        return add(session, inputs, 1);
    }
    IPluginV2Layer* add(Session& session, ITensor* const* inputs, int32_t count) {
        auto* const own = new Plugin(script, 0);
        IPluginV2Layer* const layer = session.network->addPluginV2(inputs, count, *own);
        own->destroy();
        if (layer != nullptr) {
            layer->setName("custom");
            session.output(*layer->getOutput(0), "y");
        }
        return layer;
    }
    /// Errors of a build with x of these extents. The profile sets dynamic extents to 4.
    std::string buildErrors(std::vector<int64_t> const& extents) {
        Session session;
        add(session, extents);
        std::vector<int64_t> most = extents;
        std::replace(most.begin(), most.end(), int64_t{-1}, int64_t{4});
        session.range("x", most, most, most);
        EXPECT_EQ(session.build(), nullptr);
        return session.log.takeErrors();
    }
    void TearDown() override {
        EXPECT_EQ(script.alive, 0) << "objects that nobody destroyed";
        EXPECT_EQ(script.initialized, 0) << "an initialize without its terminate";
    }
    static constexpr bool kIsV2 =
        std::is_base_of_v<IPluginV2, Plugin> && !std::is_base_of_v<IPluginV2Ext, Plugin>;
    static constexpr bool kIsIOExt = std::is_base_of_v<IPluginV2IOExt, Plugin>;

    BatchScript script;
};

using Interfaces = testing::Types<BatchV2, BatchV2Ext, BatchV2IOExt>;
TYPED_TEST_SUITE(BatchInterface, Interfaces);

TYPED_TEST(BatchInterface, RunsWithADynamicBatch) {
    BatchScript& script = this->script;
    BatchCreator<TypeParam> const creator(script);
    Session session;
    IPluginV2Layer* const layer = this->add(session, {-1, 3, 2});
    ASSERT_NE(layer, nullptr) << session.log.errors();
    EXPECT_NE(dynamic_cast<TypeParam*>(&layer->getPlugin()), nullptr);
    EXPECT_EQ(str(layer->getOutput(0)->getDimensions()), "[-1,3,2]");
    session.range("x", {1, 3, 2}, {2, 3, 2}, {4, 3, 2});
    auto const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    EXPECT_TRUE(script.heard("getOutputDimensions [3,2]"));
    EXPECT_TRUE(script.heard("getWorkspaceSize 4"));
    EXPECT_TRUE(script.heard(this->kIsV2      ? "configureWithFormat [3,2] [3,2] 1 1 t0 most 4"
                             : this->kIsIOExt ? "configurePlugin [3,2]:t0:f0 [3,2]:t0:f0 1 1"
                                              : "configurePlugin [3,2] [3,2] t0 t0 00 most 4"));

    script.said.clear();
    Running running(session.log, *plan);
    ASSERT_NE(running.context, nullptr) << session.log.errors();
    for (int64_t const batch : {3, 1, 4}) {
        std::vector<float> x(static_cast<std::size_t>(batch) * 6);
        std::iota(x.begin(), x.end(), 1.0F);
        std::vector<float> y;
        ASSERT_TRUE(running.context->setInputShape("x", dims({batch, 3, 2})));
        ASSERT_TRUE(running.run({{"x", &x}, {"y", &y}})) << session.log.errors();
        EXPECT_EQ(script.said.back(), "enqueue " + std::to_string(batch) + " rows of 6");
        EXPECT_EQ(y.size(), x.size());
        EXPECT_EQ(y.back(), 2 * x.back());
    }
    if (std::is_same_v<TypeParam, BatchV2Ext>) {
        EXPECT_TRUE(script.heard("attachToContext"));
        running.context.reset();
        EXPECT_EQ(script.said.back(), "detachFromContext");
    }
}

TYPED_TEST(BatchInterface, IsNamedAfterItsInterface) {
    Session session;
    ITensor* const inputs[] = {&session.input("x", {1, 2})};
    auto* const own = new TypeParam(this->script, 0);
    IPluginV2Layer* const layer = session.network->addPluginV2(inputs, 1, *own);
    own->destroy();
    EXPECT_STREQ(layer->getName(), this->kIsV2      ? "(Unnamed Layer* 0) [PluginV2]"
                                   : this->kIsIOExt ? "(Unnamed Layer* 0) [PluginV2IOExt]"
                                                    : "(Unnamed Layer* 0) [PluginV2Ext]");
    EXPECT_EQ(layer->getType(), LayerType::kPLUGIN_V2);
}

TYPED_TEST(BatchInterface, DynamicDimensionsBehindTheBatchAreRefused) {
    EXPECT_THAT(this->buildErrors({-1, 3, -1}),
                HasSubstr("layer 'custom', plugin Batch (version 1), getOutputDimensions: input 0: "
                          "expected a batch dimension and behind it fixed ones, got [-1,3,-1]. An "
                          "IPluginV2"));
    EXPECT_THAT(this->buildErrors({}), HasSubstr("and behind it fixed ones, got []."));
}

TYPED_TEST(BatchInterface, BadDimensionsAreRefused) {
    this->script.shape = [](Dims const*) { return Dims{-1, {}}; };
    EXPECT_THAT(this->buildErrors({-1, 3}),
                HasSubstr("getOutputDimensions(0): expected 0 to 7 dimensions of 0 or more behind "
                          "the batch, returned"));
    this->script.shape = [](Dims const*) { return dims({3, -1}); };
    EXPECT_THAT(this->buildErrors({-1, 3}), HasSubstr("returned [3,-1]"));
    this->script.shape = [](Dims const*) { return dims({1, 1, 1, 1, 1, 1, 1, 1}); };
    EXPECT_THAT(this->buildErrors({-1, 3}), HasSubstr("returned [1,1,1,1,1,1,1,1]"));
}

TYPED_TEST(BatchInterface, NoInputsAreRefused) {
    Session session;
    this->add(session, nullptr, 0);
    EXPECT_EQ(session.build(), nullptr);
    EXPECT_THAT(session.log.errors(), HasSubstr("expected 1 or more inputs, whose first dimension "
                                                "is the batch, got none"));
}

TYPED_TEST(BatchInterface, InputsShareTheBatch) {
    {
        Session session;
        ITensor* const inputs[] = {&session.input("x", {2, 3}), &session.input("z", {1, 3})};
        this->add(session, inputs, 2);
        EXPECT_EQ(session.build(), nullptr);
        EXPECT_THAT(session.log.errors(), HasSubstr("input 1: expected the batch of input 0, 2, as "
                                                    "first dimension, got 1"));
    }
    BatchCreator<TypeParam> const creator(this->script);
    Session session;
    ITensor* const inputs[] = {&session.input("x", {-1, 3}), &session.input("z", {-1, 3})};
    this->add(session, inputs, 2);
    session.range("x", {1, 3}, {1, 3}, {4, 3});
    session.range("z", {1, 3}, {1, 3}, {4, 3});
    auto const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    std::vector<float> x(12, 1.0F);
    std::vector<float> y(12);
    EXPECT_TRUE(running.context->setInputShape("x", dims({2, 3})));
    EXPECT_TRUE(running.context->setInputShape("z", dims({3, 3})));
    for (char const* name : {"x", "z"}) {
        EXPECT_TRUE(running.context->setTensorAddress(name, x.data()));
    }
    EXPECT_TRUE(running.context->setTensorAddress("y", y.data()));
    EXPECT_FALSE(running.context->enqueueV3(nullptr));
    EXPECT_THAT(session.log.errors(), HasSubstr("input 1: expected the batch of input 0, 2, as "
                                                "first dimension, got 3"));
}

TYPED_TEST(BatchInterface, AnOutputWithoutTheBatchIsRefused) {
    this->script.broadcasts = true;
    if (!this->kIsV2) {
        EXPECT_THAT(this->buildErrors({-1, 3}),
                    HasSubstr("isOutputBroadcastAcrossBatch: output 0: expected false, returned "
                              "true: every output has the batch dimension. Write the output for "
                              "each element of the batch"));
    }
}

TYPED_TEST(BatchInterface, TypesAreNegotiated) {
    this->script.takes = [](DataType, TensorFormat) { return false; };
    EXPECT_THAT(this->buildErrors({-1, 3}), HasSubstr("takes no combination of"));
    this->script.takes = [](DataType type, TensorFormat) { return type == DataType::kINT32; };
    EXPECT_THAT(this->buildErrors({-1, 3}), HasSubstr("takes no combination of"));
}

using BatchPlugins = BatchInterface<BatchV2>;

TEST_F(BatchPlugins, AnotherInterfaceComesBackFromTheCreator) {
    BatchCreator<BatchV2Ext> const creator(script);
    Session session;
    add(session, {2, 3});
    auto const plan = session.build();
    ASSERT_NE(plan, nullptr) << session.log.errors();
    Running running(session.log, *plan);
    EXPECT_EQ(running.engine, nullptr);
    EXPECT_THAT(session.log.errors(),
                HasSubstr("layer 'custom', plugin Batch (version 1), deserializePlugin: expected "
                          "an IPluginV2, returned an IPluginV2Ext. Register the plugin that the "
                          "plan was built with"));
}

TEST_F(BatchPlugins, ATagThatNoInterfaceHas) {
    script.tag = 0x09000000 + NV_TENSORRT_VERSION;
    Session session;
    EXPECT_EQ(add(session, {2, 3}), nullptr);
    EXPECT_THAT(session.log.errors(),
                HasSubstr("plugin Batch (version 1): expected an IPluginV2, IPluginV2Ext, "
                          "IPluginV2IOExt or IPluginV2DynamicExt, got plugin interface generation "
                          "9. Leave getTensorRTVersion() to the base class."));
}

} // namespace
} // namespace kiln::test
