// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/softmax.h"

#include <limits>

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

constexpr DataType kTypes[] = {DataType::kFLOAT, DataType::kHALF, DataType::kBF16};

void check(Dims const& dims, int32_t axis, int64_t offset = 0) {
    graph::SoftMax op;
    op.axes = 1U << axis;
    for (DataType const type : kTypes) {
        // One rounding to the type; exp and sums have errors of some units of float32.
        Tolerance const tolerance{1e-7, 4.0 * roundingOf(type) + 8e-6};
        expectLikeCpu(op, {randomTensor(type, dims, -4.0, 4.0)}, tolerance, offset);
    }
}

TEST(CudaSoftMax, RowsOfEachLength) {
    KILN_NEEDS_GPU();
    for (int64_t const extent : {1, 2, 7, 33, 100, 256, 513, 1000, 1024, 2048}) {
        check(makeDims({5, extent}), 1);
    }
    for (int64_t const extent : {3000, 8192, 10000, 20000}) {
        check(makeDims({2, extent}), 1);
    }
}

TEST(CudaSoftMax, ManyShortRows) {
    KILN_NEEDS_GPU();
    check(makeDims({700, 3}), 1);
    check(makeDims({70, 64}), 1);
    check(makeDims({2049, 520}), 1); // a warp for each
}

TEST(CudaSoftMax, LongRowsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(makeDims({3, 20001}), 1);
    check(makeDims({2, 20001}), 1, 3);
    check(makeDims({2, 16400}), 1, 1);
}

TEST(CudaSoftMax, LongRowsOfManyBlocks) {
    KILN_NEEDS_GPU();
    check(makeDims({1, 70003}), 1);
    check(makeDims({47, 16400}), 1); // each in two parts
    check(makeDims({2, 70003}), 1, 1);
}

TEST(CudaSoftMax, LongRowsInSharedMemory) {
    KILN_NEEDS_GPU();
    check(makeDims({50, 16390}), 1);
    check(makeDims({49, 20001}), 1, 3);
}

TEST(CudaSoftMax, LongerThanSharedMemory) {
    KILN_NEEDS_GPU();
    graph::SoftMax op;
    op.axes = 2;
    expectLikeCpu(op, {randomTensor(DataType::kHALF, makeDims({49, 115720}), -4.0, 4.0)},
                  {1e-7, 4.0 * roundingOf(DataType::kHALF) + 8e-6}, 1);
}

TEST(CudaSoftMax, Columns) {
    KILN_NEEDS_GPU();
    check(makeDims({2, 3, 5}), 1);
    check(makeDims({3, 40, 2}), 1);
    check(makeDims({2, 1000, 3}), 1);
    check(makeDims({600, 70}), 0);
    check(makeDims({3, 2, 301}), 1);
    check(makeDims({2, 300, 24}), 1); // packs of columns
    check(makeDims({2, 11, 640}), 1);
    check(makeDims({2, 30, 8}), 1, 1);
    check(makeDims({1, 1025, 16}), 1);
    check(makeDims({2, 200, 16}), 1, 1);
}

TEST(CudaSoftMax, LongColumnsInSharedMemory) {
    KILN_NEEDS_GPU();
    check(makeDims({3, 530, 72}), 1);
    check(makeDims({2, 1000, 40}), 1);
    check(makeDims({3, 2100, 8}), 1);
    check(makeDims({2, 520, 16}), 1, 1);
}

TEST(CudaSoftMax, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(makeDims({3, 64}), 1, 1);
    check(makeDims({3, 3000}), 1, 3);
    check(makeDims({3, 9, 4}), 1, 1);
}

TEST(CudaSoftMax, NaNAndInfinitiesFillTheirRow) {
    KILN_NEEDS_GPU();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    graph::SoftMax op;
    for (int64_t const extent : {4, 5000, 20000}) {
        std::vector<double> data(static_cast<std::size_t>(5 * extent), 0.5);
        data[2] = kNaN;
        data[static_cast<std::size_t>(extent) + 1] = kInfinity;
        data[static_cast<std::size_t>(2 * extent)] = -kInfinity;
        std::fill_n(data.begin() + 3 * extent, extent, -kInfinity);
        Tolerance const tolerance{1e-7, 8e-6};
        op.axes = 2;
        expectLikeCpu(op, {tensorOf(DataType::kFLOAT, makeDims({5, extent}), data)}, tolerance);
    }
    std::vector<double> wide(16 * 8, 0.5);
    wide[2] = kNaN;
    wide[8 + 3] = kInfinity;
    wide[4] = -kInfinity;
    for (std::size_t row = 0; row < 16; ++row) {
        wide[8 * row + 5] = -kInfinity;
    }
    op.axes = 1;
    expectLikeCpu(op, {tensorOf(DataType::kFLOAT, makeDims({16, 8}), wide)}, {1e-7, 8e-6});
    std::vector<double> const columns{kNaN, kInfinity, -kInfinity, -kInfinity, 1.0,
                                      1.0,  1.0,       1.0,        -kInfinity, 2.0};
    expectLikeCpu(op, {tensorOf(DataType::kFLOAT, makeDims({2, 5}), columns)}, {1e-7, 8e-6});
}

} // namespace
} // namespace kiln::test
