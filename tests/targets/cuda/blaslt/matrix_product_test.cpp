// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/matrix_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::targets::cuda {
namespace {

using nvinfer1::MatrixOperation;
using testing::ElementsAre;

constexpr auto kNone = MatrixOperation::kNONE;
constexpr auto kTranspose = MatrixOperation::kTRANSPOSE;
constexpr auto kVector = MatrixOperation::kVECTOR;

MatrixProduct productOf(MatrixOperation left, MatrixOperation right, Dims const& a, Dims const& b,
                        Dims const& result) {
    graph::MatrixMultiply op;
    op.operation = {left, right};
    return matrixProduct(target::matrixWorkload(op, a, b, result));
}

TEST(MatrixProduct, IsComputedTransposed) {
    MatrixProduct const p =
        productOf(kNone, kNone, makeDims({3, 5}), makeDims({5, 7}), makeDims({3, 7}));
    EXPECT_TRUE(p.swapped);
    EXPECT_EQ(p.a, (BlasMatrix{7, 5, 7, false, 0}));
    EXPECT_EQ(p.b, (BlasMatrix{5, 3, 5, false, 0}));
    EXPECT_EQ(p.c, (BlasMatrix{7, 3, 7, false, 0}));
    EXPECT_EQ(p.batch, 1);
    EXPECT_THAT(p.calls, ElementsAre(BlasOffsets{}));
}

TEST(MatrixProduct, TransposesWhatLiesTheOtherWay) {
    MatrixProduct const p =
        productOf(kTranspose, kTranspose, makeDims({5, 3}), makeDims({7, 5}), makeDims({3, 7}));
    EXPECT_EQ(p.a, (BlasMatrix{5, 7, 5, true, 0}));
    EXPECT_EQ(p.b, (BlasMatrix{3, 5, 3, true, 0}));
}

TEST(MatrixProduct, OfASingleColumnIsComputedAsItIs) {
    MatrixProduct const p =
        productOf(kNone, kVector, makeDims({70, 50}), makeDims({50}), makeDims({70}));
    EXPECT_FALSE(p.swapped);
    EXPECT_EQ(p.a, (BlasMatrix{50, 70, 50, true, 0}));
    EXPECT_EQ(p.b, (BlasMatrix{50, 1, 50, false, 0}));
    EXPECT_EQ(p.c, (BlasMatrix{70, 1, 70, false, 0}));
}

TEST(MatrixProduct, LeadingDimensionsAreLegalWhereExtentsAreOne) {
    for (MatrixOperation const left : {kNone, kTranspose}) {
        for (MatrixOperation const right : {kNone, kTranspose}) {
            for (int64_t const m : {1, 6}) {
                for (int64_t const k : {1, 6}) {
                    for (int64_t const n : {1, 6}) {
                        MatrixProduct const p = productOf(
                            left, right, left == kNone ? makeDims({m, k}) : makeDims({k, m}),
                            right == kNone ? makeDims({k, n}) : makeDims({n, k}), makeDims({m, n}));
                        for (BlasMatrix const& matrix : {p.a, p.b, p.c}) {
                            EXPECT_GE(matrix.leading, matrix.rows);
                        }
                        int64_t const summedOfA = p.a.transposed ? p.a.rows : p.a.columns;
                        int64_t const summedOfB = p.b.transposed ? p.b.columns : p.b.rows;
                        EXPECT_EQ(summedOfA, k);
                        EXPECT_EQ(summedOfB, k);
                        EXPECT_EQ(p.a.transposed ? p.a.columns : p.a.rows, p.c.rows);
                        EXPECT_EQ(p.b.transposed ? p.b.rows : p.b.columns, p.c.columns);
                    }
                }
            }
        }
    }
}

TEST(MatrixProduct, ASharedRightOperandMeansMoreRows) {
    MatrixProduct const p =
        productOf(kNone, kNone, makeDims({4, 6, 8}), makeDims({1, 8, 10}), makeDims({4, 6, 10}));
    EXPECT_EQ(p.batch, 1);
    EXPECT_EQ(p.b, (BlasMatrix{8, 24, 8, false, 0}));
    EXPECT_EQ(p.c, (BlasMatrix{10, 24, 10, false, 0}));
}

TEST(MatrixProduct, BatchesHaveStrides) {
    MatrixProduct const apart = productOf(kTranspose, kNone, makeDims({4, 8, 6}),
                                          makeDims({1, 8, 10}), makeDims({4, 6, 10}));
    EXPECT_EQ(apart.batch, 4);
    EXPECT_EQ(apart.a.batchStride, 0);
    EXPECT_EQ(apart.b.batchStride, 48);
    EXPECT_EQ(apart.c.batchStride, 60);
}

TEST(MatrixProduct, TheLongestLoopIsTheBatchOthersAreCalls) {
    MatrixProduct const p = productOf(kTranspose, kNone, makeDims({2, 1, 8, 6}),
                                      makeDims({1, 3, 8, 10}), makeDims({2, 3, 6, 10}));
    EXPECT_EQ(p.batch, 3);
    EXPECT_EQ(p.a.batchStride, 80);
    EXPECT_EQ(p.b.batchStride, 0);
    EXPECT_EQ(p.c.batchStride, 60);
    EXPECT_THAT(p.calls, ElementsAre(BlasOffsets{}, BlasOffsets{0, 48, 180}));
}

TEST(MatrixProduct, EmptyResultsNeedNoCall) {
    EXPECT_TRUE(productOf(kNone, kNone, makeDims({0, 5}), makeDims({5, 7}), makeDims({0, 7}))
                    .calls.empty());
    MatrixProduct const zeros =
        productOf(kNone, kNone, makeDims({3, 0}), makeDims({0, 7}), makeDims({3, 7}));
    EXPECT_EQ(zeros.inner, 0);
    EXPECT_FALSE(zeros.calls.empty());
}

} // namespace
} // namespace kiln::targets::cuda
