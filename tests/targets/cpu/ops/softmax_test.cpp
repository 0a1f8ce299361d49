// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/softmax.h"

#include <cmath>
#include <limits>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

void check(Values const& x, uint32_t axes, int32_t axis) {
    graph::SoftMax op;
    op.axes = axes;
    int64_t inner = 1;
    for (int32_t i = axis + 1; i < x.dims.nbDims; ++i) {
        inner *= x.dims.d[i];
    }
    int64_t const extent = x.dims.d[axis];
    expectAll(op, {x},
              [&](auto const& index) {
                  int64_t offset = 0; // of the element with index 0 along the axis
                  for (int32_t i = 0; i < x.dims.nbDims; ++i) {
                      int64_t const at = i == axis ? 0 : index[std::size_t(i)];
                      offset = offset * x.dims.d[i] + at;
                  }
                  auto const value = [&](int64_t i) {
                      return x.data[std::size_t(offset + i * inner)];
                  };
                  double largest = value(0);
                  for (int64_t i = 1; i < extent; ++i) {
                      largest = std::fmax(largest, value(i));
                  }
                  double sum = 0.0;
                  for (int64_t i = 0; i < extent; ++i) {
                      sum += std::exp(value(i) - largest);
                  }
                  return std::exp(value(index[std::size_t(axis)]) - largest) / sum;
              },
              // Rounding errors of a float sum grow with the number of terms.
              {1e-7, roundingOf(x.type) * 1.01 + 2e-6});
}

TEST(SoftMaxKernels, EachAxisWithChannelsLast) {
    for (DataType const type : {DataType::kFLOAT, DataType::kBF16}) {
        for (int32_t axis = 0; axis < 4; ++axis) {
            Values const x = randomTensor(type, makeDims({2, 9, 5, 17}), -4.0, 4.0);
            check(inFormat(TensorFormat::kHWC, x), 1U << axis, axis);
        }
    }
}

TEST(SoftMaxKernels, ManyColumns) {
    check(randomTensor(DataType::kFLOAT, makeDims({2, 21, 700}), -4.0, 4.0), 2U, 1);
    check(randomTensor(DataType::kHALF, makeDims({2, 21, 700}), -4.0, 4.0), 2U, 1);
}

TEST(SoftMaxKernels, EachAxis) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        for (int32_t axis = 0; axis < 4; ++axis) {
            check(randomTensor(type, makeDims({2, 3, 5, 7}), -4.0, 4.0), 1U << axis, axis);
        }
        check(randomTensor(type, makeDims({9}), -4.0, 4.0), 1U, 0);
        check(randomTensor(type, makeDims({4, 1}), -4.0, 4.0), 2U, 1);
        check(randomTensor(type, makeDims({3, 1000}), -4.0, 4.0), 2U, 1);
        check(randomTensor(type, makeDims({257, 65}), -4.0, 4.0), 2U, 1);
    }
}

TEST(SoftMaxKernels, DefaultAxisIsTheThirdFromTheEnd) {
    check(randomTensor(DataType::kFLOAT, makeDims({2, 3, 5, 7})), 0, 1);
    check(randomTensor(DataType::kFLOAT, makeDims({2, 3, 4})), 0, 0);
    check(randomTensor(DataType::kFLOAT, makeDims({6, 3})), 0, 0);
}

TEST(SoftMaxKernels, LargeValuesDoNotOverflow) {
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1, 3}), {1000.0, 1000.0, -1000.0});
    check(x, 2U, 1);
}

TEST(SoftMaxKernels, InfinitiesAreZeroAndOne) {
    double const inf = std::numeric_limits<double>::infinity();
    Values const x = tensorOf(DataType::kFLOAT, makeDims({1, 3}), {-inf, 2.0, -inf});
    graph::SoftMax op;
    op.axes = 2;
    for (KernelRun const& run : runAll(op, {x})) {
        EXPECT_EQ(run.output.data, (std::vector<double>{0, 1, 0})) << run.kernel;
    }
}

TEST(SoftMaxKernels, RowsGiveNoSubnormalNumbers) {
    // Masks of -100 are common. A product with subnormal numbers takes ten times as long.
    std::vector<double> values(64, -100.0);
    values[0] = 0.0;
    graph::SoftMax op;
    op.axes = 2;
    for (KernelRun const& run :
         runAll(op, {tensorOf(DataType::kFLOAT, makeDims({1, 64}), values)})) {
        if (run.kernel == "softmax_reference") {
            continue; // exact, and not chosen for rows
        }
        for (double const value : run.output.data) {
            EXPECT_TRUE(value == 0.0 || value >= std::numeric_limits<float>::min()) << run.kernel;
        }
    }
}

TEST(SoftMaxKernels, RowsRefuseOtherAxesAndLongHalfRows) {
    graph::SoftMax op;
    op.axes = 1;
    EXPECT_EQ(candidatesFor(op, {randomTensor(DataType::kFLOAT, makeDims({2, 3}))})[0].refusal,
              "expected the last axis");
    EXPECT_EQ(candidatesFor(op, {randomTensor(DataType::kHALF, makeDims({20000}))})[0].refusal,
              "expected 16-bit rows of at most 16384 elements, got 20000");
}

TEST(SoftMaxKernels, TakeEmptyTensors) {
    graph::SoftMax op;
    op.axes = 2;
    EXPECT_FALSE(runAll(op, {tensorOf(DataType::kFLOAT, makeDims({0, 3}), {})}).empty());
    EXPECT_FALSE(runAll(op, {tensorOf(DataType::kFLOAT, makeDims({3, 0}), {})}).empty());
}

} // namespace
} // namespace kiln::test
