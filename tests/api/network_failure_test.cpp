// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Networks, profiles and settings that cannot be built: each is refused by name.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class NetworkFailure : public testing::Test, protected Session {
protected:
    void expectBuildError(std::string const& text) {
        EXPECT_EQ(build(), nullptr);
        EXPECT_THAT(log.takeErrors(), HasSubstr(text));
    }
    ITensor& relu(ITensor& tensor) {
        return *network->addActivation(tensor, ActivationType::kRELU)->getOutput(0);
    }
};

TEST_F(NetworkFailure, NoOutputs) {
    network->setName("classifier");
    relu(input("x", {1, 2}));
    expectBuildError("[builder] network 'classifier': expected at least one output, got none.");
}

TEST_F(NetworkFailure, EmptyNetwork) {
    expectBuildError("expected at least one output, got none");
}

TEST_F(NetworkFailure, DynamicInputWithoutAProfile) {
    output(relu(input("x", {-1, 2})), "y");
    expectBuildError("[builder] input 'x' has dynamic shape [-1,2], but the configuration has no "
                     "optimization profile.");
}

TEST_F(NetworkFailure, ProfileThatForgetsAnInput) {
    ITensor& a = input("a", {-1});
    ITensor& b = input("b", {-1});
    output(*network->addElementWise(a, b, ElementWiseOperation::kSUM)->getOutput(0), "y");
    range("a", {1}, {2}, {3});
    expectBuildError("[builder] input 'b' has dynamic shape [-1], but optimization profile 0 gives "
                     "it no min shape.");
}

TEST_F(NetworkFailure, ProfileThatContradictsTheInput) {
    output(relu(input("x", {-1, 2})), "y");
    range("x", {1, 3}, {1, 3}, {1, 3});
    expectBuildError("input 'x', optimization profile 0, min shape: expected a shape that matches "
                     "[-1,2], got [1,3].");
}

TEST_F(NetworkFailure, ProfileOfAnotherRank) {
    output(relu(input("x", {-1, 2})), "y");
    range("x", {1}, {1}, {1});
    expectBuildError("expected rank 2, because the input is declared as [-1,2], got rank 1, [1].");
}

TEST_F(NetworkFailure, MinAboveOptIsTakenWhenSetAndRefusedWhenAdded) {
    EXPECT_TRUE(profile().setDimensions("x", OptProfileSelector::kMIN, dims({5})));
    EXPECT_TRUE(profile().setDimensions("x", OptProfileSelector::kOPT, dims({4})));
    EXPECT_TRUE(profile().setDimensions("x", OptProfileSelector::kMAX, dims({9})));
    EXPECT_EQ(log.errors(), "");
    EXPECT_FALSE(profile().isValid());
    EXPECT_EQ(config->addOptimizationProfile(&profile()), -1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected min <= opt <= max in every dimension"));
    EXPECT_EQ(config->getNbOptimizationProfiles(), 0);
}

TEST_F(NetworkFailure, ProfileArguments) {
    Dims negative = dims({-1});
    EXPECT_FALSE(profile().setDimensions("x", OptProfileSelector::kMIN, negative));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected every extent to be 0 or more, got [-1]"));
    Dims rank{99, {}};
    EXPECT_FALSE(profile().setDimensions("x", OptProfileSelector::kMIN, rank));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected 0 to 8 dimensions, got 99"));
    EXPECT_FALSE(profile().setDimensions(nullptr, OptProfileSelector::kMIN, dims({1})));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected the name of an input, got none"));
    EXPECT_FALSE(profile().setDimensions("x", static_cast<OptProfileSelector>(7), dims({1})));
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("expected MIN, OPT or MAX of OptProfileSelector, got 7"));
    EXPECT_EQ(profile().getDimensions("unknown", OptProfileSelector::kMIN).nbDims, -1);
    EXPECT_EQ(profile().getDimensions(nullptr, OptProfileSelector::kMIN).nbDims, -1);
    EXPECT_EQ(config->addOptimizationProfile(nullptr), -1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("optimization profile: expected one, got null"));
}

TEST_F(NetworkFailure, TwoOutputsOfOneName) {
    ITensor& x = input("x", {2});
    output(relu(x), "y");
    output(relu(x), "y");
    expectBuildError("two network inputs or outputs are named 'y'");
}

TEST_F(NetworkFailure, AnOutputNamedLikeAnInput) {
    output(relu(input("x", {2})), "x");
    expectBuildError("two network inputs or outputs are named 'x'");
}

TEST_F(NetworkFailure, RemovingATensorThatIsInUse) {
    ITensor& x = input("x", {2});
    ITensor& spare = input("spare", {3});
    ILayer* const copy = network->addIdentity(x);
    copy->setName("copy");
    output(*copy->getOutput(0), "y");
    network->removeTensor(x);
    EXPECT_TRUE(log.has("[network] tensor 'x' is an input of layer 'copy' (Identity) and stays "
                        "in the network.",
                        ILogger::Severity::kWARNING));
    network->removeTensor(*copy->getOutput(0));
    EXPECT_TRUE(log.has("tensor 'y' is an output of layer 'copy'", ILogger::Severity::kWARNING));
    EXPECT_EQ(network->getNbInputs(), 2);
    network->removeTensor(spare);
    EXPECT_EQ(network->getNbInputs(), 1);
    EXPECT_EQ(log.takeErrors(), "");
    EXPECT_NE(build(), nullptr) << log.takeErrors();
    EXPECT_EQ(network->addIdentity(spare), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("identity layer: tensor 'spare' was removed"));
    // An input that no layer reads can be removed.
    copy->setInput(0, input("spare", {5}));
    network->removeTensor(x);
    EXPECT_EQ(network->getNbInputs(), 1);
    EXPECT_NE(build(), nullptr) << log.takeErrors();
}

TEST_F(NetworkFailure, InputArguments) {
    EXPECT_EQ(network->addInput(nullptr, DataType::kFLOAT, dims({1})), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[network] input: expected a name, got null"));
    EXPECT_EQ(network->addInput("", DataType::kFLOAT, dims({1})), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[network] input: expected a name, got an empty text"));
    EXPECT_EQ(network->addInput("x", static_cast<DataType>(99), dims({1})), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("unknown element type 99"));
    EXPECT_EQ(network->addInput("x", DataType::kFLOAT, Dims{9, {}}), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected 0 to 8 dimensions, got 9"));
    EXPECT_EQ(network->addInput("x", DataType::kFLOAT, dims({-2})), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("-1 or more, got [-2]"));
    input("x", {1});
    EXPECT_EQ(network->addInput("x", DataType::kFLOAT, dims({1})), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("input 'x': expected a new name, got that of another"));
    EXPECT_EQ(network->getNbInputs(), 1);
}

TEST_F(NetworkFailure, TensorsOfAnotherNetwork) {
    std::unique_ptr<INetworkDefinition> const other(builder->createNetworkV2(0));
    ITensor& foreign = *other->addInput("foreign", DataType::kFLOAT, dims({2}));
    ITensor* const inputs[] = {&foreign};
    EXPECT_EQ(network->addActivation(foreign, ActivationType::kRELU), nullptr);
    EXPECT_THAT(
        log.takeErrors(),
        HasSubstr("[network] activation layer: tensor 'foreign' belongs to another network"));
    network->markOutput(foreign);
    EXPECT_THAT(log.takeErrors(),
                HasSubstr("[network] output: tensor 'foreign' belongs to another"));
    EXPECT_EQ(network->getNbOutputs(), 0);
    ILayer* const layer = network->addIdentity(input("x", {2}));
    layer->setInput(0, foreign);
    EXPECT_THAT(log.takeErrors(), HasSubstr("(Identity): tensor 'foreign' belongs to another"));
    static_cast<void>(inputs);
}

TEST_F(NetworkFailure, LayersGivenBadParameters) {
    ITensor& x = input("x", {1, 1, 4, 4});
    EXPECT_EQ(network->addActivation(x, static_cast<ActivationType>(99)), nullptr);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a member of ActivationType, got 99"));
    Weights const none{DataType::kFLOAT, nullptr, 9};
    IConvolutionLayer* const conv = network->addConvolutionNd(x, 1, dims({3, 3}), none, none);
    if (conv != nullptr) {
        output(*conv->getOutput(0), "y");
        EXPECT_EQ(build(), nullptr);
    }
    EXPECT_THAT(
        log.takeErrors(),
        HasSubstr("kernel weights: expected 9 values (1 maps of [3,3], 1 groups), got none"));
}

TEST_F(NetworkFailure, WeightsOfTheWrongCount) {
    ITensor& x = input("x", {1, 1, 4, 4});
    static float const kernel[8] = {};
    IConvolutionLayer* const conv = network->addConvolutionNd(
        x, 1, dims({3, 3}), {DataType::kFLOAT, kernel, 8}, {DataType::kFLOAT, nullptr, 0});
    conv->setName("conv1");
    output(*conv->getOutput(0), "y");
    expectBuildError("layer 'conv1' (Convolution), kernel weights: expected 9 values");
}

TEST_F(NetworkFailure, ExtentsThatOverflow) {
    int64_t const huge = std::numeric_limits<int64_t>::max() / 2;
    output(relu(input("x", {huge, huge})), "y");
    expectBuildError("expected extents and a format that fit into memory");
}

TEST_F(NetworkFailure, ShapesThatDoNotMatch) {
    ITensor& a = input("a", {2, 3});
    ITensor& b = input("b", {4, 3});
    IElementWiseLayer* const sum = network->addElementWise(a, b, ElementWiseOperation::kSUM);
    sum->setName("sum1");
    EXPECT_EQ(sum->getOutput(0)->getDimensions().nbDims, -1);
    EXPECT_THAT(log.takeErrors(), HasSubstr("[network] layer 'sum1' (ElementWise)"));
    output(*sum->getOutput(0), "y");
    expectBuildError("layer 'sum1'");
}

} // namespace
} // namespace kiln::test
