// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/moe.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

/// Hidden states, experts, scores and weights of 3 experts.
std::vector<Values> operands(DataType type, int64_t tokens, int64_t hidden, int64_t inner) {
    return {randomTensor(type, makeDims({1, tokens, hidden}), -1.0, 1.0),
            randomTensor(DataType::kINT32, makeDims({1, tokens, 2}), -1.0, 4.0),
            randomTensor(type, makeDims({1, tokens, 2}), 0.0, 1.0),
            randomTensor(type, makeDims({3, hidden, inner}), -0.5, 0.5),
            randomTensor(type, makeDims({3, hidden, inner}), -0.5, 0.5),
            randomTensor(type, makeDims({3, inner, hidden}), -0.5, 0.5)};
}

// Products of 16-bit numbers are rounded once between the two of them.
Tolerance toleranceOf(DataType type) {
    return {64.0 * roundingOf(type) + 1e-5, 4.0 * roundingOf(type)};
}

TEST(CudaMoE, TilesOfEachType) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        graph::MoE op;
        op.activation = nvinfer1::MoEActType::kSILU;
        expectLikeCpu(op, operands(type, 70, 40, 24), toleranceOf(type));
        expectLikeCpu(op, operands(type, 5, 33, 70), toleranceOf(type)); // rows are not aligned
        expectLikeCpu(op, operands(type, 5, 40, 24), toleranceOf(type), 1);
    }
}

TEST(CudaMoE, BiasesThatAreThere) {
    KILN_NEEDS_GPU();
    graph::MoE op;
    op.activation = nvinfer1::MoEActType::kSILU;
    op.limit = 0.5F;
    op.beta = 1.0F;
    auto inputs = operands(DataType::kFLOAT, 6, 16, 8);
    inputs.push_back(randomTensor(DataType::kFLOAT, makeDims({3, 8})));
    expectLikeCpu(op, inputs, toleranceOf(DataType::kFLOAT));
    inputs.push_back(absentOperand());
    inputs.push_back(randomTensor(DataType::kFLOAT, makeDims({3, 16})));
    expectLikeCpu(op, inputs, toleranceOf(DataType::kFLOAT));
}

} // namespace
} // namespace kiln::test
