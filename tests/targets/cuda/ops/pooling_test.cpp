// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/pooling.h"

#include <algorithm>

#include "targets/cuda/gpu.h"
#include "targets/cuda/gpu_kernels_fixture.h"

namespace kiln::test {
namespace {

using nvinfer1::PoolingType;

TEST(CudaPooling, EachTypeOverLinesImagesAndVolumes) {
    KILN_NEEDS_GPU();
    for (PoolingType const kind :
         {PoolingType::kMAX, PoolingType::kAVERAGE, PoolingType::kMAX_AVERAGE_BLEND}) {
        for (Dims const& dims : {makeDims({3, 4, 50}), makeDims({2, 5, 33, 29}),
                                 makeDims({2, 3, 9, 8, 7}), makeDims({0, 3, 9, 9})}) {
            graph::Pooling op;
            op.type = kind;
            op.blendFactor = 0.25F;
            Dims size{dims.nbDims - 2, {3, 2, 3}};
            op.window = graph::Window::ofSize(size);
            op.window.stride = Dims{size.nbDims, {2, 1, 2}};
            op.window.prePadding = Dims{size.nbDims, {1, 1, 0}};
            op.window.postPadding = Dims{size.nbDims, {0, 1, 2}};
            for (bool const excludes : {false, true}) {
                op.averageCountExcludesPadding = excludes;
                for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
                    // Sums have the same order; results differ by one rounding or fused
                    // multiply-adds.
                    Tolerance const tolerance{1e-6, 2.0 * roundingOf(type)};
                    expectLikeCpu(op, {randomTensor(type, dims)}, tolerance);
                }
            }
        }
    }
}

TEST(CudaPooling, StripsOfRows) {
    KILN_NEEDS_GPU();
    struct Shape {
        Dims size;
        Dims stride;
        int64_t padding;
    };
    for (Shape const& shape : {Shape{makeDims({3, 3}), makeDims({2, 2}), 1},
                               Shape{makeDims({5, 5}), makeDims({1, 1}), 2},
                               Shape{makeDims({2, 2}), makeDims({3, 3}), 0},
                               Shape{makeDims({16, 1}), makeDims({1, 2}), 0},
                               Shape{makeDims({17, 3}), makeDims({1, 2}), 1}}) {
        for (PoolingType const kind : {PoolingType::kMAX, PoolingType::kAVERAGE}) {
            graph::Pooling op;
            op.type = kind;
            op.window = graph::Window::ofSize(shape.size);
            op.window.stride = shape.stride;
            op.window.prePadding = op.window.postPadding =
                makeDims({shape.padding, std::min(shape.padding, shape.size.d[1] - 1)});
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
                Tolerance const tolerance{1e-6, 2.0 * roundingOf(type)};
                expectLikeCpu(op, {randomTensor(type, makeDims({2, 3, 23, 37}))}, tolerance, 1);
            }
        }
    }
}

TEST(CudaPooling, TilesOfPlanesAndBands) {
    KILN_NEEDS_GPU();
    struct Shape {
        Dims dims;
        Dims size;
        Dims stride;
        Dims before;
        Dims after;
    };
    for (Shape const& shape : {Shape{makeDims({40, 5, 13, 11}), makeDims({3, 3}), makeDims({1, 1}),
                                     makeDims({1, 1}), makeDims({1, 1})},
                               Shape{makeDims({300, 1, 7, 7}), makeDims({7, 7}), makeDims({1, 1}),
                                     makeDims({0, 0}), makeDims({0, 0})},
                               Shape{makeDims({1, 2, 200, 301}), makeDims({3, 3}), makeDims({2, 2}),
                                     makeDims({1, 1}), makeDims({0, 1})},
                               Shape{makeDims({1, 2, 90, 304}), makeDims({2, 3}), makeDims({1, 1}),
                                     makeDims({0, 0}), makeDims({0, 0})},
                               Shape{makeDims({2, 2, 5, 40}), makeDims({1, 15}), makeDims({1, 1}),
                                     makeDims({0, 7}), makeDims({0, 7})},
                               Shape{makeDims({1, 1, 9, 9000}), makeDims({3, 3}), makeDims({2, 2}),
                                     makeDims({1, 1}), makeDims({1, 1})},
                               Shape{makeDims({2, 3, 9, 18, 20}), makeDims({2, 2, 2}),
                                     makeDims({2, 2, 2}), makeDims({0, 0, 0}), makeDims({0, 0, 0})},
                               Shape{makeDims({2, 3, 9, 18, 21}), makeDims({3, 3, 3}),
                                     makeDims({1, 2, 1}), makeDims({1, 1, 1}), makeDims({1, 0, 2})},
                               Shape{makeDims({3, 50, 203}), makeDims({3}), makeDims({2}),
                                     makeDims({1}), makeDims({1})}}) {
        for (PoolingType const kind : {PoolingType::kMAX, PoolingType::kAVERAGE}) {
            graph::Pooling op;
            op.type = kind;
            op.window = graph::Window::ofSize(shape.size);
            op.window.stride = shape.stride;
            op.window.prePadding = shape.before;
            op.window.postPadding = shape.after;
            op.averageCountExcludesPadding = shape.dims.d[0] != 2;
            DataType const type = kind == PoolingType::kMAX ? DataType::kHALF : DataType::kFLOAT;
            Tolerance const tolerance{1e-6, 2.0 * roundingOf(type)};
            expectLikeCpu(op, {randomTensor(type, shape.dims)}, tolerance);
            expectLikeCpu(op, {randomTensor(type, shape.dims)}, tolerance, 1);
        }
    }
}

/// Rows of vectors, and tiles: neither is chosen for the other's windows.
TEST(CudaPooling, WindowsTooLargeForStrips) {
    KILN_NEEDS_GPU();
    struct Shape {
        Dims dims;
        Dims size;
        Dims stride;
    };
    for (Shape const& shape :
         {Shape{makeDims({2, 40, 8, 8}), makeDims({8, 8}), makeDims({1, 1})},
          Shape{makeDims({1, 3, 20, 16}), makeDims({10, 9}), makeDims({2, 1})},
          Shape{makeDims({2, 3, 20, 45}), makeDims({3, 14}), makeDims({1, 2})}}) {
        for (PoolingType const kind : {PoolingType::kMAX, PoolingType::kAVERAGE}) {
            graph::Pooling op;
            op.type = kind;
            op.window = graph::Window::ofSize(shape.size);
            op.window.stride = shape.stride;
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF, DataType::kBF16}) {
                Tolerance const tolerance{1e-6, 2.0 * roundingOf(type)};
                expectLikeCpu(op, {randomTensor(type, shape.dims)}, tolerance);
            }
        }
    }
}

TEST(CudaPooling, ChannelsLast) {
    KILN_NEEDS_GPU();
    for (Dims const& dims : {makeDims({2, 5, 9, 7}), makeDims({1, 16, 364, 182})}) {
        for (PoolingType const kind : {PoolingType::kMAX, PoolingType::kAVERAGE}) {
            graph::Pooling op;
            op.type = kind;
            op.window = graph::Window::ofSize(makeDims({3, 2}));
            op.window.stride = makeDims({2, 1});
            op.window.prePadding = makeDims({1, 0});
            op.window.postPadding = makeDims({1, 1});
            for (DataType const type : {DataType::kFLOAT, DataType::kHALF}) {
                Tolerance const tolerance{1e-6, 2.0 * roundingOf(type)};
                expectLikeCpu(op, {randomTensor(type, dims)}, tolerance, 0, TensorFormat::kHWC);
                expectLikeCpu(op, {randomTensor(type, dims)}, tolerance, 1, TensorFormat::kHWC);
            }
        }
    }
}

} // namespace
} // namespace kiln::test
