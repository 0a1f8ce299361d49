// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/elementwise.h"

#include "graph/ops/select.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ElementWiseOperation;

constexpr DataType kFloats[] = {DataType::kFLOAT, DataType::kHALF, DataType::kBF16};
constexpr DataType kIntegers[] = {DataType::kINT8, DataType::kINT32, DataType::kINT64};

/// Checks operands at a multiple of 256 bytes, where vectors are read, and one element after it.
void check(ElementWiseOperation operation, DataType type, Dims const& left, Dims const& right) {
    graph::ElementWise op;
    op.operation = operation;
    std::vector<Values> const inputs{randomTensor(type, left, 1.0, 9.0),
                                     randomTensor(type, right, 1.0, 9.0)};
    // Powers of 16-bit types are computed with shorter polynomials.
    Tolerance const tolerance{0.0, 2.0 * roundingOf(type) + 1e-6};
    for (int64_t const offset : {0, 1}) {
        expectLikeCpu(op, inputs, tolerance, offset);
    }
}

void checkShapes(DataType type) {
    auto const sum = [&](Dims const& left, Dims const& right) {
        check(ElementWiseOperation::kSUM, type, left, right);
    };
    sum(makeDims({3, 7, 411}), makeDims({3, 7, 411}));         // one loop with a tail
    sum(makeDims({40000}), makeDims({1}));                     // a scalar
    sum(makeDims({2, 5, 8, 48}), makeDims({1, 5, 1, 1}));      // per channel, rows of vectors
    sum(makeDims({2, 5, 7, 7}), makeDims({1, 5, 1, 1}));       // per channel, ragged rows
    sum(makeDims({60, 1}), makeDims({1, 512}));                // a column and a row
    sum(makeDims({1, 9, 1, 5, 1}), makeDims({4, 1, 6, 1, 3})); // no axes to merge
    sum(makeDims({0, 4}), makeDims({1, 4}));
}

TEST(CudaElementWise, BroadcastsFloats) {
    KILN_NEEDS_GPU();
    for (DataType const type : kFloats) {
        checkShapes(type);
    }
}

TEST(CudaElementWise, BroadcastsIntegers) {
    KILN_NEEDS_GPU();
    for (DataType const type : kIntegers) {
        checkShapes(type);
    }
}

TEST(CudaElementWise, EveryOperation) {
    KILN_NEEDS_GPU();
    for (int32_t i = 0; i < nvinfer1::EnumMax<ElementWiseOperation>(); ++i) {
        auto const operation = static_cast<ElementWiseOperation>(i);
        graph::ElementWise op;
        op.operation = operation;
        if (op.isLogical()) {
            check(operation, DataType::kBOOL, makeDims({3, 501}), makeDims({3, 1}));
            continue;
        }
        for (DataType const type : {DataType::kFLOAT, DataType::kBF16, DataType::kINT32}) {
            check(operation, type, makeDims({3, 501}), makeDims({3, 501}));
        }
    }
}

TEST(CudaSelect, BroadcastsEachOperand) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kINT8, DataType::kHALF, DataType::kINT64}) {
        for (int64_t const offset : {0, 1}) {
            for (int32_t which = 0; which < 3; ++which) {
                Dims dims[3] = {makeDims({5, 3, 64}), makeDims({5, 3, 64}), makeDims({5, 3, 64})};
                dims[which] = makeDims({1, 3, 1});
                expectLikeCpu(graph::Select{},
                              {randomTensor(DataType::kBOOL, dims[0]), randomTensor(type, dims[1]),
                               randomTensor(type, dims[2])},
                              {}, offset);
            }
        }
    }
}

TEST(CudaElementWise, ChannelsLast) {
    KILN_NEEDS_GPU();
    graph::ElementWise op;
    op.operation = nvinfer1::ElementWiseOperation::kSUB;
    Dims const whole = makeDims({2, 8, 3, 5});
    for (Dims const& other : {whole, makeDims({1, 8, 1, 1}), makeDims({2, 1, 3, 5})}) {
        expectLikeCpu(op,
                      {randomTensor(DataType::kHALF, whole), randomTensor(DataType::kHALF, other)},
                      {0.0, 2.0 * roundingOf(DataType::kHALF)}, 0, TensorFormat::kHWC);
    }
}

} // namespace
} // namespace kiln::test
