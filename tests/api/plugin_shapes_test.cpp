// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins with several inputs and outputs and computed shapes, in both styles.
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

class PluginShapes : public testing::TestWithParam<Style>, protected Session {
protected:
    void registerScript() {
        if (GetParam() == Style::kV2) {
            v2 = std::make_unique<ScriptedV2Creator>(script);
        } else {
            v3 = std::make_unique<ScriptedV3Creator>(script);
        }
    }
    void TearDown() override {
        network.reset(); // its plugins refer to the script
        EXPECT_EQ(script.alive, 0);
    }

    Script script;
    std::unique_ptr<ScriptedV2Creator> v2;
    std::unique_ptr<ScriptedV3Creator> v3;
};

INSTANTIATE_TEST_SUITE_P(BothStyles, PluginShapes, testing::Values(Style::kV2, Style::kV3),
                         [](auto const& info) { return nameOf(info.param); });

// One output of extent f(a, b) for each operation; the plugin fills it with that extent.
TEST_P(PluginShapes, EveryDimensionOperation) {
    constexpr int32_t kOperations = EnumMax<DimensionOperation>();
    script.outputs = kOperations;
    script.shape = [](int32_t index, DimsExprs const* inputs, IExprBuilder& builder) {
        DimsExprs shape{};
        shape.nbDims = 1;
        shape.d[0] = builder.operation(static_cast<DimensionOperation>(index), *inputs[0].d[0],
                                       *inputs[1].d[0]);
        return shape;
    };
    script.work = [](Call const& call) {
        for (std::size_t i = 0; i < call.out.size(); ++i) {
            for (int64_t j = 0; j < call.out[i].dims.d[0]; ++j) {
                static_cast<float*>(call.outputs[i])[j] = static_cast<float>(call.out[i].dims.d[0]);
            }
        }
        return 0;
    };
    registerScript();
    ITensor& a = input("a", {-1});
    ITensor& b = input("b", {-1});
    range("a", {7}, {7}, {12});
    range("b", {3}, {3}, {5});
    ILayer* const layer = addScripted(*network, script, GetParam(), {&a, &b});
    ASSERT_NE(layer, nullptr) << log.errors();
    std::map<std::string, std::vector<float>> values;
    std::map<std::string, std::vector<float>*> tensors;
    for (int32_t i = 0; i < kOperations; ++i) {
        std::string const name = "y" + std::to_string(i);
        output(*layer->getOutput(i), name.c_str());
        tensors[name] = &values[name];
    }
    std::vector<float> in(16);
    tensors["a"] = tensors["b"] = &in;
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    ASSERT_NE(running.context, nullptr) << log.errors();
    auto const check = [&](int64_t first, int64_t second, std::vector<std::size_t> const& extents) {
        ASSERT_TRUE(running.context->setInputShape("a", dims({first})));
        ASSERT_TRUE(running.context->setInputShape("b", dims({second})));
        ASSERT_TRUE(running.run(tensors)) << log.errors();
        for (std::size_t i = 0; i < extents.size(); ++i) {
            std::vector<float> const expected(extents[i], static_cast<float>(extents[i]));
            EXPECT_EQ(values["y" + std::to_string(i)], expected) << "operation " << i;
        }
    };
    // sum, product, max, min, difference, equal, less, floor and ceiling of the quotient
    check(7, 3, {10, 21, 7, 3, 4, 0, 0, 2, 3});
    check(12, 4, {16, 48, 12, 4, 8, 0, 0, 3, 3});
    check(9, 5, {14, 45, 9, 5, 4, 0, 0, 1, 2});
}

TEST_P(PluginShapes, ConstantsAndNestedOperations) {
    // ceil((n + 1) / 2) x 3
    script.shape = [](int32_t, DimsExprs const* inputs, IExprBuilder& builder) {
        EXPECT_FALSE(inputs[0].d[0]->isConstant());
        EXPECT_TRUE(inputs[0].d[1]->isConstant());
        EXPECT_EQ(inputs[0].d[1]->getConstantValue(), 2);
        EXPECT_FALSE(inputs[0].d[0]->isSizeTensor());
        IDimensionExpr const& more =
            *builder.operation(DimensionOperation::kSUM, *inputs[0].d[0], *builder.constant(1));
        DimsExprs shape{};
        shape.nbDims = 2;
        shape.d[0] = builder.operation(DimensionOperation::kCEIL_DIV, more, *builder.constant(2));
        shape.d[1] =
            builder.operation(DimensionOperation::kSUM, *inputs[0].d[1], *builder.constant(1));
        EXPECT_EQ(shape.d[1]->getConstantValue(), 3);
        return shape;
    };
    script.work = [](Call const& call) {
        static_cast<float*>(call.outputs[0])[0] = static_cast<float>(volumeOf(call.out[0].dims));
        return 0;
    };
    registerScript();
    ITensor& x = input("x", {-1, 2});
    range("x", {1, 2}, {4, 2}, {9, 2});
    ILayer* const layer = addScripted(*network, script, GetParam(), {&x});
    EXPECT_EQ(str(layer->getOutput(0)->getDimensions()), "[-1,3]");
    output(*layer->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    std::vector<float> in(18);
    std::vector<float> out;
    ASSERT_TRUE(running.context->setInputShape("x", Dims2{6, 2}));
    ASSERT_TRUE(running.run({{"x", &in}, {"y", &out}})) << log.errors();
    EXPECT_EQ(out.size(), 12U);
    EXPECT_EQ(out[0], 12.0F);
}

// sum and difference of two tensors; one tensor is used twice, one output is not used at all.
TEST_P(PluginShapes, SeveralInputsAndOutputs) {
    script.outputs = 3;
    script.work = [](Call const& call) {
        auto const* a = static_cast<float const*>(call.inputs[0]);
        auto const* b = static_cast<float const*>(call.inputs[1]);
        auto const* c = static_cast<float const*>(call.inputs[2]);
        for (int64_t i = 0; i < volumeOf(call.out[0].dims); ++i) {
            static_cast<float*>(call.outputs[0])[i] = a[i] + b[i] + c[i];
            static_cast<float*>(call.outputs[1])[i] = a[i] - b[i];
            static_cast<float*>(call.outputs[2])[i] = 1e9F;
        }
        return 0;
    };
    registerScript();
    ITensor& a = input("a", {2, 2});
    ITensor& b = input("b", {2, 2});
    ILayer* const layer = addScripted(*network, script, GetParam(), {&a, &b, &a});
    EXPECT_EQ(layer->getNbInputs(), 3);
    EXPECT_EQ(layer->getNbOutputs(), 3);
    ITensor& product = *network
                            ->addElementWise(*layer->getOutput(0), *layer->getOutput(0),
                                             ElementWiseOperation::kPROD)
                            ->getOutput(0);
    output(product, "squared");
    output(*layer->getOutput(1), "difference");
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    std::vector<float> one{1, 2, 3, 4};
    std::vector<float> two{5, 5, 5, 5};
    std::vector<float> squared;
    std::vector<float> difference;
    ASSERT_TRUE(
        running.run({{"a", &one}, {"b", &two}, {"squared", &squared}, {"difference", &difference}}))
        << log.errors();
    EXPECT_EQ(squared, (std::vector<float>{49, 81, 121, 169}));
    EXPECT_EQ(difference, (std::vector<float>{-4, -3, -2, -1}));
}

TEST_P(PluginShapes, WithoutInputs) {
    script.type = [](int32_t, DataType const*) { return DataType::kFLOAT; };
    script.shape = [](int32_t, DimsExprs const*, IExprBuilder& builder) {
        DimsExprs shape{};
        shape.nbDims = 1;
        shape.d[0] = builder.constant(3);
        return shape;
    };
    script.work = [](Call const& call) {
        std::fill_n(static_cast<float*>(call.outputs[0]), 3, 2.5F);
        return 0;
    };
    registerScript();
    ILayer* const layer = addScripted(*network, script, GetParam(), {});
    ASSERT_NE(layer, nullptr) << log.errors();
    output(*layer->getOutput(0), "y");
    std::unique_ptr<IHostMemory> const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    Running running(log, *plan);
    std::vector<float> y;
    ASSERT_TRUE(running.run({{"y", &y}})) << log.errors();
    EXPECT_EQ(y, std::vector<float>(3, 2.5F));
}

} // namespace
} // namespace kiln::test
