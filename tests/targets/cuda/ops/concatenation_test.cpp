// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/concatenation.h"

#include "targets/cuda/device.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

TEST(CudaConcatenation, EachAxisWithChannelsLast) {
    KILN_NEEDS_GPU();
    for (int32_t axis = 0; axis < 4; ++axis) {
        graph::Concatenation op;
        op.axis = axis;
        Dims const one = makeDims({2, 3, 4, 5});
        Dims other = one;
        other.d[axis] = 7;
        for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
            std::vector<Values> const inputs{randomTensor(type, one), randomTensor(type, other)};
            for (TensorFormat const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
                expectLikeCpu(op, inputs, {}, 0, format);
            }
        }
    }
}

} // namespace
} // namespace kiln::test
