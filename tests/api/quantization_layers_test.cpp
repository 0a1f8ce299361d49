// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The layers that quantize, and types and ranges of weakly typed networks, from C++.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class QuantizationLayers : public testing::Test, protected Session {
protected:
    QuantizationLayers() : x(input("x", {4, 64})), scale(input("scale", {})) {}

    ITensor& x;
    ITensor& scale;
};

TEST_F(QuantizationLayers, QuantizeAndDequantize) {
    IQuantizeLayer* const narrow = network->addQuantize(x, scale);
    EXPECT_EQ(narrow->getType(), LayerType::kQUANTIZE);
    EXPECT_EQ(narrow->getToType(), DataType::kINT8);
    EXPECT_EQ(narrow->getAxis(), -1);
    EXPECT_EQ(narrow->getBlockShape().nbDims, 0);
    narrow->setToType(DataType::kFP8);
    EXPECT_EQ(narrow->getOutput(0)->getType(), DataType::kFP8);
    EXPECT_TRUE(narrow->setBlockShape(Dims{2, {-1, 16}}));
    EXPECT_FALSE(narrow->setBlockShape(Dims{2, {0, 16}}));
    EXPECT_THAT(log.takeErrors(), HasSubstr("block shape: expected extents of a block of 1"));
    EXPECT_EQ(narrow->getBlockShape().d[1], 16);
    narrow->setBlockShape(Dims{0, {}});

    IDequantizeLayer* const wide =
        network->addDequantize(*narrow->getOutput(0), scale, DataType::kHALF);
    EXPECT_EQ(wide->getOutput(0)->getType(), DataType::kHALF);
    EXPECT_EQ(network->addDequantize(*narrow->getOutput(0), scale)->getToType(), DataType::kFLOAT);
    wide->setAxis(1);
    EXPECT_EQ(wide->getAxis(), 1);
    wide->setAxis(-2);
    EXPECT_THAT(log.takeErrors(), HasSubstr("axis: expected an axis of 0 .. 7"));
    EXPECT_EQ(network->addQuantize(x, scale, DataType::kBOOL), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("quantize layer: expected an output type of INT8"));
}

TEST_F(QuantizationLayers, DynamicQuantize) {
    IDynamicQuantizeLayer* const layer =
        network->addDynamicQuantize(x, 1, 16, DataType::kFP4, DataType::kFP8);
    EXPECT_EQ(layer->getNbOutputs(), 2);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kFP4);
    EXPECT_EQ(layer->getOutput(1)->getType(), DataType::kFP8);
    EXPECT_EQ(layer->getOutput(1)->getDimensions().d[1], 4);
    EXPECT_EQ(layer->getAxis(), 1);
    EXPECT_EQ(layer->getBlockSize(), 16);
    layer->setBlockShape(Dims{2, {4, 32}});
    EXPECT_EQ(layer->getAxis(), -1);
    EXPECT_EQ(layer->getBlockSize(), -1);
    EXPECT_EQ(layer->getOutput(1)->getDimensions().d[0], 1);
    EXPECT_EQ(layer->getOutput(1)->getDimensions().d[1], 2);
    layer->setToType(DataType::kFP8);
    layer->setScaleType(DataType::kE8M0);
    EXPECT_EQ(layer->getToType(), DataType::kFP8);
    EXPECT_EQ(layer->getScaleType(), DataType::kE8M0);
    layer->setAxis(0);
    layer->setBlockSize(2);
    EXPECT_EQ(layer->getBlockShape().nbDims, 0);
    EXPECT_EQ(layer->getOutput(1)->getDimensions().d[0], 2);
    EXPECT_NE(network->addDynamicQuantizeV2(x, Dims{2, {1, -1}}, DataType::kFP8, DataType::kFLOAT),
              nullptr);
    EXPECT_EQ(network->addDynamicQuantizeV2(x, Dims{0, {}}, DataType::kFP8, DataType::kFLOAT),
              nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected an axis of 0 .. 7 and a block size"));
}

TEST_F(QuantizationLayers, RangesAreKept) {
    EXPECT_FALSE(x.dynamicRangeIsSet());
    EXPECT_TRUE(x.setDynamicRange(-1.0F, 2.0F));
    EXPECT_TRUE(x.dynamicRangeIsSet());
    EXPECT_EQ(x.getDynamicRangeMin(), -1.0F);
    EXPECT_EQ(x.getDynamicRangeMax(), 2.0F);
    EXPECT_FALSE(x.setDynamicRange(0.0F, std::numeric_limits<float>::infinity()));
    EXPECT_THAT(log.takeErrors(), HasSubstr("[network] tensor 'x', dynamic range: expected"));
    EXPECT_EQ(x.getDynamicRangeMax(), 2.0F);
    x.resetDynamicRange();
    EXPECT_FALSE(x.dynamicRangeIsSet());
    EXPECT_EQ(x.getDynamicRangeMax(), 0.0F);
}

TEST_F(QuantizationLayers, TypesAreKept) {
    IIdentityLayer* const layer = network->addIdentity(x);
    layer->setPrecision(DataType::kHALF);
    EXPECT_TRUE(layer->precisionIsSet());
    EXPECT_EQ(layer->getPrecision(), DataType::kHALF);
    layer->resetPrecision();
    EXPECT_FALSE(layer->precisionIsSet());
    layer->setOutputType(0, DataType::kINT32);
    EXPECT_TRUE(layer->outputTypeIsSet(0));
    EXPECT_EQ(layer->getOutputType(0), DataType::kINT32);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    layer->resetOutputType(0);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kFLOAT);
    layer->setOutputType(1, DataType::kHALF);
    EXPECT_THAT(log.takeErrors(), HasSubstr("output type: expected an output from 0 to 0, got 1"));
    EXPECT_FALSE(layer->outputTypeIsSet(1));
    layer->resetOutputType(7);
}

} // namespace
} // namespace kiln::test
