// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/lrn.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

TEST(CudaLRN, WindowsOfEachSize) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
        for (int64_t const window : {1, 2, 5, 99}) {
            graph::LRN op;
            op.window = window;
            op.alpha = 0.4F;
            op.beta = 0.75F;
            // One rounding to the type; a power has an error of some units of float32.
            Tolerance const tolerance{1e-7, 4.0 * roundingOf(type) + 8e-6};
            expectLikeCpu(op, {randomTensor(type, makeDims({2, 7, 9, 5}))}, tolerance);
            expectLikeCpu(op, {randomTensor(type, makeDims({3, 1, 2}))}, tolerance, 1);
        }
    }
}

TEST(CudaLRN, WalksOverChannels) {
    KILN_NEEDS_GPU();
    graph::LRN op;
    op.window = 5;
    op.alpha = 0.4F;
    op.beta = 0.75F;
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
        Tolerance const tolerance{1e-7, 4.0 * roundingOf(type) + 8e-6};
        expectLikeCpu(op, {randomTensor(type, makeDims({3, 7, 1, 8}))}, tolerance);
        expectLikeCpu(op, {randomTensor(type, makeDims({3, 7, 1, 8}))}, tolerance, 1);
    }
    // Several channels for each thread.
    expectLikeCpu(op, {randomTensor(DataType::kHALF, makeDims({2, 33, 8, 4096}))},
                  Tolerance{1e-7, 4.0 * roundingOf(DataType::kHALF) + 8e-6});
}

} // namespace
} // namespace kiln::test
