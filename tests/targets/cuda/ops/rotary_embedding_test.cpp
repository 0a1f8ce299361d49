// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/rotary_embedding.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

TEST(CudaRotaryEmbedding, BothWaysToPair) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (bool const interleaved : {false, true}) {
            for (int64_t const size : {6, 48}) {
                graph::RotaryEmbedding op;
                op.interleaved = interleaved;
                op.rotated = size == 48 ? 32 : 0;
                Values const table = randomTensor(type, makeDims({2, 5, op.rotatedOf(size) / 2}));
                for (int64_t const offset : {0, 1}) {
                    expectLikeCpu(op, {randomTensor(type, makeDims({2, 3, 5, size})), table, table},
                                  {4e-6, 4.0 * roundingOf(type)}, offset);
                }
            }
        }
    }
}

} // namespace
} // namespace kiln::test
