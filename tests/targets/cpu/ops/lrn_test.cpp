// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/lrn.h"

#include <cmath>
#include <limits>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

/// The result at [index[0], channel, index[2], index[3]].
template <typename Index>
double expectedAt(graph::LRN const& op, Values const& x, Index const& index) {
    int64_t const channel = index[1];
    auto const at = [&](int64_t i) { return x.at({index[0], i, index[2], index[3]}); };
    double sum = 0.0;
    for (int64_t i = 0; i < x.dims.d[1]; ++i) {
        int64_t const begin = channel - (op.window - 1) / 2;
        sum += i >= begin && i - begin < op.window ? std::pow(at(i), 2) : 0.0;
    }
    return at(channel) / std::pow(op.k + op.alpha / static_cast<double>(op.window) * sum, op.beta);
}

void check(DataType type, Dims const& dims, int64_t window) {
    graph::LRN op;
    op.window = window;
    op.alpha = 0.4F;
    op.beta = 0.75F;
    op.k = 1.5F;
    Values const x = randomTensor(type, dims);
    expectAll(op, {x}, [&](auto const& index) { return expectedAt(op, x, index); },
              {1e-7, roundingOf(type) * 1.01 + 2e-6});
}

TEST(LRNKernels, WindowsOfEachSize) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const window : {1, 2, 3, 5, 15, 99}) {
            check(type, makeDims({2, 7, 3, 5}), window);
        }
        check(type, makeDims({1, 3, 20, 31}), 3);
    }
}

TEST(LRNKernels, LargestWindow) {
    check(DataType::kFLOAT, makeDims({1, 4, 3, 3}), std::numeric_limits<int64_t>::max());
}

TEST(LRNKernels, ColumnsRefuseSmallPlanes) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({1, 2, 2, 3}));
    EXPECT_EQ(candidatesFor(graph::LRN(), {x})[0].refusal,
              "expected planes of 8 or more elements, got 6");
}

TEST(LRNKernels, TakeEmptyTensors) {
    for (Dims const& dims : {makeDims({0, 3, 4, 4}), makeDims({2, 0, 4, 4})}) {
        EXPECT_FALSE(runAll(graph::LRN(), {tensorOf(DataType::kFLOAT, dims, {})}).empty());
    }
}

} // namespace
} // namespace kiln::test
