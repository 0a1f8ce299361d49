// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/nest.h"

#include <gtest/gtest.h>

namespace kiln::target {
namespace {

TEST(Nest, EqualShapesAreOneLoop) {
    Dims const dims = makeDims({2, 3, 4});
    Nest<2> const nest = broadcastNest<2>(dims, {dims, dims}, 3);
    EXPECT_EQ(nest.inner(), 24);
    EXPECT_EQ(nest.rows(), 1);
    EXPECT_EQ(nest.innerStride(0), 1);
}

TEST(Nest, RepeatedAxesHaveStrideZero) {
    Nest<2> const nest =
        broadcastNest<2>(makeDims({2, 3, 4}), {makeDims({2, 3, 4}), makeDims({1, 3, 1})}, 3);
    EXPECT_EQ(nest.inner(), 4);
    EXPECT_EQ(nest.innerStride(1), 0);
    EXPECT_EQ(nest.rows(), 6);
    EXPECT_EQ(nest.rank(), 3);
    EXPECT_EQ(nest.extent(1), 3);
    EXPECT_EQ(nest.stride(1, 0), 4);
    EXPECT_EQ(nest.stride(1, 1), 1);
    EXPECT_EQ(nest.atRow(4), (Nest<2>::Offsets{16, 1}));
    EXPECT_EQ(nest.atElement(23), (Nest<2>::Offsets{23, 2}));
}

TEST(Nest, ScalarsAndEmptyTensors) {
    Nest<1> scalar;
    EXPECT_EQ(scalar.inner(), 1);
    EXPECT_EQ(scalar.rows(), 1);
    Nest<1> empty;
    empty.add(0, {1});
    EXPECT_EQ(empty.rows(), 0);
    EXPECT_EQ(empty.count(), 0);
}

TEST(Nest, DenseStrides) {
    auto const strides = denseStrides(makeDims({2, 3, 4}));
    EXPECT_EQ(strides[0], 12);
    EXPECT_EQ(strides[1], 4);
    EXPECT_EQ(strides[2], 1);
}

} // namespace
} // namespace kiln::target
