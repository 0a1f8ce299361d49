// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the tests of ops/convolution do not cover: channels-last tensors, 1-D and 3-D, weights in
// oneDNN's order.
#include "targets/cpu/onednn/onednn_fixture.h"

namespace kiln::test {
namespace {

using testing::Test;

class OnednnConvolution : public Onednn {};

/// Kernels and inputs below are small enough for float32 sums of a few hundred products.
Tolerance toleranceOf(DataType type) {
    return {type == DataType::kFLOAT ? 1e-4 : 2e-3, roundingOf(type) * 1.01 + 1e-6};
}

void check(graph::Convolution const& op, Dims const& input, TensorFormat format,
           std::vector<DataType> const& types = typesOfProcessor()) {
    for (DataType const type : types) {
        Values const x = inFormat(randomTensor(type, input), format);
        Dims kernelDims{2 + op.window.size.nbDims, {op.maps, input.d[1] / op.groups}};
        std::copy_n(op.window.size.d, op.window.size.nbDims, kernelDims.d + 2);
        Values const kernel = asConstant(randomTensor(type, kernelDims, -0.5, 0.5));
        Dims const output = inferredOutput(op, {x, kernel}).dims;
        SCOPED_TRACE(toText(input) + " " + std::string(nameOf(type)));
        expectNear(runOnednn(op, {x, kernel}, format), plainConvolution(op, x, kernel, output),
                   toleranceOf(type));
    }
}

TEST_F(OnednnConvolution, ChannelsLast) {
    TensorFormat const format = TensorFormat::kHWC;
    check(*convolutionOf(32, makeDims({1, 1}), makeDims({0, 0})), makeDims({2, 16, 7, 9}), format);
    check(*convolutionOf(33, makeDims({3, 3}), makeDims({1, 1})), makeDims({1, 17, 6, 5}), format);
    check(*convolutionOf(64, makeDims({3, 3}), makeDims({1, 1})), makeDims({1, 64, 8, 8}), format);
    auto strided = convolutionOf(16, makeDims({7, 7}), makeDims({3, 3}));
    strided->window.stride = makeDims({2, 2});
    check(*strided, makeDims({1, 3, 20, 22}), format);
    auto dilated = convolutionOf(16, makeDims({3, 3}), makeDims({2, 2}));
    dilated->window.dilation = makeDims({2, 2});
    check(*dilated, makeDims({1, 16, 9, 9}), format);
}

TEST_F(OnednnConvolution, ChannelsLastInGroups) {
    check(*convolutionOf(32, makeDims({3, 3}), makeDims({1, 1}), 32), makeDims({2, 32, 7, 9}),
          TensorFormat::kHWC);
    check(*convolutionOf(32, makeDims({3, 3}), makeDims({1, 1}), 2), makeDims({1, 32, 7, 9}),
          TensorFormat::kHWC);
}

TEST_F(OnednnConvolution, OneAndThreeSpatialAxes) {
    for (DataType const type : typesOfProcessor()) {
        check(*convolutionOf(16, makeDims({3}), makeDims({1})), makeDims({2, 16, 30}),
              TensorFormat::kLINEAR, {type});
        for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kDHWC}) {
            check(*convolutionOf(16, makeDims({3, 1, 3}), makeDims({1, 0, 1})),
                  makeDims({1, 16, 5, 6, 7}), format, {type});
        }
    }
}

TEST_F(OnednnConvolution, Float16WhereTheProcessorHasIt) {
    auto const op = convolutionOf(32, makeDims({3, 3}), makeDims({1, 1}));
    Values const x =
        inFormat(randomTensor(DataType::kHALF, makeDims({1, 32, 7, 9})), TensorFormat::kHWC);
    Values const kernel = asConstant(randomTensor(DataType::kHALF, makeDims({32, 32, 3, 3})));
    target::Candidate const candidate = onednnFor(*op, {x, kernel}, TensorFormat::kHWC);
    if (!candidate.offered()) { // a processor without it
        EXPECT_THAT(candidate.refusal, testing::HasSubstr("oneDNN, describe a kernel"));
        return;
    }
    check(*op, x.dims, TensorFormat::kHWC, {DataType::kHALF});
}

TEST_F(OnednnConvolution, OperandsOfTwoFormatsAreRefused) {
    auto const op = convolutionOf(16, makeDims({1, 1}), makeDims({0, 0}));
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 16, 4, 4}));
    Values const kernel = asConstant(randomTensor(DataType::kFLOAT, makeDims({16, 16, 1, 1})));
    EXPECT_EQ(onednnFor(*op, {x, kernel}, TensorFormat::kHWC).refusal,
              "expected format hwc of input 0, as the output has, got linear");
    EXPECT_EQ(onednnFor(*op, {inFormat(x, TensorFormat::kHWC), kernel}).refusal,
              "expected format linear of input 0, as the output has, got hwc");
    EXPECT_EQ(onednnFor(*op,
                        {inFormat(x, TensorFormat::kHWC), inFormat(kernel, TensorFormat::kHWC)},
                        TensorFormat::kHWC)
                  .refusal,
              "expected format linear of input 1, as the output has, got hwc");
    EXPECT_EQ(onednnFor(*op, {x, kernel}, TensorFormat::kCHW16).refusal,
              "expected a linear or channels-last output, got chw16");
}

} // namespace
} // namespace kiln::test
