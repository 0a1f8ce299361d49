// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IShuffleLayer::setInput(1): the values 0 and -1 keep their meaning at run time.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::ElementsAre;

class ReshapeValues : public testing::Test, protected Session {
protected:
    ReshapeValues()
        : Session(1U << static_cast<uint32_t>(NetworkDefinitionCreationFlag::kSTRONGLY_TYPED)) {}

    void setValues(OptProfileSelector select, std::vector<int64_t> const& values) {
        ASSERT_TRUE(profile().setShapeValuesV2("dims", select, values.data(),
                                               static_cast<int32_t>(values.size())));
    }

    /// Extents of the output for these values; empty if they are refused.
    std::vector<int64_t> outputShape(std::vector<int64_t> const& values) {
        EXPECT_TRUE(
            running->context->setTensorAddress("dims", const_cast<int64_t*>(values.data())));
        if (running->context->inferShapes(0, nullptr) != 0) {
            return {};
        }
        Dims const shape = running->context->getTensorShape("y");
        std::vector<float> x(12);
        std::iota(x.begin(), x.end(), 0.0F);
        std::vector<float> y;
        EXPECT_TRUE(running->run({{"x", &x}, {"y", &y}})) << log.errors();
        EXPECT_EQ(y, x);
        return {shape.d, shape.d + shape.nbDims};
    }

    std::unique_ptr<Running> running;
};

TEST_F(ReshapeValues, ZeroCopiesAndMinusOneFollows) {
    IShuffleLayer& layer = *network->addShuffle(input("x", {2, 6}));
    layer.setInput(1, input("dims", {2}, DataType::kINT64));
    output(*layer.getOutput(0), "y");
    setValues(OptProfileSelector::kMIN, {-1, -1});
    setValues(OptProfileSelector::kOPT, {3, 4});
    setValues(OptProfileSelector::kMAX, {12, 12});
    auto const plan = build();
    ASSERT_NE(plan, nullptr) << log.errors();
    running = std::make_unique<Running>(log, *plan);
    IExecutionContext& context = *running->context;
    EXPECT_TRUE(context.allInputDimensionsSpecified());
    EXPECT_FALSE(context.allInputShapesSpecified()); // no values of "dims" yet
    EXPECT_THAT(outputShape({3, 4}), ElementsAre(3, 4));
    EXPECT_TRUE(context.allInputShapesSpecified());
    EXPECT_THAT(outputShape({0, -1}), ElementsAre(2, 6));
    EXPECT_THAT(outputShape({-1, 3}), ElementsAre(4, 3));
    EXPECT_THAT(outputShape({-1, 0}), ElementsAre(2, 6));
}

// The older functions have 32 bits.
TEST_F(ReshapeValues, ValuesThatNeedMoreBitsAreNotCutOff) {
    IShuffleLayer& layer = *network->addShuffle(input("x", {2, 6}));
    layer.setInput(1, input("dims", {2}, DataType::kINT64));
    output(*layer.getOutput(0), "y");
    setValues(OptProfileSelector::kMIN, {-1, -1});
    setValues(OptProfileSelector::kOPT, {3, 4});
    setValues(OptProfileSelector::kMAX, {12, int64_t{1} << 40});
    EXPECT_EQ(profile().getShapeValues("dims", OptProfileSelector::kMAX), nullptr);
    EXPECT_EQ(profile().getShapeValuesV2("dims", OptProfileSelector::kMAX)[1], int64_t{1} << 40);
    EXPECT_EQ(profile().getShapeValues("dims", OptProfileSelector::kOPT)[1], 4);
    EXPECT_EQ(log.errors(), "");
}

} // namespace
} // namespace kiln::test
