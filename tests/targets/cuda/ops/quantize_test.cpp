// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/quantize.h"

#include <gmock/gmock.h>

#include "graph/ops/dequantize.h"
#include "targets/cuda/backend.h"
#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;

TEST(CudaQuantize, ScalesOfChannelsThatAreLast) {
    KILN_NEEDS_GPU();
    for (int64_t const channels : {3, 16, 72}) {
        Values const scale = randomTensor(DataType::kFLOAT, makeDims({channels}), 0.01, 0.05);
        Dims const dims = makeDims({2, channels, 5, 7});
        for (DataType const wide : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
            for (int64_t const offset : {0, 1}) {
                graph::Quantize op;
                op.axis = 1;
                EXPECT_THAT(expectLikeCpu(op, {randomTensor(wide, dims, -4.0, 4.0), scale}, {},
                                          offset, TensorFormat::kHWC),
                            ElementsAre("quantize_blocks"));
                graph::Dequantize back;
                back.axis = 1;
                back.toType = wide;
                Values const x = randomTensor(DataType::kINT8, dims, -128.0, 127.0);
                EXPECT_THAT(expectLikeCpu(back, {x, scale}, {}, offset, TensorFormat::kHWC),
                            ElementsAre("dequantize_blocks"));
            }
        }
    }
}

/// The compiler gives scales the rank of the data, and leaves them linear.
TEST(CudaQuantize, TakesAlignedScalesWithChannelsLast) {
    targets::cuda::CudaBackend const cuda(target::parseTarget("cuda:sm_90"));
    auto const refusal = [&](Dims const& scale) {
        std::vector<Values> const inputs{randomTensor(DataType::kHALF, makeDims({2, 16, 5, 7})),
                                         randomTensor(DataType::kFLOAT, scale, 0.01, 0.05)};
        graph::Quantize const op;
        std::vector<Values> const outputs{inferredOutput(op, inputs)};
        auto in = specsOf(inputs);
        auto out = specsOf(outputs);
        in[0].type.format = out[0].type.format = TensorFormat::kHWC;
        return cuda.candidates({op, "test", in, out}).front().refusal;
    };
    EXPECT_EQ(refusal(makeDims({1, 16, 1, 1})), "");
    EXPECT_EQ(refusal(makeDims({1, 1, 1, 1})), "");
    EXPECT_EQ(refusal(makeDims({2, 16, 1, 1})),
              "expected one scale, or scales along one axis, as channels are last");
}

} // namespace
} // namespace kiln::test
