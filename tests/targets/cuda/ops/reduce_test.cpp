// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/reduce.h"

#include <limits>

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ReduceOperation;

constexpr ReduceOperation kOperations[] = {ReduceOperation::kSUM, ReduceOperation::kPROD,
                                           ReduceOperation::kMAX, ReduceOperation::kMIN,
                                           ReduceOperation::kAVG};

graph::Reduce opOf(ReduceOperation operation, uint32_t axes) {
    graph::Reduce op;
    op.operation = operation;
    op.axes = axes;
    return op;
}

/// Values whose products stay near 1.
Values valuesFor(ReduceOperation operation, DataType type, Dims const& dims) {
    bool const isInteger = type == DataType::kINT32 || type == DataType::kINT64;
    if (operation == ReduceOperation::kPROD && !isInteger) {
        return randomTensor(type, dims, 0.998, 1.002);
    }
    return randomTensor(type, dims, -9.0, 9.0);
}

void check(Dims const& dims, uint32_t axes, std::vector<ReduceOperation> const& operations,
           int64_t offset = 0) {
    double const elements = static_cast<double>(volume(dims, "test"));
    for (ReduceOperation const operation : operations) {
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16,
                                    DataType::kINT32, DataType::kINT64}) {
            bool const isInteger = type == DataType::kINT32 || type == DataType::kINT64;
            // Sums accumulate in float32, with an error in proportion to the number of elements.
            Tolerance const tolerance =
                isInteger ? Tolerance{} : Tolerance{elements * 1e-7, 2.0 * roundingOf(type) + 1e-5};
            expectLikeCpu(opOf(operation, axes), {valuesFor(operation, type, dims)}, tolerance,
                          offset);
        }
    }
}

std::vector<ReduceOperation> const kAll(std::begin(kOperations), std::end(kOperations));

TEST(CudaReduce, RowsOfAWarpAndOfABlock) {
    KILN_NEEDS_GPU();
    check(makeDims({9, 30}), 2, kAll);
    check(makeDims({40, 3}), 2, {ReduceOperation::kSUM});
    check(makeDims({3, 5000}), 2, kAll);
}

TEST(CudaReduce, FewResultsAreSharedAmongBlocks) {
    KILN_NEEDS_GPU();
    check(makeDims({100003}), 1, {ReduceOperation::kSUM, ReduceOperation::kMAX});
    check(makeDims({3, 60000}), 2, {ReduceOperation::kAVG});
    check(makeDims({3000, 40}), 1, kAll);
    check(makeDims({2, 3000, 3}), 2, {ReduceOperation::kSUM});
}

TEST(CudaReduce, ColumnsOfEachWidth) {
    KILN_NEEDS_GPU();
    check(makeDims({7, 5, 300}), 2, {ReduceOperation::kSUM, ReduceOperation::kMIN});
    check(makeDims({50, 1000}), 1, {ReduceOperation::kSUM});
    check(makeDims({20, 2}), 1, {ReduceOperation::kSUM});
}

TEST(CudaReduce, AxesApart) {
    KILN_NEEDS_GPU();
    check(makeDims({3, 4, 50}), 5, kAll); // reduced, kept, reduced
    check(makeDims({3, 4, 5, 6}), 5, {ReduceOperation::kSUM});
    check(makeDims({2, 3, 4, 5, 2}), 10, {ReduceOperation::kSUM});
    check(makeDims({2, 3, 4, 5, 40}), 21, {ReduceOperation::kAVG});
    check(makeDims({3, 1, 4}), 2, {ReduceOperation::kSUM}); // an axis of extent 1
}

TEST(CudaReduce, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(makeDims({5, 64}), 2, {ReduceOperation::kSUM}, 1);
    check(makeDims({64, 64}), 1, {ReduceOperation::kMAX}, 3);
}

TEST(CudaReduce, NaNWins) {
    KILN_NEEDS_GPU();
    std::vector<double> data(3 * 40, 1.0);
    data[45] = std::numeric_limits<double>::quiet_NaN();
    Values const values = tensorOf(DataType::kFLOAT, makeDims({3, 40}), data);
    for (ReduceOperation const operation : kOperations) {
        expectLikeCpu(opOf(operation, 2), {values}, {1e-6, 1e-6});
        expectLikeCpu(opOf(operation, 1), {values}, {1e-6, 1e-6});
    }
}

TEST(CudaReduce, ChannelsLast) {
    KILN_NEEDS_GPU();
    for (uint32_t const axes : {0b1100U, 0b0010U, 0b0100U}) {
        for (bool const keeps : {true, false}) {
            graph::Reduce op;
            op.operation = nvinfer1::ReduceOperation::kAVG;
            op.axes = axes;
            op.keepsAxes = keeps;
            Values const input = randomTensor(DataType::kHALF, makeDims({2, 24, 7, 5}));
            std::vector<KernelRun> const runs = runAllOnGpu(op, {input}, 0, TensorFormat::kHWC);
            // [batch, channels, width] without the height is in no order that a kernel keeps.
            EXPECT_EQ(runs.empty(), axes == 0b0100U && !keeps);
            if (!runs.empty()) {
                expectLikeCpu(op, {input}, {1e-3, 4.0 * roundingOf(DataType::kHALF)}, 0,
                              TensorFormat::kHWC);
            }
        }
    }
}

} // namespace
} // namespace kiln::test
