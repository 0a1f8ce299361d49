// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/pooling.h"

#include <cmath>
#include <limits>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Pooling;
using nvinfer1::PaddingMode;
using nvinfer1::PoolingType;

/// Pools one window by the definition.
double window(Pooling const& op, Values const& x, std::vector<int64_t> const& index,
              Dims const& output) {
    double largest = -std::numeric_limits<double>::infinity();
    double sum = 0.0;
    int64_t inside = 0;
    int64_t padded = 0;
    auto const vertical = op.window.padding(0, x.dims.d[2], output.d[2]);
    auto const horizontal = op.window.padding(1, x.dims.d[3], output.d[3]);
    for (int64_t dy = 0; dy < op.window.size.d[0]; ++dy) {
        for (int64_t dx = 0; dx < op.window.size.d[1]; ++dx) {
            int64_t const row = index[2] * op.window.stride.d[0] - vertical.before + dy;
            int64_t const column = index[3] * op.window.stride.d[1] - horizontal.before + dx;
            if (row < x.dims.d[2] + vertical.after && column < x.dims.d[3] + horizontal.after) {
                ++padded;
            }
            if (row < 0 || row >= x.dims.d[2] || column < 0 || column >= x.dims.d[3]) {
                continue;
            }
            double const value = x.at({index[0], index[1], row, column});
            largest = std::fmax(largest, value);
            sum += value;
            ++inside;
        }
    }
    int64_t const count = op.averageCountExcludesPadding ? inside : padded;
    double const mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
    switch (op.type) {
    case PoolingType::kMAX: return largest;
    case PoolingType::kAVERAGE: return mean;
    case PoolingType::kMAX_AVERAGE_BLEND:
        return (1.0 - op.blendFactor) * largest + op.blendFactor * mean;
    }
    return std::nan("");
}

void check(Pooling op, Dims const& input, TensorFormat format) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        Values const x = inFormat(format, randomTensor(type, input));
        for (auto const how :
             {PoolingType::kMAX, PoolingType::kAVERAGE, PoolingType::kMAX_AVERAGE_BLEND}) {
            for (bool const excludes : {true, false}) {
                op.type = how;
                op.averageCountExcludesPadding = excludes;
                Dims const output = inferredOutput(op, {x}).dims;
                expectAll(op, {x}, [&](auto const& i) { return window(op, x, i, output); },
                          {1e-6, roundingOf(type) * 1.01 + 1e-6});
            }
        }
    }
}

void check(Pooling const& op, Dims const& input) {
    check(op, input, TensorFormat::kLINEAR);
    check(op, input, TensorFormat::kHWC);
}

Pooling poolingOf(Dims const& size, Dims const& stride) {
    Pooling op;
    op.window.size = size;
    op.window.stride = stride;
    op.blendFactor = 0.25F;
    return op;
}

TEST(PoolingKernels, WindowsAndStrides) {
    check(poolingOf(makeDims({2, 2}), makeDims({2, 2})), makeDims({2, 3, 8, 6}));
    check(poolingOf(makeDims({3, 2}), makeDims({1, 2})), makeDims({1, 2, 7, 9}));
    check(poolingOf(makeDims({7, 7}), makeDims({7, 7})), makeDims({1, 4, 7, 7}));
    check(poolingOf(makeDims({1, 1}), makeDims({3, 3})), makeDims({1, 1, 7, 7}));
    check(poolingOf(makeDims({2, 2}), makeDims({2, 2})), makeDims({0, 3, 8, 6}));
    check(poolingOf(makeDims({3, 3}), makeDims({2, 2})), makeDims({4, 17, 31, 29}));
    check(poolingOf(makeDims({2, 2}), makeDims({1, 3})), makeDims({1, 600, 3, 9}));
    // Windows that leave out columns at the end.
    check(poolingOf(makeDims({2, 1}), makeDims({2, 5})), makeDims({1, 2, 6, 9}));
    // Several bands of a plane.
    check(poolingOf(makeDims({3, 3}), makeDims({1, 1})), makeDims({1, 2, 90, 110}));
    check(poolingOf(makeDims({3, 3}), makeDims({2, 2})), makeDims({1, 2, 91, 111}));
    // Beyond the buffers of the fast kernels for linear tensors.
    check(poolingOf(makeDims({1, 3}), makeDims({1, 1})), makeDims({1, 1, 2, 4100}));
    check(poolingOf(makeDims({2, 3}), makeDims({1, 1})), makeDims({1, 1, 2, 4100}));
}

TEST(PoolingKernels, ExplicitPadding) {
    Pooling op = poolingOf(makeDims({3, 3}), makeDims({2, 2}));
    op.window.prePadding = makeDims({1, 0});
    op.window.postPadding = makeDims({2, 1});
    check(op, makeDims({1, 2, 8, 7}));
    op.window.paddingMode = PaddingMode::kEXPLICIT_ROUND_UP;
    check(op, makeDims({1, 2, 8, 7}));
}

TEST(PoolingKernels, ComputedPadding) {
    Pooling op = poolingOf(makeDims({3, 4}), makeDims({2, 3}));
    for (auto const mode : {PaddingMode::kSAME_UPPER, PaddingMode::kSAME_LOWER}) {
        op.window.paddingMode = mode;
        check(op, makeDims({1, 2, 8, 7}));
        check(op, makeDims({1, 2, 1, 1}));
    }
}

TEST(PoolingKernels, RoundingUpMayLeaveTheInput) {
    // The last window starts at 4, in the padding after an input of 4.
    Pooling op = poolingOf(makeDims({2, 1}), makeDims({2, 1}));
    op.window.postPadding = makeDims({1, 0});
    op.window.paddingMode = PaddingMode::kEXPLICIT_ROUND_UP;
    op.type = PoolingType::kAVERAGE;
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1, 1, 4, 1}), {1, 3, 5, 7});
    EXPECT_EQ(runAll(op, {x}).back().output.data, (std::vector<double>{2, 6, 0}));
}

} // namespace
} // namespace kiln::test
