// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_weights.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "graph/ops/dequantize.h"

namespace kiln::targets::cuda {
namespace {

using ::kiln::test::errorOf;
using testing::HasSubstr;

/// Two dequantizations and the anchor between them.
graph::Region regionOf(std::unique_ptr<graph::Op> anchor) {
    graph::Region region(4);
    int32_t const left = region.add(std::make_unique<graph::Dequantize>(), {0, 1});
    int32_t const right = region.add(std::make_unique<graph::Dequantize>(), {2, 3});
    region.setResults({region.add(std::move(anchor), {left, right})});
    return region;
}

graph::Region productRegion(nvinfer1::MatrixOperation right) {
    auto op = std::make_unique<graph::MatrixMultiply>();
    op->operation[1] = right;
    return regionOf(std::move(op));
}

Bytes counted(int count) {
    Bytes bytes;
    for (int i = 1; i <= count; ++i) {
        bytes.push_back(static_cast<std::byte>(i));
    }
    return bytes;
}

int at(Bytes const& bytes, std::size_t place) {
    return static_cast<int>(bytes.at(place));
}

TEST(QuantizedWeights, ColumnsOfAMatrixComeFirst) {
    graph::Region const region = productRegion(nvinfer1::MatrixOperation::kNONE);
    QuantizedRegion const quantized(region);
    ASSERT_EQ(quantized.problem(), "");
    Bytes const packed = packWeights(quantized, counted(6), makeDims({1, 3, 2}));
    ASSERT_EQ(packed.size(), 32U); // 16 terms for each column
    EXPECT_EQ(at(packed, 0), 1);
    EXPECT_EQ(at(packed, 1), 3);
    EXPECT_EQ(at(packed, 2), 5);
    EXPECT_EQ(at(packed, 3), 0);
    EXPECT_EQ(at(packed, 16), 2);
}

TEST(QuantizedWeights, TransposedMatricesAreInOrder) {
    graph::Region const region = productRegion(nvinfer1::MatrixOperation::kTRANSPOSE);
    QuantizedRegion const quantized(region);
    EXPECT_TRUE(isOrdered(quantized, makeDims({3, 16})));
    EXPECT_FALSE(isOrdered(quantized, makeDims({3, 17})));
    EXPECT_FALSE(isOneMatrix(quantized, makeDims({2, 3, 16})));
}

TEST(QuantizedWeights, TapsOfAWindowFollowEachOther) {
    auto op = std::make_unique<graph::Convolution>();
    op->maps = 2;
    op->window.size = makeDims({1, 2});
    graph::Region const region = regionOf(std::move(op));
    QuantizedRegion const quantized(region);
    ASSERT_EQ(quantized.problem(), "");
    // [2 maps, 3 channels, 1 x 2]
    Bytes const packed = packWeights(quantized, counted(12), makeDims({2, 3, 1, 2}));
    ASSERT_EQ(packed.size(), 64U);
    EXPECT_EQ(at(packed, 0), 1);
    EXPECT_EQ(at(packed, 1), 3);
    EXPECT_EQ(at(packed, 16), 2);
    EXPECT_EQ(at(packed, 32), 7);
}

TEST(QuantizedWeights, OtherBytesAreRefused) {
    graph::Region const region = productRegion(nvinfer1::MatrixOperation::kNONE);
    QuantizedRegion const quantized(region);
    EXPECT_THAT(errorOf(ErrorKind::kCorruptData,
                        [&] { packWeights(quantized, counted(5), makeDims({3, 2})); }),
                HasSubstr("[plan] quantized weights: expected 6 bytes, got 5."));
    EXPECT_THAT(
        errorOf(ErrorKind::kCorruptData, [&] { weightOrder(quantized, makeDims({2, 3, 2})); }),
        HasSubstr("expected one matrix, got"));
}

TEST(QuantizedRegion, SaysWhatItIsNot) {
    graph::Region region(2);
    region.setResults({region.add(std::make_unique<graph::MatrixMultiply>(), {0, 1})});
    EXPECT_THAT(QuantizedRegion(region).problem(), HasSubstr("expected two dequantizations"));
    EXPECT_THAT(QuantizedRegion(region, QuantizedRegion::Sources::kWeights).problem(),
                HasSubstr("expected a dequantization without zero points"));
    auto vector = std::make_unique<graph::MatrixMultiply>();
    vector->operation[0] = nvinfer1::MatrixOperation::kVECTOR;
    graph::Region const vectors = regionOf(std::move(vector));
    EXPECT_EQ(QuantizedRegion(vectors).problem(), "expected a product of matrices");
}

} // namespace
} // namespace kiln::targets::cuda
