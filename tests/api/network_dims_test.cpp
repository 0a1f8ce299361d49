// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Invalid ranks and axes in every network call that takes them: each is refused, and nothing is
// written out of bounds.
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

class NetworkDims : public testing::Test, protected Session {
protected:
    NetworkDims() : x(input("x", {2, 3, 4, 5})) {}

    static std::vector<int32_t> ranks() {
        return {-2,
                9,
                10,
                1000,
                std::numeric_limits<int32_t>::min(),
                std::numeric_limits<int32_t>::max()};
    }

    /// Makes the call with each invalid rank; each must log an error.
    void expectRefused(char const* name, std::function<void(Dims const&)> const& call) {
        for (int32_t const rank : ranks()) {
            Dims dims{rank, {1, 1, 1, 1, 1, 1, 1, 1}};
            call(dims);
            EXPECT_NE(log.takeErrors(), "") << name << " with rank " << rank;
        }
    }

    ITensor& x;
};

TEST_F(NetworkDims, NewLayersAndInputs) {
    float const one = 1.0F;
    Weights const weights{DataType::kFLOAT, &one, 1};
    Dims const two = dims({1, 1});
    expectRefused("addInput",
                  [&](Dims const& d) { network->addInput("other", DataType::kFLOAT, d); });
    expectRefused("addConstant", [&](Dims const& d) { network->addConstant(d, weights); });
    expectRefused("addSlice start", [&](Dims const& d) { network->addSlice(x, d, two, two); });
    expectRefused("addSlice size", [&](Dims const& d) { network->addSlice(x, two, d, two); });
    expectRefused("addSlice stride", [&](Dims const& d) { network->addSlice(x, two, two, d); });
    expectRefused("addConvolutionNd", [&](Dims const& d) {
        network->addConvolutionNd(x, 1, d, weights, Weights{DataType::kFLOAT, nullptr, 0});
    });
    expectRefused("addPoolingNd",
                  [&](Dims const& d) { network->addPoolingNd(x, PoolingType::kMAX, d); });
    expectRefused("addFill", [&](Dims const& d) {
        network->addFill(d, FillOperation::kLINSPACE, DataType::kFLOAT);
    });
    EXPECT_EQ(network->getNbLayers(), 0);
}

TEST_F(NetworkDims, SettersOfLayers) {
    Dims const four = dims({1, 1, 1, 1});
    ISliceLayer& slice = *network->addSlice(x, dims({0, 0, 0, 0}), four, four);
    expectRefused("setStart", [&](Dims const& d) { slice.setStart(d); });
    expectRefused("setSize", [&](Dims const& d) { slice.setSize(d); });
    expectRefused("setStride", [&](Dims const& d) { slice.setStride(d); });
    expectRefused("setAxes", [&](Dims const& d) { slice.setAxes(d); });
    EXPECT_EQ(slice.getOutput(0)->getDimensions().nbDims, 4);
    IShuffleLayer& shuffle = *network->addShuffle(x);
    expectRefused("setReshapeDimensions", [&](Dims const& d) { shuffle.setReshapeDimensions(d); });
    IPoolingLayer& pooling = *network->addPoolingNd(x, PoolingType::kMAX, dims({2, 2}));
    expectRefused("setWindowSizeNd", [&](Dims const& d) { pooling.setWindowSizeNd(d); });
    expectRefused("setStrideNd", [&](Dims const& d) { pooling.setStrideNd(d); });
    expectRefused("setPaddingNd", [&](Dims const& d) { pooling.setPaddingNd(d); });
    expectRefused("setPrePadding", [&](Dims const& d) { pooling.setPrePadding(d); });
    expectRefused("setPostPadding", [&](Dims const& d) { pooling.setPostPadding(d); });
    std::vector<float> const numbers(12, 1.0F);
    IConvolutionLayer& convolution = *network->addConvolutionNd(
        x, 1, dims({2, 2}), {DataType::kFLOAT, numbers.data(), 12}, {DataType::kFLOAT, nullptr, 0});
    expectRefused("setKernelSizeNd", [&](Dims const& d) { convolution.setKernelSizeNd(d); });
    expectRefused("setDilationNd", [&](Dims const& d) { convolution.setDilationNd(d); });
    IConstantLayer& constant =
        *network->addConstant(dims({12}), {DataType::kFLOAT, numbers.data(), 12});
    expectRefused("constant", [&](Dims const& d) { constant.setDimensions(d); });
    IFillLayer& fill = *network->addFill(dims({2}), FillOperation::kLINSPACE, DataType::kFLOAT);
    expectRefused("fill", [&](Dims const& d) { fill.setDimensions(d); });
    expectRefused("input", [&](Dims const& d) { x.setDimensions(d); });
    expectRefused("profile", [&](Dims const& d) {
        profile().setDimensions("x", OptProfileSelector::kMIN, d);
    });
}

TEST_F(NetworkDims, AxesOfASlice) {
    for (std::vector<int64_t> const& axes :
         {std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, -4}, std::vector<int64_t>{4},
          std::vector<int64_t>{-5}, std::vector<int64_t>{int64_t{1} << 32},
          std::vector<int64_t>{std::numeric_limits<int64_t>::min()},
          std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3}}) {
        Dims ones = dims(std::vector<int64_t>(axes.size(), 1));
        Dims zeros = dims(std::vector<int64_t>(axes.size(), 0));
        ISliceLayer& slice = *network->addSlice(x, zeros, ones, ones);
        slice.setAxes(dims(axes));
        EXPECT_EQ(slice.getOutput(0)->getDimensions().nbDims, -1);
        EXPECT_NE(log.takeErrors(), "");
        slice.setAxes(dims({0, 1, 2, 3, 0, 1, 2, 3})); // 8 axes for an input of rank 4
        slice.getOutput(0)->getDimensions();
        slice.setAxes(Dims{-1, {}});
        slice.setStart(dims({0, 0, 0, 0}));
        slice.setSize(dims({1, 1, 1, 1}));
        slice.setStride(dims({1, 1, 1, 1}));
        log.takeErrors();
        EXPECT_EQ(slice.getOutput(0)->getDimensions().nbDims, 4) << log.errors();
    }
}

TEST_F(NetworkDims, NumbersOfAxes) {
    for (int32_t const axis :
         {-1, 4, 8, 64, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
        ITensor* const both[] = {&x, &x};
        IConcatenationLayer& joined = *network->addConcatenation(both, 2);
        joined.setAxis(axis);
        joined.getOutput(0)->getDimensions();
        EXPECT_NE(log.takeErrors(), "") << "setAxis " << axis;
        joined.setAxis(0);
        ITensor& indices =
            *network->addInput(("i" + std::to_string(axis)).c_str(), DataType::kINT32, dims({1}));
        if (IGatherLayer* const gather = network->addGather(x, indices, axis)) {
            gather->getOutput(0)->getDimensions();
            gather->setGatherAxis(0);
        }
        EXPECT_NE(log.takeErrors(), "") << "addGather " << axis;
        IGatherLayer& tuples = *network->addGatherV2(x, indices, GatherMode::kND);
        tuples.setNbElementWiseDims(axis);
        tuples.getOutput(0)->getDimensions();
        EXPECT_NE(log.takeErrors(), "") << "setNbElementWiseDims " << axis;
        tuples.setNbElementWiseDims(0);
        IShuffleLayer& shuffle = *network->addShuffle(x);
        shuffle.setFirstTranspose(Permutation{{0, 1, 2, axis}});
        shuffle.getOutput(0)->getDimensions();
        EXPECT_NE(log.takeErrors(), "") << "setFirstTranspose " << axis;
        shuffle.setFirstTranspose(Permutation{{0, 1, 2, 3}});
        shuffle.setSecondTranspose(Permutation{{axis, 1, 2, 3}});
        shuffle.getOutput(0)->getDimensions();
        EXPECT_NE(log.takeErrors(), "") << "setSecondTranspose " << axis;
        shuffle.setSecondTranspose(Permutation{{0, 1, 2, 3}});
    }
    for (uint32_t const mask : {0U, 16U, 1U << 31, 3U, ~0U}) {
        ISoftMaxLayer& softmax = *network->addSoftMax(x);
        softmax.setAxes(mask);
        softmax.getOutput(0)->getDimensions();
        EXPECT_NE(log.takeErrors(), "") << "softmax " << mask;
        softmax.setAxes(1);
        if (mask == 3U) {
            continue; // reductions take two axes
        }
        if (IReduceLayer* const reduce = network->addReduce(x, ReduceOperation::kSUM, mask, true)) {
            reduce->getOutput(0)->getDimensions();
            reduce->setReduceAxes(1);
        }
        EXPECT_NE(log.takeErrors(), "") << "reduce " << mask;
    }
}

} // namespace
} // namespace kiln::test
