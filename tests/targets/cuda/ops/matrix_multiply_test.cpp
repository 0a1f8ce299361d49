// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/matrix_multiply.h"

#include <gmock/gmock.h>

#include "base/error_matchers.h"
#include "targets/cuda/blaslt/matmul_plan.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::MatrixOperation;
using targets::cuda::CublasLt;
using testing::Contains;
using testing::HasSubstr;

constexpr auto kNone = MatrixOperation::kNONE;
constexpr auto kTranspose = MatrixOperation::kTRANSPOSE;
constexpr auto kVector = MatrixOperation::kVECTOR;

std::vector<std::string> check(MatrixOperation left, MatrixOperation right, Dims const& a,
                               Dims const& b, int64_t offset = 0) {
    graph::MatrixMultiply op;
    op.operation = {left, right};
    double const inner = static_cast<double>(a.d[op.axes(0, a.nbDims).summed]);
    std::vector<std::string> kernels;
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        // Products of magnitude 4 and their sums round once each, here and on the cpu.
        Tolerance const tolerance{4.0 * inner * 0x1p-22, 4.0 * roundingOf(type) + 1e-6};
        kernels =
            expectLikeCpu(op, {randomTensor(type, a), randomTensor(type, b)}, tolerance, offset);
    }
    return kernels;
}

TEST(CudaMatrixMultiply, EachTransposition) {
    KILN_NEEDS_GPU();
    check(kNone, kNone, makeDims({3, 5}), makeDims({5, 7}));
    check(kNone, kTranspose, makeDims({3, 5}), makeDims({7, 5}));
    check(kTranspose, kNone, makeDims({5, 3}), makeDims({5, 7}));
    check(kTranspose, kTranspose, makeDims({5, 3}), makeDims({7, 5}));
    check(kNone, kNone, makeDims({96, 64}), makeDims({64, 128}));
    check(kNone, kTranspose, makeDims({96, 64}), makeDims({128, 64}));
    check(kTranspose, kNone, makeDims({64, 96}), makeDims({64, 128}));
    check(kTranspose, kTranspose, makeDims({64, 96}), makeDims({128, 64}));
}

TEST(CudaMatrixMultiply, Vectors) {
    KILN_NEEDS_GPU();
    check(kNone, kVector, makeDims({70, 50}), makeDims({50}));
    check(kTranspose, kVector, makeDims({50, 70}), makeDims({50}));
    check(kVector, kNone, makeDims({50}), makeDims({50, 70}));
    check(kVector, kTranspose, makeDims({50}), makeDims({70, 50}));
    check(kVector, kVector, makeDims({300}), makeDims({300}));
    check(kNone, kNone, makeDims({1, 50}), makeDims({50, 70}));
    check(kNone, kNone, makeDims({70, 50}), makeDims({50, 1}));
    check(kNone, kNone, makeDims({70, 1}), makeDims({1, 50}));
    check(kTranspose, kTranspose, makeDims({1, 70}), makeDims({50, 1}));
}

TEST(CudaMatrixMultiply, Batches) {
    KILN_NEEDS_GPU();
    check(kNone, kNone, makeDims({4, 6, 8}), makeDims({4, 8, 10}));
    check(kNone, kNone, makeDims({4, 6, 8}), makeDims({1, 8, 10}));      // one right operand
    check(kTranspose, kNone, makeDims({4, 8, 6}), makeDims({1, 8, 10})); // rows are not contiguous
    check(kNone, kNone, makeDims({1, 6, 8}), makeDims({4, 8, 10}));
    check(kNone, kNone, makeDims({2, 1, 6, 8}), makeDims({1, 3, 8, 10}));
    check(kNone, kTranspose, makeDims({2, 1, 6, 8}), makeDims({2, 3, 10, 8}));
    check(kNone, kNone, makeDims({2, 3, 1, 6, 8}), makeDims({2, 1, 4, 8, 10}));
    check(kNone, kVector, makeDims({3, 6, 8}), makeDims({3, 8}));
    check(kNone, kVector, makeDims({3, 6, 8}), makeDims({1, 8}));
    check(kVector, kNone, makeDims({3, 8}), makeDims({1, 8, 5}));
    check(kVector, kVector, makeDims({3, 8}), makeDims({3, 8}));
}

TEST(CudaMatrixMultiply, NothingToSumAndNothingToWrite) {
    KILN_NEEDS_GPU();
    check(kNone, kNone, makeDims({3, 0}), makeDims({0, 7}));
    check(kNone, kNone, makeDims({0, 5}), makeDims({5, 7}));
    check(kNone, kNone, makeDims({2, 3, 5}), makeDims({2, 5, 0}));
}

TEST(CudaMatrixMultiply, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    check(kNone, kNone, makeDims({48, 64}), makeDims({64, 32}), 1);
    check(kNone, kVector, makeDims({48, 64}), makeDims({64}), 3);
}

TEST(CudaMatrixMultiply, LongSums) {
    KILN_NEEDS_GPU();
    check(kNone, kNone, makeDims({40, 3000}), makeDims({3000, 24}));
    check(kNone, kTranspose, makeDims({130, 520}), makeDims({200, 520}));
}

TEST(CudaMatrixMultiply, LibraryIsOfferedWhereItIs) {
    KILN_NEEDS_GPU();
    std::vector<std::string> const kernels =
        check(kNone, kNone, makeDims({8, 8}), makeDims({8, 8}));
    EXPECT_EQ(kernels.back(), "matrix_multiply_reference");
    if (!CublasLt::problem().empty()) {
        GTEST_SKIP() << CublasLt::problem();
    }
    EXPECT_THAT(kernels, Contains("matrix_multiply_cublaslt"));
    EXPECT_THAT(kernels, Contains("matrix_multiply_cublaslt_bare"));
}

#define KILN_NEEDS_CUBLASLT()                                                                      \
    if (!CublasLt::problem().empty()) {                                                            \
        GTEST_SKIP() << CublasLt::problem();                                                       \
    }                                                                                              \
    static_assert(true)

TEST(CudaMatrixMultiply, WordsOfCublasLt) {
    KILN_NEEDS_CUBLASLT();
    EXPECT_EQ(errorOf(ErrorKind::kDevice,
                      [] {
                          CublasLt::instance().check(targets::cuda::CUBLAS_STATUS_NOT_SUPPORTED,
                                                     "try something");
                      }),
              "[cuda] cuBLASLt, try something: expected success, got CUBLAS_STATUS_NOT_SUPPORTED.");
    targets::cuda::MatrixProduct impossible;
    impossible.a.rows = 3;
    EXPECT_THAT(errorOf(ErrorKind::kUnsupported,
                        [&] { targets::cuda::MatmulPlan(impossible, DataType::kFLOAT, 0); }),
                HasSubstr("expected an algorithm for a product of float32 matrices in 0 bytes of "
                          "workspace, got CUBLAS_STATUS_"));
}

TEST(CudaMatrixMultiply, BatchesHaveALimit) {
    KILN_NEEDS_CUBLASLT();
    constexpr int64_t kMany = int64_t{1} << 31;
    graph::MatrixMultiply op;
    op.operation = {kTranspose, kNone};
    EXPECT_THAT(refusalOf("matrix_multiply_cublaslt", op,
                          {{DataType::kHALF, makeDims({kMany, 2, 2}), {}, false},
                           {DataType::kHALF, makeDims({kMany, 2, 2}), {}, false}}),
                HasSubstr("cuBLASLt: expected at most 2147483647 matrices in a batch, got "
                          "2147483648. Reshape them."));
}

} // namespace
} // namespace kiln::test
