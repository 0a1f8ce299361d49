// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/fill.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

graph::Fill fillOf(DataType type, Dims const& dims) {
    graph::Fill op;
    op.type = type;
    op.dims = dims;
    op.alpha = -3.75;
    op.beta = 0.5;
    return op;
}

TEST(CudaFill, Constants) {
    KILN_NEEDS_GPU();
    for (DataType const type :
         {DataType::kFLOAT, DataType::kHALF, DataType::kBF16, DataType::kINT32, DataType::kINT64}) {
        graph::Fill op = fillOf(type, makeDims({4099}));
        expectLikeCpu(op, {}, {}, 0);
        expectLikeCpu(op, {}, {}, 1);
        op.isWhole = true;
        op.wholeAlpha = 7;
        op.wholeBeta = -3;
        expectLikeCpu(op, {}, {});
    }
}

TEST(CudaFill, AStepForEachAxis) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kINT64}) {
        graph::Fill op = fillOf(type, makeDims({3, 5, 7}));
        expectLikeCpu(op,
                      {absentOperand(), tensorOf(type, makeDims({}), {-2}),
                       tensorOf(type, makeDims({3}), {100, 10, 1})},
                      {});
    }
}

} // namespace
} // namespace kiln::test
