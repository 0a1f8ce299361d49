// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/resize.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::Resize;
using nvinfer1::InterpolationMode;
using nvinfer1::ResizeCoordinateTransformation;

Resize to(InterpolationMode mode, Dims const& dims) {
    Resize op;
    op.mode = mode;
    op.dims = dims;
    op.transformation = ResizeCoordinateTransformation::kHALF_PIXEL;
    return op;
}

/// The value between the samples of the last two axes, by the definition.
double between(Resize const& op, Values const& x, std::vector<int64_t> const& index) {
    double place[2];
    for (int32_t i = 0; i < 2; ++i) {
        auto const input = static_cast<double>(x.dims.d[2 + i]);
        auto const at = static_cast<double>(index[static_cast<std::size_t>(2 + i)]);
        double const coordinate = (at + 0.5) * input / static_cast<double>(op.dims.d[2 + i]) - 0.5;
        bool const nearest = op.mode == InterpolationMode::kNEAREST;
        place[i] = std::clamp(nearest ? std::floor(coordinate) : coordinate, 0.0, input - 1.0);
    }
    double sum = 0.0;
    for (int64_t row = 0; row < x.dims.d[2]; ++row) {
        for (int64_t column = 0; column < x.dims.d[3]; ++column) {
            double const down = 1.0 - std::abs(place[0] - static_cast<double>(row));
            double const across = 1.0 - std::abs(place[1] - static_cast<double>(column));
            if (down > 0.0 && across > 0.0) {
                sum += down * across * x.at({index[0], index[1], row, column});
            }
        }
    }
    return sum;
}

void check(Dims const& input, Dims const& output) {
    for (auto const mode : {InterpolationMode::kNEAREST, InterpolationMode::kLINEAR}) {
        Resize const op = to(mode, output);
        for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
                Values const x = inFormat(format, randomTensor(type, input));
                expectAll(op, {x}, [&](auto const& index) { return between(op, x, index); },
                          {4e-6, roundingOf(type) * 1.01 + 1e-6});
            }
        }
    }
}

TEST(ResizeKernels, MapsOfBothFormats) {
    check(makeDims({2, 3, 5, 7}), makeDims({2, 3, 11, 4}));
    check(makeDims({1, 5, 4, 4}), makeDims({1, 5, 8, 8}));
    check(makeDims({1, 2, 9, 5}), makeDims({1, 2, 3, 5}));
    check(makeDims({1, 2, 5, 9}), makeDims({1, 2, 5, 20}));
    check(makeDims({2, 1, 3, 3}), makeDims({2, 1, 1, 1}));
    check(makeDims({1, 1100, 2, 3}), makeDims({1, 1100, 3, 5}));
    check(makeDims({1, 1, 3, 40}), makeDims({1, 1, 40, 1100}));
}

TEST(ResizeKernels, KernelsForLinearAndFarAxes) {
    Values const x = randomTensor(DataType::kFLOAT, makeDims({2, 3, 2, 3, 2}));
    auto const namesOf = [&](Dims const& dims) {
        std::vector<std::string> names;
        for (KernelRun const& run : runAll(to(InterpolationMode::kNEAREST, dims), {x})) {
            names.push_back(run.kernel);
        }
        return names;
    };
    EXPECT_EQ(namesOf(makeDims({2, 3, 4, 6, 4})),
              (std::vector<std::string>{"resize_moves", "resize_reference"}));
    EXPECT_EQ(namesOf(makeDims({4, 6, 4, 6, 4})), (std::vector<std::string>{"resize_reference"}));
}

} // namespace
} // namespace kiln::test
