// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/normalization.h"

#include "targets/cuda/device.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

constexpr DataType kTypes[] = {DataType::kFLOAT, DataType::kHALF, DataType::kBF16};

void check(Dims const& dims, Dims const& factor, uint32_t axes, int64_t groups = 1,
           int64_t offset = 0, bool centers = true) {
    graph::Normalization op;
    op.centers = centers;
    op.axes = axes;
    op.groups = groups;
    for (DataType const type : kTypes) {
        // Sums have errors of some units of float32; the result is rounded once. Two neighbours
        // may be close, and their difference has few digits.
        double const absolute = dims.d[dims.nbDims - 1] <= 3 ? 2e-4 : 1e-5;
        Tolerance const tolerance{absolute, 2.0 * roundingOf(type) + 8e-6};
        expectLikeCpu(op,
                      {randomTensor(type, dims, -2.0, 3.0), randomTensor(type, factor),
                       randomTensor(type, factor)},
                      tolerance, offset);
    }
}

TEST(CudaNormalization, RowsOfEachLength) {
    KILN_NEEDS_GPU();
    for (int64_t const extent : {1, 2, 7, 33, 100, 256, 513, 768, 1024, 2048}) {
        check(makeDims({5, extent}), makeDims({1, extent}), 2);
    }
    for (int64_t const extent : {3000, 8192, 16384, 20000, 40001, 80000}) {
        check(makeDims({2, extent}), makeDims({1, extent}), 2);
    }
    check(makeDims({700, 3}), makeDims({1, 3}), 2);
    for (int64_t const extent : {517, 768, 770, 1024}) { // many rows: a warp has a long one
        check(makeDims({515, extent}), makeDims({1, extent}), 2);
    }
    for (int64_t const extent : {1032, 2056}) {
        check(makeDims({2050, extent}), makeDims({1, extent}), 2);
    }
}

TEST(CudaNormalization, FactorsOfChannels) {
    KILN_NEEDS_GPU();
    check(makeDims({2, 6, 4, 5}), makeDims({1, 6, 1, 1}), 12);
    check(makeDims({2, 6, 4, 8}), makeDims({1, 6, 1, 1}), 12, 3);
    check(makeDims({2, 6, 60, 50}), makeDims({1, 6, 1, 1}), 12, 2);
    check(makeDims({2, 6, 200}), makeDims({1, 1, 1}), 4, 2);
    check(makeDims({1, 6, 80, 100}), makeDims({1, 6, 1, 1}), 12, 2);
    check(makeDims({1, 4, 161, 125}), makeDims({1, 4, 1, 1}), 12, 2);
    check(makeDims({2, 4, 200, 250}), makeDims({1, 4, 1, 1}), 12, 2);
    check(makeDims({2060, 2, 40, 16}), makeDims({1, 2, 1, 1}), 12);
}

TEST(CudaNormalization, BlocksOfPacks) {
    KILN_NEEDS_GPU();
    check(makeDims({600, 2056}), makeDims({1, 2056}), 2);
    check(makeDims({5, 4104}), makeDims({1, 4104}), 2);
    check(makeDims({5, 16376}), makeDims({1, 16376}), 2); // factors are loaded late
    check(makeDims({5, 4104}), makeDims({5, 1}), 2);
    check(makeDims({3, 4, 64, 64}), makeDims({1, 4, 1, 1}), 12);
    check(makeDims({2, 4, 64, 128}), makeDims({1, 4, 1, 1}), 12, 2);
}

TEST(CudaNormalization, ManySetsOfSeveralBlocks) {
    KILN_NEEDS_GPU();
    check(makeDims({70, 32800}), makeDims({1, 32800}), 2); // blocks hold all parts of a row
    check(makeDims({3, 8, 64, 150}), makeDims({1, 8, 1, 1}), 12, 2);
}

TEST(CudaNormalization, MorePartsThanBlocksHold) {
    KILN_NEEDS_GPU();
    constexpr int64_t kPart = 16384; // float32
    constexpr int64_t kPartsOfGroup = 256;
    int64_t const parts = targets::cuda::Gpu::current().multiprocessors + 1;
    int64_t const sets = kPartsOfGroup / parts + 2; // several groups take turns
    check(makeDims({sets, parts * kPart}), makeDims({1, parts * kPart}), 2);
}

TEST(CudaNormalization, SetsWithGaps) {
    KILN_NEEDS_GPU();
    check(makeDims({2, 6, 4}), makeDims({1, 6, 1}), 2);
    check(makeDims({3, 40, 4}), makeDims({3, 1, 4}), 5);
    check(makeDims({2, 3, 4, 5}), makeDims({1, 3, 1, 5}), 14);
}

TEST(CudaNormalization, WithoutCentering) {
    KILN_NEEDS_GPU();
    for (int64_t const extent : {7, 768, 2048, 8192, 16384, 50000}) {
        check(makeDims({3, extent}), makeDims({1, extent}), 2, 1, 0, false);
    }
    check(makeDims({2, 6, 4}), makeDims({1, 6, 1}), 2, 1, 0, false);
}

TEST(CudaNormalization, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(makeDims({3, 64}), makeDims({1, 64}), 2, 1, 1);
    check(makeDims({3, 3000}), makeDims({1, 3000}), 2, 1, 3);
    check(makeDims({2, 16384}), makeDims({1, 16384}), 2, 1, 3);
    check(makeDims({2, 40000}), makeDims({1, 40000}), 2, 1, 3);
    check(makeDims({515, 768}), makeDims({1, 768}), 2, 1, 1);
}

} // namespace
} // namespace kiln::test
