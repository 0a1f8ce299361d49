// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/grid_sample.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

/// Zeros outside, and the value between the samples, by the definition.
double between(Values const& x, Values const& grid, std::vector<int64_t> const& index) {
    double place[2];
    for (int64_t i = 0; i < 2; ++i) {
        auto const extent = static_cast<double>(x.dims.d[3 - i]);
        place[i] = ((grid.at({index[0], index[2], index[3], i}) + 1.0) * extent - 1.0) / 2.0;
    }
    double sum = 0.0;
    for (int64_t row = 0; row < x.dims.d[2]; ++row) {
        for (int64_t column = 0; column < x.dims.d[3]; ++column) {
            double const down = 1.0 - std::abs(place[1] - static_cast<double>(row));
            double const across = 1.0 - std::abs(place[0] - static_cast<double>(column));
            if (down > 0.0 && across > 0.0) {
                sum += down * across * x.at({index[0], index[1], row, column});
            }
        }
    }
    return sum;
}

TEST(GridSampleKernels, AllFormats) {
    for (int64_t const channels : {1, 3, 1100}) {
        Values const image = randomTensor(DataType::kFLOAT, makeDims({2, channels, 4, 5}));
        Values const grid = randomTensor(DataType::kFLOAT, makeDims({2, 3, 6, 2}), -1.3, 1.3);
        for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            for (auto const ofGrid : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
                expectAll(
                    graph::GridSample(), {inFormat(format, image), inFormat(ofGrid, grid)},
                    [&](auto const& index) { return between(image, grid, index); }, {2e-5, 1e-5},
                    format);
            }
        }
    }
}

TEST(GridSampleKernels, ElementsOutsideAreNotRead) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Values const image =
        tensorOf(DataType::kFLOAT, makeDims({1, 1, 2, 2}), {kInfinity, 1.0, 2.0, 3.0});
    Values const grid = tensorOf(DataType::kFLOAT, makeDims({1, 1, 2, 2}), {5.0, 5.0, 0.5, 1.2});
    for (KernelRun const& run : runAll(graph::GridSample(), {image, grid})) {
        EXPECT_EQ(run.output.data[0], 0.0) << run.kernel;
        EXPECT_NEAR(run.output.data[1], 3.0 * 0.8, 2.0) << run.kernel;
    }
}

} // namespace
} // namespace kiln::test
