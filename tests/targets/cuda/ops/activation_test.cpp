// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/activation.h"

#include "graph/ops/unary.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::ActivationType;
using nvinfer1::UnaryOperation;

constexpr DataType kFloats[] = {DataType::kFLOAT, DataType::kHALF, DataType::kBF16};

/// Results may differ by two roundings: an approximation may round to the other neighbour.
Tolerance toleranceOf(DataType type) {
    return {1e-6, 2.0 * roundingOf(type) + 3e-6};
}

TEST(CudaActivation, EveryFunction) {
    KILN_NEEDS_GPU();
    for (int32_t i = 0; i < nvinfer1::EnumMax<ActivationType>(); ++i) {
        graph::Activation op;
        op.type = static_cast<ActivationType>(i);
        op.alpha = 0.75F;
        op.beta = 1.5F;
        for (DataType const type : kFloats) {
            expectLikeCpu(op, {randomTensor(type, makeDims({3, 7001}), -9.0, 9.0)},
                          toleranceOf(type));
        }
    }
}

TEST(CudaActivation, OperandsAtAnyElement) {
    KILN_NEEDS_GPU();
    graph::Activation op;
    op.type = ActivationType::kTANH;
    for (DataType const type : kFloats) {
        expectLikeCpu(op, {randomTensor(type, makeDims({701}))}, toleranceOf(type), 1);
    }
}

TEST(CudaActivation, Integers) {
    KILN_NEEDS_GPU();
    for (ActivationType const kind : {ActivationType::kRELU, ActivationType::kCLIP}) {
        graph::Activation op;
        op.type = kind;
        op.alpha = -40.5F;
        op.beta = 3e9F; // beyond int32
        for (DataType const type : {DataType::kINT8, DataType::kINT32, DataType::kINT64}) {
            expectLikeCpu(op, {randomTensor(type, makeDims({4099}), -120.0, 120.0)}, {});
        }
    }
}

TEST(CudaUnary, EveryFunction) {
    KILN_NEEDS_GPU();
    for (int32_t i = 0; i < nvinfer1::EnumMax<UnaryOperation>(); ++i) {
        graph::Unary op;
        op.operation = static_cast<UnaryOperation>(i);
        if (op.operation == UnaryOperation::kNOT) {
            expectLikeCpu(op, {randomTensor(DataType::kBOOL, makeDims({4099}))}, {});
            continue;
        }
        double const low = op.operation == UnaryOperation::kACOSH ? 1.0 : 0.01;
        for (DataType const type : kFloats) {
            expectLikeCpu(op, {randomTensor(type, makeDims({4099}), low, low + 0.98)},
                          toleranceOf(type));
        }
    }
}

} // namespace
} // namespace kiln::test
