// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// A scale of channels in front of a convolution.
#include <gmock/gmock.h>

#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ElementWiseOperation;
using testing::HasSubstr;

/// relu(convolution(x * scale)), or scale * x.
graph::Region blockOf(int64_t maps, int64_t window, bool scaleFirst) {
    graph::Region region(3);
    std::vector<int32_t> const factors =
        scaleFirst ? std::vector<int32_t>{1, 0} : std::vector<int32_t>{0, 1};
    int32_t const scaled = region.add(elementwiseOf(ElementWiseOperation::kPROD), factors);
    int32_t const sum = region.add(
        convolutionOf(maps, makeDims({window, window}), makeDims({window / 2, window / 2})),
        {scaled, 2});
    region.setResults({region.add(activationOf(nvinfer1::ActivationType::kRELU), {sum})});
    return region;
}

struct Block {
    Values x, scale, kernel;

    Block(int64_t channels, int64_t maps, int64_t window, int64_t size = 28)
        : x(inFormat(randomTensor(DataType::kFLOAT, makeDims({1, channels, size, size})),
                     TensorFormat::kHWC)),
          scale(inFormat(randomTensor(DataType::kFLOAT, makeDims({1, channels, 1, 1})),
                         TensorFormat::kHWC)),
          kernel(asConstant(randomTensor(DataType::kFLOAT,
                                         makeDims({maps, channels, window, window}), -0.3, 0.3))) {}

    std::vector<double> expected(graph::Region const& region) const {
        Values scaled = x;
        auto const plane = static_cast<std::size_t>(x.dims.d[2] * x.dims.d[3]);
        for (std::size_t i = 0; i < scaled.data.size(); ++i) {
            scaled.data[i] *= scale.data[i / plane];
        }
        auto const& convolution = static_cast<graph::Convolution const&>(*region.nodes()[1].op);
        Values const output = inferredOutput(region, {x, scale, kernel});
        std::vector<double> result = plainConvolution(convolution, scaled, kernel, output.dims);
        for (double& value : result) {
            value = std::max(value, 0.0);
        }
        return result;
    }
};

class ScaledWeights : public Onednn {};

TEST_F(ScaledWeights, GiveTheResultOfAScaledSource) {
    for (bool const scaleFirst : {false, true}) {
        for (auto const& [channels, maps, window] :
             {std::tuple(32, 16, 1), std::tuple(24, 40, 1), std::tuple(1, 3, 3),
              std::tuple(17, 9, 3), std::tuple(144, 24, 1)}) {
            Block const block(channels, maps, window);
            graph::Region const region = blockOf(maps, window, scaleFirst);
            Values const got =
                runOnednn(region, {block.x, block.scale, block.kernel}, TensorFormat::kHWC);
            expectNear(got, block.expected(region), {1e-4, 1e-4});
        }
    }
}

TEST_F(ScaledWeights, AreRefusedWhereTheyCostMore) {
    Block const small(64, 64, 1, 4);
    auto const refusal = [](Block const& block) {
        return onednnFor(blockOf(64, 1, false), {block.x, block.scale, block.kernel},
                         TensorFormat::kHWC)
            .refusal;
    };
    EXPECT_THAT(refusal(small), HasSubstr("2 times as many elements as the weights"));
    Block batch(64, 64, 1);
    batch.x =
        inFormat(randomTensor(DataType::kFLOAT, makeDims({2, 64, 28, 28})), TensorFormat::kHWC);
    EXPECT_THAT(refusal(batch), HasSubstr("scale of each channel of one image"));
    Block open(64, 64, 1);
    open.kernel.constant = false;
    EXPECT_THAT(refusal(open), HasSubstr("constant weights"));
}

} // namespace
} // namespace kiln::test
