// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What setters of layers that resize, sample and sum keep, replace and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class FeatureMapLayers : public testing::Test, protected Session {
protected:
    FeatureMapLayers() : x(input("x", {2, 3, 4, 5})) {}

    ITensor& x;
};

TEST_F(FeatureMapLayers, ExtentsOfAResizeReplaceEachOther) {
    IResizeLayer& resize = *network->addResize(x);
    EXPECT_EQ(resize.getType(), LayerType::kRESIZE);
    EXPECT_EQ(resize.getOutputDimensions().nbDims, -1);
    EXPECT_EQ(resize.getScales(0, nullptr), -1);
    float const scales[] = {1.0F, 1.0F, 2.0F, 3.0F};
    resize.setScales(scales, 4);
    EXPECT_EQ(resize.getOutput(0)->getDimensions().d[3], 15);
    float got[4] = {};
    EXPECT_EQ(resize.getScales(3, got), 4); // another size: not written
    EXPECT_EQ(got[3], 0.0F);
    EXPECT_EQ(resize.getScales(4, got), 4);
    EXPECT_EQ(got[3], 3.0F);
    resize.setOutputDimensions(dims({2, 3, 8, 9}));
    EXPECT_EQ(resize.getScales(4, got), -1);
    EXPECT_EQ(resize.getOutput(0)->getDimensions().d[3], 9);
    int64_t const extents[] = {2, 3, 7, 6};
    ITensor& tensor =
        *network->addConstant(dims({4}), {DataType::kINT64, extents, 4})->getOutput(0);
    resize.setInput(1, tensor);
    EXPECT_EQ(resize.getOutputDimensions().nbDims, -1);
    EXPECT_EQ(resize.getOutput(0)->getDimensions().d[3], 6);
    resize.setScales(scales, 4);
    EXPECT_EQ(resize.getOutput(0)->getDimensions().d[3], 15);
    EXPECT_EQ(log.takeErrors(), "");
}

TEST_F(FeatureMapLayers, ResizeRefusesInvalidNumbers) {
    IResizeLayer& resize = *network->addResize(x);
    for (int32_t const rank : {-2, 9, 1000}) {
        resize.setOutputDimensions(Dims{rank, {1, 1, 1, 1}});
        EXPECT_NE(log.takeErrors(), "") << rank;
    }
    resize.setScales(nullptr, 4);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("scales: expected one number for each axis, got 4 at a null pointer."));
    resize.setResizeMode(static_cast<InterpolationMode>(9));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a member of InterpolationMode, got 9."));
    EXPECT_EQ(resize.getResizeMode(), InterpolationMode::kNEAREST);
}

TEST_F(FeatureMapLayers, GridSampleRefusesOtherModes) {
    IGridSampleLayer& layer = *network->addGridSample(x, input("grid", {2, 6, 7, 2}));
    EXPECT_EQ(layer.getSampleMode(), SampleMode::kFILL);
    EXPECT_TRUE(layer.setSampleMode(SampleMode::kREFLECT));
    EXPECT_FALSE(layer.setSampleMode(SampleMode::kWRAP));
    EXPECT_EQ(layer.getSampleMode(), SampleMode::kREFLECT);
    EXPECT_THAT(log.takeErrors(), HasSubstr("sample mode: expected sample mode FILL, CLAMP or "));
    EXPECT_EQ(layer.getOutput(0)->getDimensions().d[2], 6);
}

TEST_F(FeatureMapLayers, EinsumKeepsAValidEquation) {
    ITensor* const both[] = {&x, &x};
    IEinsumLayer& layer = *network->addEinsum(both, 2, "abcd,abce->abde");
    EXPECT_FALSE(layer.setEquation("ab->aa"));
    EXPECT_FALSE(layer.setEquation(nullptr));
    EXPECT_STREQ(layer.getEquation(), "abcd,abce->abde");
    EXPECT_TRUE(layer.setEquation("abcd,abcd->ab"));
    EXPECT_EQ(layer.getOutput(0)->getDimensions().nbDims, 2);
    log.takeErrors();
    EXPECT_EQ(network->addEinsum(nullptr, 1, "a"), nullptr);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("expected 1 or more inputs and an equation, got 1 inputs at a null "));
    ITensor* const none[] = {nullptr};
    EXPECT_EQ(network->addEinsum(none, 1, "a"), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("einsum layer: input 0 is null."));
}

TEST_F(FeatureMapLayers, DeconvolutionKeepsItsNumbers) {
    std::vector<float> const numbers(3 * 2 * 9, 1.0F);
    IDeconvolutionLayer& layer = *network->addDeconvolutionNd(
        x, 2, dims({3, 3}), {DataType::kFLOAT, numbers.data(), 54}, {DataType::kFLOAT, nullptr, 0});
    EXPECT_EQ(layer.getType(), LayerType::kDECONVOLUTION);
    layer.setStrideNd(dims({2, 2}));
    layer.setPaddingNd(dims({1, 1}));
    layer.setPostPadding(dims({0, 0}));
    EXPECT_EQ(layer.getOutput(0)->getDimensions().d[2], 8);
    EXPECT_EQ(layer.getNbOutputMaps(), 2);
    EXPECT_EQ(layer.getKernelWeights().count, 54);
    EXPECT_EQ(log.takeErrors(), "");
    layer.setNbGroups(0);
    EXPECT_THAT(log.takeErrors(), HasSubstr("number of groups: expected 1 or more output maps"));
    EXPECT_EQ(layer.getNbGroups(), 1);
}

} // namespace
} // namespace kiln::test
