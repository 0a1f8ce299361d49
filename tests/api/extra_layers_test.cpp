// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layers beyond those of the API, from C++.
#include <kiln/extra_layers.h>

#include <cmath>
#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

using Floats = std::vector<float>;

class ExtraLayers : public testing::Test, protected Session {
protected:
    ITensor& constant(std::vector<int64_t> const& extents, std::vector<int32_t> const& values) {
        numbers_.push_back(values); // the network reads them when it is built
        Weights const weights{DataType::kINT32, numbers_.back().data(), std::ssize(values)};
        return *network->addConstant(dims(extents), weights)->getOutput(0);
    }

    /// As float, which the tests read.
    ITensor& asFloat(ITensor& tensor) {
        return *network->addCast(tensor, DataType::kFLOAT)->getOutput(0);
    }

    Floats resultOf(ITensor& tensor, std::map<std::string, Floats> inputs) {
        output(tensor, "y");
        auto const plan = build();
        EXPECT_NE(plan, nullptr) << log.errors();
        if (plan == nullptr) {
            return {};
        }
        Running running(log, *plan);
        Floats y;
        std::map<std::string, Floats*> tensors{{"y", &y}};
        for (auto& [name, values] : inputs) {
            tensors[name] = &values;
        }
        EXPECT_TRUE(running.run(tensors)) << log.errors();
        return y;
    }

private:
    std::list<std::vector<int32_t>> numbers_;
};

TEST_F(ExtraLayers, RoiAlignAveragesTheSamplesOfBins) {
    ITensor& images = input("x", {1, 1, 2, 4});
    ITensor& boxes = input("boxes", {1, 4});
    RoiAlignParams params;
    params.width = 2;
    params.samplingRatio = 2;
    ILayer* const layer = addRoiAlign(*network, images, boxes, constant({1}, {0}), params);
    ASSERT_NE(layer, nullptr) << log.errors();
    EXPECT_EQ(layer->getType(), LayerType::kPLUGIN);
    // The samples of the left bin are the four elements on the left.
    Floats const y =
        resultOf(*layer->getOutput(0), {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"boxes", {0, 0, 4, 2}}});
    EXPECT_THAT(y, Pointwise(FloatNear(1e-5F), Floats{3.5F, 5.5F}));
}

TEST_F(ExtraLayers, RoiAlignTakesTheLargestOfBins) {
    RoiAlignParams params;
    params.height = 2;
    params.pooling = RoiPooling::kBINS;
    ITensor& images = input("x", {1, 1, 2, 4});
    ITensor& boxes = input("boxes", {1, 4});
    ILayer* const layer = addRoiAlign(*network, images, boxes, constant({1}, {0}), params);
    Floats const y =
        resultOf(*layer->getOutput(0), {{"x", {1, 2, 3, 4, 5, 6, 7, 8}}, {"boxes", {1, 0, 2, 1}}});
    EXPECT_THAT(y, ElementsAre(3.0F, 7.0F));
}

TEST_F(ExtraLayers, ScatterAddsAllUpdates) {
    ITensor& data = input("x", {3});
    ITensor& updates = input("u", {4});
    IScatterLayer* const layer =
        network->addScatter(data, constant({4, 1}, {0, 2, 0, 0}), updates, ScatterMode::kND);
    EXPECT_TRUE(setScatterReduction(*layer, ScatterReduction::kSUM));
    EXPECT_FALSE(setScatterReduction(*layer, static_cast<ScatterReduction>(9)));
    EXPECT_THAT(log.takeErrors(), HasSubstr("9"));
    EXPECT_THAT(resultOf(*layer->getOutput(0), {{"x", {1, 2, 3}}, {"u", {10, 20, 30, 40}}}),
                ElementsAre(81.0F, 2.0F, 23.0F));
}

TEST_F(ExtraLayers, UniqueNumbersElements) {
    ILayer* const layer = addUnique(*network, input("x", {5}), true, -1);
    ASSERT_NE(layer, nullptr) << log.errors();
    ASSERT_EQ(layer->getNbOutputs(), 4);
    EXPECT_EQ(layer->getOutput(0)->getDimensions().d[0], -1);
    EXPECT_EQ(layer->getOutput(2)->getType(), DataType::kINT64);
    EXPECT_THAT(resultOf(asFloat(*layer->getOutput(2)), {{"x", {5, -1, 5, 3, -1}}}),
                ElementsAre(2.0F, 0.0F, 2.0F, 1.0F, 0.0F));
}

TEST_F(ExtraLayers, UniqueInTheOrderOfOccurrence) {
    ILayer* const layer = addUnique(*network, input("x", {5}), false, 0);
    EXPECT_THAT(resultOf(asFloat(*layer->getOutput(2)), {{"x", {5, -1, 5, 3, -1}}}),
                ElementsAre(0.0F, 1.0F, 0.0F, 2.0F, 1.0F));
}

TEST_F(ExtraLayers, Determinant) {
    ILayer* const layer = addDeterminant(*network, input("x", {2, 2, 2}));
    EXPECT_THAT(resultOf(*layer->getOutput(0), {{"x", {1, 2, 3, 4, 2, 0, 0, 3}}}),
                Pointwise(FloatNear(1e-5F), Floats{-2.0F, 6.0F}));
}

TEST_F(ExtraLayers, BitCast) {
    ILayer* const layer = addBitCast(*network, input("x", {2}), DataType::kINT32);
    EXPECT_EQ(layer->getOutput(0)->getType(), DataType::kINT32);
    EXPECT_THAT(resultOf(asFloat(*layer->getOutput(0)), {{"x", {1.0F, 0.0F}}}),
                ElementsAre(1065353216.0F, 0.0F));
}

TEST_F(ExtraLayers, DoubleMath) {
    ILayer* const wide =
        addDoubleMath(*network, input("x", {3}), nullptr, DoubleOperation::kFROM_FLOAT);
    ITensor& x = *wide->getOutput(0);
    ITensor& root = *addDoubleMath(*network, x, nullptr, DoubleOperation::kSQRT)->getOutput(0);
    ITensor& square = *addDoubleMath(*network, root, &root, DoubleOperation::kPROD)->getOutput(0);
    ITensor& rest = *addDoubleMath(*network, square, &x, DoubleOperation::kSUB)->getOutput(0);
    ITensor& y = *addDoubleMath(*network, rest, nullptr, DoubleOperation::kTO_FLOAT)->getOutput(0);
    auto const error = [](double number) {
        return static_cast<float>(std::sqrt(number) * std::sqrt(number) - number);
    };
    EXPECT_NE(error(2), 0.0F); // in float32, it would be about 1e-7
    EXPECT_THAT(resultOf(y, {{"x", {2.0F, 3.0F, 4.0F}}}),
                ElementsAre(error(2), error(3), error(4)));
}

TEST_F(ExtraLayers, WrongParametersAndOperands) {
    ITensor& x = input("x", {2, 3});
    EXPECT_EQ(addUnique(*network, x, true, -2), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected an axis from -1 to 7, got -2."));
    RoiAlignParams params;
    params.pooling = static_cast<RoiPooling>(7);
    EXPECT_EQ(addRoiAlign(*network, x, x, x, params), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("7"));
    EXPECT_EQ(addDoubleMath(*network, x, nullptr, static_cast<DoubleOperation>(-1)), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a member of DoubleOperation, got -1."));
    output(*addDeterminant(*network, x)->getOutput(0), "y");
    EXPECT_EQ(build(), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected square matrices in the last two axes"));
}

} // namespace
} // namespace kiln::test
