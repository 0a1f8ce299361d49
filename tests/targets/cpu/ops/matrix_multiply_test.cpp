// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/matrix_multiply.h"

#include <cmath>

#include "targets/cpu/kernel_fixture.h"

namespace kiln::test {
namespace {

using graph::MatrixMultiply;
using nvinfer1::MatrixOperation;

constexpr auto kNone = MatrixOperation::kNONE;
constexpr auto kTranspose = MatrixOperation::kTRANSPOSE;
constexpr auto kVector = MatrixOperation::kVECTOR;

MatrixMultiply opOf(MatrixOperation left, MatrixOperation right) {
    MatrixMultiply op;
    op.operation = {left, right};
    return op;
}

/// An element of a matrix or vector operand; batch axes of extent 1 are broadcast.
double element(Values const& values, MatrixOperation how, std::vector<int64_t> const& batch,
               int64_t row, int64_t column, int64_t summed) {
    int64_t offset = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        int64_t const extent = values.dims.d[i];
        offset = offset * extent + (extent == 1 ? 0 : batch[i]);
    }
    Dims const& dims = values.dims;
    if (how == kVector) {
        return values.data[std::size_t(offset * dims.d[dims.nbDims - 1] + summed)];
    }
    int64_t const first = how == kTranspose ? column : row;
    int64_t const second = how == kTranspose ? row : column;
    offset = (offset * dims.d[dims.nbDims - 2] + first) * dims.d[dims.nbDims - 1] + second;
    return values.data[std::size_t(offset)];
}

void check(MatrixMultiply const& op, Values const& left, Values const& right) {
    bool const leftVector = op.operation[0] == kVector;
    bool const rightVector = op.operation[1] == kVector;
    int64_t const inner = left.dims.d[op.axes(0, left.dims.nbDims).summed];
    // Each product and each sum rounds once in float, at a magnitude of up to 4 * inner.
    double const sums = 4.0 * static_cast<double>(inner) * static_cast<double>(inner) * 0x1p-24;
    expectAll(op, {left, right},
              [&](std::vector<int64_t> index) {
                  int64_t const column = rightVector ? 0 : index.back();
                  index.resize(index.size() - (rightVector ? 0 : 1));
                  int64_t const row = leftVector ? 0 : index.back();
                  index.resize(index.size() - (leftVector ? 0 : 1));
                  double sum = 0.0;
                  for (int64_t k = 0; k < inner; ++k) {
                      sum += element(left, op.operation[0], index, row, k, k) *
                             element(right, op.operation[1], index, k, column, k);
                  }
                  return sum;
              },
              {std::fmin(sums, 1e-4) + 1e-6, roundingOf(left.type) * 1.01 + 1e-6});
}

class MatrixMultiplyKernels : public testing::TestWithParam<DataType> {
protected:
    Values random(std::initializer_list<int64_t> dims) const {
        return randomTensor(GetParam(), makeDims(dims));
    }
};

TEST_P(MatrixMultiplyKernels, EveryPairOfOperations) {
    check(opOf(kNone, kNone), random({3, 5}), random({5, 7}));
    check(opOf(kTranspose, kNone), random({5, 3}), random({5, 7}));
    check(opOf(kNone, kTranspose), random({3, 5}), random({7, 5}));
    check(opOf(kTranspose, kTranspose), random({5, 3}), random({7, 5}));
    check(opOf(kVector, kNone), random({5}), random({5, 7}));
    check(opOf(kVector, kTranspose), random({5}), random({7, 5}));
    check(opOf(kNone, kVector), random({3, 5}), random({5}));
    check(opOf(kTranspose, kVector), random({5, 3}), random({5}));
    check(opOf(kVector, kVector), random({5}), random({5}));
}

TEST_P(MatrixMultiplyKernels, BatchAxesRepeat) {
    check(opOf(kNone, kNone), random({2, 3, 4, 5}), random({2, 3, 5, 6}));
    check(opOf(kNone, kNone), random({2, 1, 4, 5}), random({1, 3, 5, 6}));
    check(opOf(kNone, kTranspose), random({1, 1, 4, 5}), random({2, 3, 6, 5}));
    check(opOf(kVector, kNone), random({2, 3, 5}), random({1, 3, 5, 6}));
    check(opOf(kNone, kVector), random({2, 3, 4, 5}), random({2, 1, 5}));
    check(opOf(kVector, kVector), random({2, 3, 5}), random({2, 1, 5}));
}

TEST_P(MatrixMultiplyKernels, OddAndLargeExtents) {
    check(opOf(kNone, kNone), random({1, 1}), random({1, 1}));
    check(opOf(kNone, kNone), random({17, 33}), random({33, 65}));
    check(opOf(kNone, kTranspose), random({70, 129}), random({37, 129}));
    check(opOf(kTranspose, kNone), random({300, 31}), random({300, 50}));
    check(opOf(kNone, kNone), random({1, 260}), random({260, 130}));
}

TEST_P(MatrixMultiplyKernels, ConstantOperands) {
    check(opOf(kNone, kNone), random({9, 20}), asConstant(random({20, 35})));
    check(opOf(kNone, kTranspose), random({9, 20}), asConstant(random({35, 20})));
    check(opOf(kNone, kNone), asConstant(random({9, 20})), random({20, 35}));
    check(opOf(kNone, kNone), random({2, 9, 20}), asConstant(random({1, 20, 35})));
}

TEST_P(MatrixMultiplyKernels, EmptySumsAreZero) {
    check(opOf(kNone, kNone), random({3, 0}), random({0, 4}));
    check(opOf(kNone, kNone), random({0, 3}), random({3, 4}));
}

INSTANTIATE_TEST_SUITE_P(Types, MatrixMultiplyKernels,
                         testing::Values(DataType::kFLOAT, DataType::kHALF),
                         [](auto const& info) { return std::string(nameOf(info.param)); });

} // namespace
} // namespace kiln::test
