// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/normalization.h"

#include <cmath>
#include <limits>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

/// Layer normalization over the last axis, or RMS normalization.
void checkRows(DataType type, int64_t rows, int64_t width, bool centers = true) {
    graph::Normalization op;
    op.centers = centers;
    op.axes = 2;
    Values const x = randomTensor(type, makeDims({rows, width}), -2.0, 3.0);
    Values const scale = randomTensor(type, makeDims({1, width}));
    Values const bias = randomTensor(type, makeDims({1, width}));
    expectAll(op, {x, scale, bias},
              [&](auto const& index) {
                  double sum = 0.0;
                  double squares = 0.0;
                  for (int64_t i = 0; i < width; ++i) {
                      sum += x.at({index[0], i});
                  }
                  double const mean = centers ? sum / static_cast<double>(width) : 0.0;
                  for (int64_t i = 0; i < width; ++i) {
                      squares += std::pow(x.at({index[0], i}) - mean, 2);
                  }
                  double const variance = squares / static_cast<double>(width);
                  return (x.at({index[0], index[1]}) - mean) / std::sqrt(variance + 1e-5) *
                             scale.at({0, index[1]}) +
                         bias.at({0, index[1]});
              },
              // Mean and variance are sums in float32.
              {4e-6, roundingOf(type) * 1.01 + 2e-6});
}

TEST(NormalizationKernels, RowsOfEachLength) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const width : {1, 2, 15, 16, 17, 100, 1024, 1025, 3000}) {
            checkRows(type, 3, width);
        }
    }
    checkRows(DataType::kFLOAT, 500, 768);
}

TEST(NormalizationKernels, WithoutCentering) {
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const width : {1, 17, 768, 1025}) {
            checkRows(type, 3, width, false);
        }
    }
}

TEST(NormalizationKernels, BothKernelsRun) {
    graph::Normalization op;
    op.axes = 12;
    op.groups = 2;
    Values const factor = randomTensor(DataType::kFLOAT, makeDims({1, 4, 1, 1}));
    auto const runs =
        runAll(op, {randomTensor(DataType::kFLOAT, makeDims({2, 4, 3, 5})), factor, factor});
    ASSERT_EQ(runs.size(), 2U);
    for (std::size_t i = 0; i < runs[0].output.data.size(); ++i) {
        EXPECT_NEAR(runs[0].output.data[i], runs[1].output.data[i], 1e-5);
    }
}

TEST(NormalizationKernels, RowsRefuseOtherAxes) {
    graph::Normalization op;
    op.axes = 2;
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 4}));
    Values const factor = randomTensor(DataType::kFLOAT, makeDims({1, 3, 1}));
    EXPECT_EQ(candidatesFor(op, {x, factor, factor})[0].refusal,
              "expected the last axis to be normalized");
}

TEST(NormalizationKernels, NaNFillsItsRow) {
    graph::Normalization op;
    op.axes = 2;
    double const nan = std::numeric_limits<double>::quiet_NaN();
    Values const x = tensorOf(DataType::kFLOAT, makeDims({2, 2}), {nan, 1.0, 3.0, 3.0});
    Values const one = tensorOf(DataType::kFLOAT, makeDims({1, 1}), {1.0});
    for (KernelRun const& run : runAll(op, {x, one, one})) {
        EXPECT_TRUE(std::isnan(run.output.data[0]) && std::isnan(run.output.data[1])) << run.kernel;
        EXPECT_EQ(run.output.data[2], 1.0) << run.kernel;
    }
}

TEST(NormalizationKernels, TakeEmptyTensors) {
    graph::Normalization op;
    op.axes = 2;
    Values const one = tensorOf(DataType::kFLOAT, makeDims({1, 1}), {1.0});
    EXPECT_FALSE(runAll(op, {tensorOf(DataType::kFLOAT, makeDims({0, 3}), {}), one, one}).empty());
    EXPECT_FALSE(runAll(op, {tensorOf(DataType::kFLOAT, makeDims({3, 0}), {}), one, one}).empty());
}

} // namespace
} // namespace kiln::test
