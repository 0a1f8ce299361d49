// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of transformers from C++: downcasts by kind, settings, results of small networks.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;
using testing::HasSubstr;

class TransformerLayers : public testing::Test, protected Session {
protected:
    IAttention& attention(CausalMaskKind causal) {
        ITensor& query = input("q", {1, 1, 2, 2});
        ITensor& key = input("k", {1, 1, 2, 2});
        ITensor& value = input("v", {1, 1, 2, 2});
        return *network->addAttentionV2(query, key, value, AttentionNormalizationOp::kSOFTMAX,
                                        causal);
    }

    std::vector<float> resultOf(IAttention& attention) {
        output(*attention.getOutput(0), "y");
        auto const plan = build();
        EXPECT_NE(plan, nullptr) << log.errors();
        Running running(log, *plan);
        std::vector<float> q = {1.0F, 0.0F, 0.0F, 1.0F};
        std::vector<float> v = {1.0F, 2.0F, 3.0F, 4.0F};
        std::vector<float> y;
        EXPECT_TRUE(running.run({{"q", &q}, {"k", &q}, {"v", &v}, {"y", &y}})) << log.errors();
        return y;
    }
};

TEST_F(TransformerLayers, Attention) {
    std::vector<float> const y = resultOf(attention(CausalMaskKind::kNONE));
    float const first = std::exp(1.0F) / (std::exp(1.0F) + 1.0F); // weight of the query's own key
    float const want[] = {
        1.0F * first + 3.0F * (1.0F - first), 2.0F * first + 4.0F * (1.0F - first),
        1.0F * (1.0F - first) + 3.0F * first, 2.0F * (1.0F - first) + 4.0F * first};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(y.at(i), want[i], 1e-5F);
    }
}

TEST_F(TransformerLayers, CausalAttention) {
    IAttention& own = attention(CausalMaskKind::kNONE);
    EXPECT_FALSE(own.getCausal());
    EXPECT_TRUE(own.setCausal(true));
    EXPECT_EQ(own.getCausalKind(), CausalMaskKind::kUPPER_LEFT);
    std::vector<float> const y = resultOf(own);
    EXPECT_NEAR(y.at(0), 1.0F, 1e-6F); // the first query sees the first key alone
    EXPECT_NEAR(y.at(1), 2.0F, 1e-6F);
}

TEST_F(TransformerLayers, AttentionStandsBetweenTwoLayers) {
    IAttention& own = attention(CausalMaskKind::kNONE);
    EXPECT_TRUE(own.setName("heads"));
    ASSERT_EQ(network->getNbLayers(), 2);
    ILayer* const before = network->getLayer(0);
    ILayer* const behind = network->getLayer(1);
    ASSERT_EQ(before->getType(), LayerType::kATTENTION_INPUT);
    ASSERT_EQ(behind->getType(), LayerType::kATTENTION_OUTPUT);
    EXPECT_EQ(static_cast<IAttentionInputLayer*>(before)->getAttention(), &own);
    EXPECT_EQ(static_cast<IAttentionOutputLayer*>(behind)->getAttention(), &own);
    EXPECT_STREQ(before->getName(), "heads");
    EXPECT_STREQ(own.getName(), "heads");
    EXPECT_EQ(behind->getOutput(0), own.getOutput(0));
    EXPECT_EQ(own.getOutput(1), nullptr);
    EXPECT_EQ(own.getInput(-1), nullptr);
    EXPECT_EQ(own.getMask(), nullptr);
    EXPECT_TRUE(own.setMask(input("mask", {1, 1, 2, 2})));
    EXPECT_EQ(own.getNbInputs(), 4);
    EXPECT_FALSE(own.setCausalKind(static_cast<CausalMaskKind>(9)));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a member of CausalMaskKind, got 9."));
    EXPECT_TRUE(own.setMetadata("note"));
    EXPECT_STREQ(own.getMetadata(), "note");
    EXPECT_FALSE(own.setNbRanks(65));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected 1 to 64 ranks, got 65."));
    EXPECT_TRUE(own.setNbRanks(1));
    EXPECT_TRUE(own.setNbRanks(2));
    EXPECT_EQ(own.getNbRanks(), 2);
    EXPECT_FALSE(before->setNbRanks(1));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected 2 ranks as before, got 1."));
    EXPECT_EQ(before->getNbRanks(), 2);
}

TEST_F(TransformerLayers, ExpertsKeepTheirSettings) {
    ITensor& x = input("x", {1, 2, 4});
    IMoELayer& layer = *network->addMoE(x, input("chosen", {1, 2, 1}, DataType::kINT32),
                                        input("scores", {1, 2, 1}));
    ASSERT_EQ(layer.getType(), LayerType::kMOE);
    layer.setSwigluParams(7.0F, 1.5F, 1.0F);
    EXPECT_EQ(layer.getSwigluParamLimit(), 7.0F);
    layer.setSwigluParamAlpha(std::numeric_limits<float>::infinity());
    EXPECT_THAT(log.takeErrors(), HasSubstr("finite alpha and beta"));
    EXPECT_EQ(layer.getSwigluParamAlpha(), 1.5F);
    layer.setQuantizationBlockShape(Dims{9, {}});
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a block shape of rank 0 to 8, got rank 9."));
    layer.setInput(11, x);
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected a number from 0 to 10, got 11."));
}

TEST_F(TransformerLayers, RotaryEmbeddingAndCollective) {
    ITensor& x = input("x", {1, 1, 2, 4});
    ITensor& table = input("table", {1, 2, 2});
    IRotaryEmbeddingLayer& rotary = *network->addRotaryEmbedding(x, table, table, true, 0);
    EXPECT_TRUE(rotary.getInterleaved());
    EXPECT_FALSE(rotary.setRotaryEmbeddingDim(3));
    EXPECT_THAT(log.takeErrors(), HasSubstr("expected an even number of rotated elements"));
    int64_t ranks[] = {0, 1};
    IDistCollectiveLayer& collective = *network->addDistCollective(
        x, CollectiveOperation::kALL_GATHER, ReduceOperation::kNONE, -1, ranks, 2);
    EXPECT_EQ(collective.getOutput(0)->getDimensions().d[0], 2);
    EXPECT_TRUE(collective.setNbRanks(2));
    EXPECT_EQ(collective.getNbRanks(), 2);
}

} // namespace
} // namespace kiln::test
