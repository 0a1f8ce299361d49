// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/cast.h"

#include "targets/cuda/backend.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

constexpr DataType kTypes[] = {DataType::kFLOAT, DataType::kHALF,  DataType::kBF16,
                               DataType::kINT8,  DataType::kUINT8, DataType::kINT32,
                               DataType::kINT64, DataType::kBOOL};

graph::Cast castTo(DataType type) {
    graph::Cast op;
    op.toType = type;
    return op;
}

TEST(CudaCast, EveryPairOfTypes) {
    KILN_NEEDS_GPU();
    for (DataType const from : kTypes) {
        for (DataType const to : kTypes) {
            bool const positive = from == DataType::kUINT8 || to == DataType::kUINT8;
            Values const x =
                randomTensor(from, makeDims({3, 3001}), positive ? 0.0 : -120.0, 120.0);
            expectLikeCpu(castTo(to), {x}, {});
            expectLikeCpu(castTo(to), {x}, {}, 1);
        }
    }
}

TEST(CudaCast, PackedTypesHaveAKernelOfTheirOwn) {
    targets::cuda::CudaBackend const cuda(target::parseTarget("cuda:sm_90"));
    Values const x = tensorOf(DataType::kFLOAT, makeDims({2}), {1, 2});
    graph::Cast const op = castTo(DataType::kFP8);
    std::vector<Values> const outputs{inferredOutput(op, {x})};
    auto const in = specsOf(std::span(&x, 1));
    auto const out = specsOf(outputs);
    EXPECT_EQ(cuda.candidates({op, "test", in, out}).back().refusal,
              "expected elements of 4 bits, got float32 and fp8");
}

} // namespace
} // namespace kiln::test
