// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/dense_order.h"

#include <gtest/gtest.h>

#include "graph/ops/elementwise.h"

namespace kiln::targets::cuda {
namespace {

TEST(DenseOrder, ChannelsGoLast) {
    EXPECT_TRUE(sameDims(inMemoryOrder(makeDims({2, 3, 4, 5}), TensorFormat::kHWC),
                         makeDims({2, 4, 5, 3})));
    EXPECT_TRUE(sameDims(inMemoryOrder(makeDims({2, 3, 4, 5, 6}), TensorFormat::kDHWC),
                         makeDims({2, 4, 5, 6, 3})));
    EXPECT_TRUE(sameDims(inMemoryOrder(makeDims({2, 3, 4, 5}), TensorFormat::kLINEAR),
                         makeDims({2, 3, 4, 5})));
    EXPECT_TRUE(sameDims(inMemoryOrder(makeDims({7}), TensorFormat::kHWC), makeDims({7})));
}

TEST(DenseOrder, OperandsShareIt) {
    graph::ElementWise const op;
    Dims const dims = makeDims({1, 2, 3, 4});
    target::OperandSpec linear;
    linear.min = linear.opt = linear.max = dims;
    target::OperandSpec last = linear;
    last.type.format = TensorFormat::kHWC;
    auto const refusal = [&](target::OperandSpec const& one, target::OperandSpec const& other) {
        target::OperandSpec const inputs[] = {one, other};
        return refuseMixedOrders({op, "layer", inputs, {&one, 1}});
    };
    EXPECT_EQ(refusal(linear, linear), "");
    EXPECT_EQ(refusal(last, last), "");
    EXPECT_EQ(refusal(linear, last),
              "expected one memory format for all operands, got linear and hwc");
    last.type.format = TensorFormat::kCHW4;
    EXPECT_EQ(refusal(last, last), "expected a dense memory format, got chw4");
}

} // namespace
} // namespace kiln::targets::cuda
