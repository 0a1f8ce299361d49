// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of unsupported features fail, name the feature, and change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/user_story.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class Unsupported : public testing::Test, protected Session {
protected:
    void expectRefused(void const* result, std::string const& name) {
        EXPECT_EQ(result, nullptr) << name;
        EXPECT_THAT(log.takeErrors(), HasSubstr("[kiln] " + name + ": not supported yet"));
    }
};

TEST_F(Unsupported, LayersRefuseByName) {
    ITensor& x = input("x", {1, 2, 4, 4});
    ITensor* const two[] = {&x, &x};
    Weights const none{DataType::kFLOAT, nullptr, 0};
    expectRefused(network->addLRN(x, 3, 1.0F, 1.0F, 1.0F), "LRN layer");
    expectRefused(network->addScale(x, ScaleMode::kUNIFORM, none, none, none), "scale layer");
    expectRefused(network->addTopK(x, TopKOperation::kMAX, 1, 1), "top-k layer");
    expectRefused(network->addParametricReLU(x, x), "parametric ReLU layer");
    expectRefused(network->addDeconvolutionNd(x, 1, dims({3, 3}), none, none),
                  "deconvolution layer");
    expectRefused(network->addResize(x), "resize layer");
    expectRefused(network->addLoop(), "loop");
    expectRefused(network->addIfConditional(), "conditional");
    expectRefused(network->addPaddingNd(x, dims({1, 1}), dims({1, 1})), "padding layer");
    expectRefused(network->addQuantize(x, x, DataType::kINT8), "quantize layer");
    expectRefused(network->addDequantize(x, x, DataType::kFLOAT), "dequantize layer");
    expectRefused(network->addScatter(x, x, x, ScatterMode::kND), "scatter layer");
    expectRefused(network->addEinsum(two, 2, "ij,jk->ik"), "einsum layer");
    expectRefused(network->addNonZero(x), "non-zero layer");
    EXPECT_EQ(network->getNbLayers(), 0);
}

TEST_F(Unsupported, PerLayerPrecision) {
    ILayer* const layer = network->addIdentity(input("x", {2}));
    layer->setName("copy");
    layer->setPrecision(DataType::kHALF);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[network] layer 'copy' (Identity), precision: not supported yet"));
    EXPECT_FALSE(layer->precisionIsSet());
    layer->setOutputType(0, DataType::kHALF);
    EXPECT_THAT(log.takeErrors(), HasSubstr("output type: not supported yet"));
    EXPECT_FALSE(layer->getOutput(0)->setDynamicRange(-1.0F, 1.0F));
    EXPECT_THAT(log.takeErrors(), HasSubstr("dynamic range of a tensor: not supported yet"));
}

TEST_F(Unsupported, InputsOfPlugins) {
    Script script;
    ScriptedV3 v3(script);
    auto* const v2 = new ScriptedV2(script);
    EXPECT_EQ(network->addPluginV3(nullptr, 2, nullptr, 0, v3), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("plugin layer: expected an array of inputs, got 2 inputs and a null"));
    ITensor* const null[] = {nullptr};
    EXPECT_EQ(network->addPluginV2(null, 1, *v2), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("plugin layer: input 0 is null"));
    v2->destroy();
    EXPECT_EQ(script.alive, 1);
}

} // namespace
} // namespace kiln::test
