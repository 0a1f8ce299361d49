// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layers that resize and sample feature maps, linear and with channels last.
#include "graph/ops/dequantize.h"
#include "graph/ops/grid_sample.h"
#include "graph/ops/interleave.h"
#include "graph/ops/phase_kernel.h"
#include "graph/ops/quantize.h"
#include "graph/ops/resize.h"

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::InterpolationMode;

void checkFormats(graph::Op const& op, std::vector<Values> const& inputs, double rounding) {
    for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
        for (int64_t const offset : {0, 1}) {
            expectLikeCpu(op, inputs, {4e-6, rounding}, offset, format);
        }
    }
}

TEST(CudaResize, BothFormatsAndWideVectors) {
    KILN_NEEDS_GPU();
    for (auto const mode :
         {InterpolationMode::kNEAREST, InterpolationMode::kLINEAR, InterpolationMode::kCUBIC}) {
        for (auto const& [input, output] :
             {std::pair(makeDims({2, 3, 5, 7}), makeDims({2, 3, 9, 4})),
              std::pair(makeDims({1, 16, 90, 91}), makeDims({1, 16, 181, 184}))}) {
            if (mode == InterpolationMode::kCUBIC && input.d[1] == 16) {
                continue; // takes seconds on an emulated GPU
            }
            graph::Resize op;
            op.mode = mode;
            op.dims = output;
            op.transformation = nvinfer1::ResizeCoordinateTransformation::kHALF_PIXEL;
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
                checkFormats(op, {randomTensor(type, input)}, 2.0 * roundingOf(type));
            }
        }
    }
}

TEST(CudaQuantize, BothFormats) {
    KILN_NEEDS_GPU();
    for (bool const single : {true, false}) {
        for (Dims const& dims : {makeDims({2, 3, 5, 7}), makeDims({1, 16, 9, 8})}) {
            Values scale = single
                               ? tensorOf(DataType::kFLOAT, Dims{0, {}}, {0.03})
                               : randomTensor(DataType::kFLOAT, makeDims({dims.d[1]}), 0.01, 1.0);
            for (DataType const wide : {DataType::kFLOAT, DataType::kHALF}) {
                graph::Quantize quantize;
                quantize.axis = single ? -1 : 1;
                quantize.toType = DataType::kINT8;
                Values const x = randomTensor(wide, dims, -4.0, 4.0);
                graph::Dequantize dequantize;
                dequantize.axis = quantize.axis;
                dequantize.toType = wide;
                Values const codes = randomTensor(DataType::kINT8, dims, -128.0, 127.0);
                for (auto const format : {TensorFormat::kLINEAR, TensorFormat::kHWC}) {
                    EXPECT_FALSE(expectLikeCpu(quantize, {x, scale}, {}, 0, format).empty());
                    EXPECT_FALSE(expectLikeCpu(dequantize, {codes, scale},
                                               {0.0, 2.0 * roundingOf(wide)}, 1, format)
                                     .empty());
                }
            }
        }
    }
}

TEST(CudaInterleave, BothFormatsAndWideVectors) {
    KILN_NEEDS_GPU();
    for (auto const& dims : {makeDims({2, 12, 5, 7}), makeDims({1, 48, 90, 92})}) {
        graph::Interleave op;
        op.stride = makeDims({2, 3});
        op.before = makeDims({1, 0});
        op.after = makeDims({0, 4});
        checkFormats(op, {randomTensor(DataType::kHALF, dims)}, 0.0);
    }
}

TEST(CudaPhaseKernel, GroupsAndDilation) {
    KILN_NEEDS_GPU();
    graph::PhaseKernel op;
    op.groups = 2;
    op.stride = makeDims({2, 3, 1});
    op.dilation = makeDims({1, 2, 1});
    expectLikeCpu(op, {randomTensor(DataType::kFLOAT, makeDims({4, 3, 3, 4, 2}))}, {});
}

TEST(CudaGridSample, BothFormats) {
    KILN_NEEDS_GPU();
    for (auto const mode :
         {InterpolationMode::kNEAREST, InterpolationMode::kLINEAR, InterpolationMode::kCUBIC}) {
        for (int64_t const channels : {3, 16}) {
            graph::GridSample op;
            op.interpolation = mode;
            op.mode = nvinfer1::SampleMode::kREFLECT;
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
                checkFormats(op,
                             {randomTensor(type, makeDims({2, channels, 6, 5})),
                              randomTensor(type, makeDims({2, 7, 9, 2}))},
                             2.0 * roundingOf(type));
            }
        }
    }
}

} // namespace
} // namespace kiln::test
