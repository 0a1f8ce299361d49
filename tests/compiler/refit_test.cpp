// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engine::rebind() by the names of weights, on plans that the compiler made.
#include <gmock/gmock.h>

#include "compiler/gpu_present_fixture.h"
#include "compiler/refit_story.h"

namespace kiln::test {
namespace {

using testing::HasSubstr;

TEST(Refit, AConvolutionWithAFoldedNormalization) {
    refitsLikeABuild("cpu", normalizedConvolution, convolutionWeights(0.3F),
                     convolutionWeights(0.7F));
}

TEST(Refit, AConvolutionThatIsAlsoCast) {
    refitsLikeABuild("cpu", castConvolution, castWeights(0.3F), castWeights(0.7F));
}

TEST(Refit, ConstantsSideBySide) {
    refitsLikeABuild("cpu", sharedConstants, sharedWeights(0.3F), sharedWeights(0.7F));
}

class CudaRefit : public PresentGpuTest {};

TEST_F(CudaRefit, AConvolutionWithAFoldedNormalization) {
    refitsLikeABuild("cuda", normalizedConvolution, convolutionWeights(0.3F),
                     convolutionWeights(0.7F));
}

TEST_F(CudaRefit, AConvolutionThatIsAlsoCast) {
    refitsLikeABuild("cuda", castConvolution, castWeights(0.3F), castWeights(0.7F));
}

TEST_F(CudaRefit, ConstantsSideBySide) {
    refitsLikeABuild("cuda", sharedConstants, sharedWeights(0.3F), sharedWeights(0.7F));
}

/// An engine of the convolution, and what it answers to new weights.
class RefitMessages : public testing::Test {
protected:
    std::string refusal(bool refit, runtime::NewWeights const& weights) {
        WeightSet const before = convolutionWeights(0.3F);
        RefitEngine engine("cpu", normalizedConvolution, before, cache_, refit);
        Bytes const y = engine.run();
        std::string text =
            errorOf(ErrorKind::kInvalidArgument, [&] { engine.rebind(std::vector{weights}); });
        EXPECT_EQ(engine.run(), y);
        return text;
    }

    Floats const kernel = waves(std::size_t{48} * 48 * 9, 0.7F);

private:
    compiler::TimingCache cache_{"cpu"};
};

TEST_F(RefitMessages, UnknownNames) {
    EXPECT_THAT(refusal(true, {"conv1/kernel", DataType::kFLOAT, bytesOf(kernel)}),
                HasSubstr("[engine] weights 'conv1/kernel': expected weights that the engine was "
                          "built with, such as 'conv/kernel"));
}

TEST_F(RefitMessages, WrongSizes) {
    EXPECT_EQ(refusal(true, {"conv/kernel", DataType::kFLOAT, bytesOf(kernel).first(8)}),
              "[engine] weights 'conv/kernel': expected 82944 bytes of float32, got 8 of float32. "
              "Give all elements, in the type of the network.");
}

TEST_F(RefitMessages, WrongTypes) {
    EXPECT_THAT(refusal(true, {"conv/kernel", DataType::kINT32, bytesOf(kernel)}),
                HasSubstr("expected 82944 bytes of float32, got 82944 of int32"));
}

TEST_F(RefitMessages, FoldedWeightsInAnEngineThatIsNotForRefit) {
    EXPECT_THAT(refusal(false, {"conv/kernel", DataType::kFLOAT, bytesOf(kernel)}),
                HasSubstr("got some that constant 'conv/kernel' was computed from. Build the "
                          "engine for refit."));
}

TEST(Refit, WithoutRecipesWeightsThatAreConstantsAsTheyAreChange) {
    auto const make = [](NamedNetwork& own) -> graph::Tensor& {
        graph::Tensor& x = own.network.addInput("x", DataType::kFLOAT, makeDims({4, 128}));
        return own.product(x, own.constant("w", makeDims({128, 128})));
    };
    WeightSet const before{{"w/value", waves(std::size_t{128} * 128, 0.3F)}};
    WeightSet const after{{"w/value", waves(std::size_t{128} * 128, 0.7F)}};
    compiler::TimingCache cache("cpu");
    RefitEngine engine("cpu", make, before, cache, false);
    EXPECT_TRUE(engine.document().weights.empty());
    engine.rebind(after);
    RefitEngine fresh("cpu", make, after, cache, false);
    EXPECT_EQ(engine.constants(), fresh.constants());
    EXPECT_EQ(engine.run(), fresh.run());
}

TEST(Refit, SourcesAreInThePlanOnlyWhereConstantsNeedThemBesideOthers) {
    auto const stored = [](plan::Document const& document) {
        std::vector<std::string> names;
        for (plan::WeightRecord const& weight : document.weights) {
            if (weight.op.empty() && !weight.data.empty()) {
                names.push_back(weight.name);
            }
        }
        return names;
    };
    compiler::TimingCache cache("cpu");
    RefitEngine folded("cpu", normalizedConvolution, convolutionWeights(0.3F), cache);
    EXPECT_THAT(stored(folded.document()), testing::IsSupersetOf({"conv/kernel", "scale/value"}));
    auto const cast = [](NamedNetwork& own) -> graph::Tensor& {
        graph::Tensor& x = own.network.addInput("x", DataType::kHALF, makeDims({4, 128}));
        return own.product(x, own.cast(own.constant("w", makeDims({128, 128})), DataType::kHALF));
    };
    WeightSet const weights{{"w/value", waves(std::size_t{128} * 128, 0.3F)}};
    RefitEngine alone("cpu", cast, weights, cache);
    EXPECT_TRUE(stored(alone.document()).empty());
    EXPECT_LT(alone.planBytes(), std::size_t{128} * 128 * 2 + 8192); // no float32 elements
}

} // namespace
} // namespace kiln::test
