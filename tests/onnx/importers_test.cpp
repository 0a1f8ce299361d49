// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Which layers the importers make, and what they refuse.

#include "onnx/parser_harness.h"

#include <gmock/gmock.h>

namespace kiln::onnx {
namespace {

using nvinfer1::ActivationType;
using nvinfer1::LayerType;
using nvinfer1::PaddingMode;
using testing::ElementsAre;
using testing::HasSubstr;

using Importers = ParserTest;

TEST_F(Importers, ActivationTakesAlpha) {
    ASSERT_TRUE(parse(ModelWriter(16)
                          .input("x", {-1, 3})
                          .node("LeakyRelu", "act", {"x"}, {"y"}, {floatAttribute("alpha", 0.5F)})
                          .output("y")))
        << error;
    auto& layer = last<nvinfer1::IActivationLayer>();
    EXPECT_EQ(layer.getActivationType(), ActivationType::kLEAKY_RELU);
    EXPECT_FLOAT_EQ(layer.getAlpha(), 0.5F);
    EXPECT_STREQ(layer.getName(), "act");
    EXPECT_STREQ(network->getOutput(0)->getName(), "y");
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3));
}

TEST_F(Importers, ClipBoundsAreInputsFromOpset11) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {2})
                          .initializer<float>("high", {}, {6.0F}, kOnnxFloat)
                          .node("Clip", "clip", {"x", "", "high"}, {"y"})
                          .output("y")))
        << error;
    auto& layer = last<nvinfer1::IActivationLayer>();
    EXPECT_FLOAT_EQ(layer.getBeta(), 6.0F);
    EXPECT_LT(layer.getAlpha(), -1e38F);
}

TEST_F(Importers, ClipWithBoundsThatCrossTakesTheUpper) {
    ASSERT_TRUE(parse(ModelWriter(10)
                          .input("x", {2})
                          .node("Clip", "clip", {"x"}, {"y"},
                                {floatAttribute("min", 2.0F), floatAttribute("max", 1.0F)})
                          .output("y")))
        << error;
    EXPECT_FLOAT_EQ(last<nvinfer1::IActivationLayer>().getAlpha(), 1.0F);
    EXPECT_FLOAT_EQ(last<nvinfer1::IActivationLayer>().getBeta(), 1.0F);
}

TEST_F(Importers, BroadcastPutsOnesInFront) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 3, 4})
                          .input("bias", {-1})
                          .node("Add", "add", {"x", "bias"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kSHUFFLE, LayerType::kELEMENTWISE));
    EXPECT_EQ(outputShape().size(), 3U);
}

TEST_F(Importers, BroadcastOfAConstantNeedsNoLayer) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 3, 4})
                          .weights("bias", {4})
                          .node("Add", "add", {"x", "bias"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kELEMENTWISE));
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3, 4));
}

TEST_F(Importers, VariadicMaxCombinesFromTheLeft) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("a", {2, 3})
                          .input("b", {3})
                          .input("c", {1, 3})
                          .node("Max", "max", {"a", "b", "c"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(2, 3));
}

TEST_F(Importers, ConvolutionReadsItsAttributes) {
    ASSERT_TRUE(
        parse(ModelWriter(16)
                  .input("x", {-1, 4, 8, 8})
                  .weights("w", {6, 2, 3, 3})
                  .weights("b", {6})
                  .node("Conv", "conv1", {"x", "w", "b"}, {"y"},
                        {intAttribute("group", 2), intsAttribute("pads", {1, 0, 2, 1}),
                         intsAttribute("strides", {2, 1}), intsAttribute("dilations", {1, 2})})
                  .output("y")))
        << error;
    auto& layer = last<nvinfer1::IConvolutionLayer>();
    EXPECT_EQ(layer.getNbGroups(), 2);
    EXPECT_EQ(layer.getNbOutputMaps(), 6);
    EXPECT_EQ(layer.getPostPadding().d[0], 2);
    EXPECT_EQ(layer.getDilationNd().d[1], 2);
    // Height: (8 + 1 + 2 - 3) / 2 + 1; width: 8 + 0 + 1 - 5 + 1.
    EXPECT_THAT(outputShape(), ElementsAre(-1, 6, 5, 5));
}

TEST_F(Importers, ConvolutionPadsByItself) {
    ASSERT_TRUE(
        parse(ModelWriter(16)
                  .input("x", {1, 1, 8, 8})
                  .weights("w", {1, 1, 3, 3})
                  .node("Conv", "c", {"x", "w"}, {"y"}, {stringAttribute("auto_pad", "SAME_UPPER")})
                  .output("y")))
        << error;
    EXPECT_EQ(last<nvinfer1::IConvolutionLayer>().getPaddingMode(), PaddingMode::kSAME_UPPER);
    EXPECT_THAT(outputShape(), ElementsAre(1, 1, 8, 8));
}

TEST_F(Importers, ConvolutionTakesComputedWeights) {
    ASSERT_TRUE(parse(ModelWriter(16)
                          .input("x", {1, 1, 8, 8})
                          .input("w", {2, 1, 3, 3})
                          .input("b", {2})
                          .node("Conv", "conv1", {"x", "w", "b"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_EQ(last<nvinfer1::IConvolutionLayer>().getNbInputs(), 3);
    EXPECT_THAT(outputShape(), ElementsAre(1, 2, 6, 6));
}

TEST_F(Importers, ConvolutionRefusesWeightsOfUnknownExtents) {
    EXPECT_FALSE(parse(ModelWriter(16)
                           .input("x", {1, 1, 8, 8})
                           .input("w", {-1, 1, 3, 3})
                           .node("Conv", "conv1", {"x", "w"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("input 1 (weights): expected known extents, got"));
}

TEST_F(Importers, ConvolutionRefusesWrongChannels) {
    EXPECT_FALSE(parse(ModelWriter(16)
                           .input("x", {1, 2, 8, 8})
                           .weights("w", {1, 1, 3, 3})
                           .node("Conv", "conv1", {"x", "w"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("got 2 channels, 1 maps and group 1"));
}

TEST_F(Importers, PoolingRoundsUp) {
    ASSERT_TRUE(
        parse(ModelWriter(16)
                  .input("x", {1, 1, 5, 5})
                  .node("AveragePool", "p", {"x"}, {"y"},
                        {intsAttribute("kernel_shape", {2, 2}), intsAttribute("strides", {2, 2}),
                         intAttribute("ceil_mode", 1), intAttribute("count_include_pad", 1)})
                  .output("y")))
        << error;
    auto& layer = last<nvinfer1::IPoolingLayer>();
    EXPECT_EQ(layer.getPaddingMode(), PaddingMode::kEXPLICIT_ROUND_UP);
    EXPECT_FALSE(layer.getAverageCountExcludesPadding());
    EXPECT_THAT(outputShape(), ElementsAre(1, 1, 3, 3));
}

// The last window would start in the padding, so ONNX drops it.
TEST_F(Importers, PoolingDropsWindowsOfPaddingAlone) {
    ASSERT_TRUE(
        parse(ModelWriter(16)
                  .input("x", {1, 1, 2, 3})
                  .node("MaxPool", "p", {"x"}, {"y"},
                        {intsAttribute("kernel_shape", {1, 2}), intsAttribute("strides", {2, 2}),
                         intsAttribute("pads", {0, 0, 0, 1}), intAttribute("ceil_mode", 1)})
                  .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(1, 1, 1, 2));
}

TEST_F(Importers, PoolingRoundsUpUnknownExtents) {
    auto const model = [](std::vector<int64_t> const& kernel) {
        return ModelWriter(16)
            .input("x", {1, 1, -1, -1})
            .node("MaxPool", "p", {"x"}, {"y"},
                  {intsAttribute("kernel_shape", kernel), intsAttribute("strides", {2, 2}),
                   intAttribute("ceil_mode", 1)})
            .output("y");
    };
    EXPECT_TRUE(parse(model({2, 3}))) << error;
    EXPECT_EQ(last<nvinfer1::IPoolingLayer>().getPaddingMode(), PaddingMode::kEXPLICIT_ROUND_UP);
    startOver();
    EXPECT_TRUE(parse(model({1, 3}))) << error; // by gathering: the layer's mode does not fit
    EXPECT_THAT(outputShape(), ElementsAre(1, 1, -1, -1));
}

TEST_F(Importers, PoolingHasIndices) {
    ASSERT_TRUE(parse(
        ModelWriter(16)
            .input("x", {1, 1, 5, 5})
            .node("MaxPool", "p", {"x"}, {"y", "indices"}, {intsAttribute("kernel_shape", {2, 2})})
            .output("indices")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(1, 1, 4, 4));
}

TEST_F(Importers, GlobalPoolingCoversTheImage) {
    ASSERT_TRUE(parse(ModelWriter(16)
                          .input("x", {-1, 2, 5, 7})
                          .node("GlobalAveragePool", "p", {"x"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 2, 1, 1));
}

TEST_F(Importers, FlattenKeepsTheBatch) {
    ASSERT_TRUE(parse(
        ModelWriter(16).input("x", {-1, 2, 3, 4}).node("Flatten", "f", {"x"}, {"y"}).output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 24));
}

TEST_F(Importers, ReshapeCopiesAndInfers) {
    ASSERT_TRUE(parse(ModelWriter(16)
                          .input("x", {-1, 2, 3, 4})
                          .integers("shape", {0, 6, -1})
                          .node("Reshape", "r", {"x", "shape"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 6, 4));
}

TEST_F(Importers, ReshapeRefusesTwoInferredExtents) {
    EXPECT_FALSE(parse(ModelWriter(16)
                           .input("x", {2, 3})
                           .integers("shape", {-1, -1})
                           .node("Reshape", "r", {"x", "shape"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("one -1 at most, got [-1, -1]"));
}

TEST_F(Importers, UnsqueezeWithSeveralUnknownExtents) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {-1, 3, -1})
                          .integers("axes", {0, 2})
                          .node("Unsqueeze", "u", {"x", "axes"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(1, -1, 1, 3, -1));
}

TEST_F(Importers, SqueezeByAttributeBeforeOpset13) {
    ASSERT_TRUE(parse(ModelWriter(11)
                          .input("x", {1, 3, 1, -1})
                          .node("Squeeze", "s", {"x"}, {"y"}, {intsAttribute("axes", {-2, 0})})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(3, -1));
}

TEST_F(Importers, SqueezeRefusesALongAxis) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {1, 3})
                           .integers("axes", {1})
                           .node("Squeeze", "s", {"x", "axes"}, {"y"})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("axis 1: expected extent 1, got 3 in [1, 3]"));
}

TEST_F(Importers, TransposeReversesByDefault) {
    ASSERT_TRUE(parse(
        ModelWriter(13).input("x", {2, 3, 4}).node("Transpose", "t", {"x"}, {"y"}).output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(4, 3, 2));
}

TEST_F(Importers, SoftmaxFrom13TakesOneAxis) {
    ASSERT_TRUE(
        parse(ModelWriter(13).input("x", {2, 3, 4}).node("Softmax", "s", {"x"}, {"y"}).output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kSOFTMAX));
    EXPECT_EQ(last<nvinfer1::ISoftMaxLayer>().getAxes(), 4U);
}

TEST_F(Importers, SoftmaxBefore13Flattens) {
    ASSERT_TRUE(parse(
        ModelWriter(11).input("x", {-1, 3, 4}).node("Softmax", "s", {"x"}, {"y"}).output("y")))
        << error;
    EXPECT_THAT(layerTypes(),
                ElementsAre(LayerType::kSHUFFLE, LayerType::kSOFTMAX, LayerType::kSHUFFLE));
    EXPECT_THAT(outputShape(), ElementsAre(-1, 3, 4));
}

TEST_F(Importers, MatMulOfAVector) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {5, 2, 3})
                          .input("v", {3})
                          .node("MatMul", "m", {"x", "v"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(5, 2));
}

TEST_F(Importers, GemmScalesAndAdds) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("a", {3, -1})
                          .weights("b", {4, 3})
                          .weights("c", {4})
                          .node("Gemm", "g", {"a", "b", "c"}, {"y"},
                                {intAttribute("transA", 1), intAttribute("transB", 1),
                                 floatAttribute("alpha", 2.0F), floatAttribute("beta", 0.5F)})
                          .output("y")))
        << error;
    EXPECT_THAT(outputShape(), ElementsAre(-1, 4));
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kMATRIX_MULTIPLY, LayerType::kELEMENTWISE,
                                          LayerType::kELEMENTWISE, LayerType::kELEMENTWISE));
}

TEST_F(Importers, ConstantsStayConstant) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {1, 1, 4, 4})
                          .weights("w", {1, 1, 3, 3})
                          .node("Identity", "shared", {"w"}, {"w2"})
                          .node("Conv", "conv", {"x", "w2"}, {"y"})
                          .output("y")))
        << error;
    EXPECT_THAT(layerTypes(), ElementsAre(LayerType::kCONVOLUTION));
}

TEST_F(Importers, CastRefusesTypesThatNetworksLack) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("Cast", "c", {"x"}, {"y"}, {intAttribute("to", kOnnxString)})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("node 'c' (Cast): attribute 'to': expected a type that a network "
                                 "has, got STRING"));
}

TEST_F(Importers, UnknownAttributeIsLogged) {
    ASSERT_TRUE(parse(ModelWriter(13)
                          .input("x", {2})
                          .node("Relu", "r", {"x"}, {"y"}, {intAttribute("spare", 1)})
                          .output("y")))
        << error;
    EXPECT_THAT(logger.all, HasSubstr("attribute 'spare' is not known and has no effect"));
}

TEST_F(Importers, AttributeOfAnotherTypeIsRefused) {
    EXPECT_FALSE(parse(ModelWriter(13)
                           .input("x", {2})
                           .node("LeakyRelu", "r", {"x"}, {"y"}, {intAttribute("alpha", 1)})
                           .output("y")));
    EXPECT_THAT(error, HasSubstr("attribute 'alpha': expected type FLOAT, got INT."));
}

} // namespace
} // namespace kiln::onnx
