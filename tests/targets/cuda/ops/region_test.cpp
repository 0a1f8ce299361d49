// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/region.h"

#include <cmath>

#include <gmock/gmock.h>

#include "graph/ops/convolution.h"
#include "graph/ops/matrix_multiply.h"
#include "graph/ops/select.h"
#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/cudnn/cudnn.h"
#include "targets/cuda/device.h"
#include "targets/cuda/gpu_kernels_fixture.h"
#include "targets/region_ops.h"

namespace kiln::test {
namespace {

using nvinfer1::ActivationType;
using nvinfer1::ElementWiseOperation;
using nvinfer1::UnaryOperation;
using testing::Contains;

std::unique_ptr<graph::Op> convolution(int64_t maps, int64_t size, int64_t stride,
                                       int64_t padding) {
    auto op = std::make_unique<graph::Convolution>();
    op->maps = maps;
    op->window = graph::Window::ofSize(makeDims({size, size}));
    op->window.stride = makeDims({stride, stride});
    op->window.prePadding = makeDims({padding, padding});
    op->window.postPadding = op->window.prePadding;
    return op;
}

Tolerance toleranceOf(DataType type, double products) {
    // Sums of products of magnitude 4 in another order, and one rounding of the result.
    return {4.0 * products * 0x1p-22 + 4.0 * roundingOf(type), 4.0 * roundingOf(type) + 2e-6};
}

constexpr DataType kFloats[] = {DataType::kFLOAT, DataType::kHALF, DataType::kBF16};

/// max(x * scale + bias, 0) + x, then a GELU.
graph::Region chainRegion() {
    graph::Region region(3);
    int32_t const scaled = region.add(ops::elementwise(ElementWiseOperation::kPROD), {0, 1});
    int32_t const moved = region.add(ops::elementwise(ElementWiseOperation::kSUM), {scaled, 2});
    int32_t const positive = region.add(ops::activation(ActivationType::kRELU), {moved});
    int32_t const sum = region.add(ops::elementwise(ElementWiseOperation::kSUM), {positive, 0});
    region.setResults({region.add(ops::activation(ActivationType::kGELU_ERF), {sum})});
    return region;
}

TEST(CudaRegion, ChainsOfEqualShapes) {
    KILN_NEEDS_GPU();
    graph::Region const region = chainRegion();
    for (DataType const type : kFloats) {
        for (Dims const& dims : {makeDims({3, 4, 16}), makeDims({7, 13}), makeDims({1})}) {
            std::vector<Values> const inputs{randomTensor(type, dims), randomTensor(type, dims),
                                             randomTensor(type, dims)};
            EXPECT_THAT(expectValues(region, inputs, ops::expectedOf(region, inputs),
                                     toleranceOf(type, 1.0)),
                        Contains("region_chain"));
        }
    }
}

TEST(CudaRegion, ChainsWithBroadcasts) {
    KILN_NEEDS_GPU();
    graph::Region const region = chainRegion();
    for (DataType const type : kFloats) {
        for (int64_t const inner : {16, 24, 7}) {
            std::vector<Values> const inputs{randomTensor(type, makeDims({2, 5, inner})),
                                             randomTensor(type, makeDims({1, 5, 1})),
                                             randomTensor(type, makeDims({1, 1, inner}))};
            for (int64_t const offset : {0, 1}) {
                expectValues(region, inputs, ops::expectedOf(region, inputs),
                             toleranceOf(type, 1.0), offset);
            }
        }
    }
}

TEST(CudaRegion, ChainsOfSlices) {
    KILN_NEEDS_GPU();
    for (int64_t const n : {1, 7, 12, 64}) {
        graph::Region const region = ops::gatedHalves(n);
        for (DataType const type : kFloats) {
            std::vector<Values> const inputs{randomTensor(type, makeDims({2, 5, 2 * n})),
                                             randomTensor(type, makeDims({1, 1, n}))};
            for (int64_t const offset : {0, 1}) {
                EXPECT_THAT(expectValues(region, inputs, ops::expectedOf(region, inputs),
                                         toleranceOf(type, 1.0), offset),
                            Contains("region_chain"));
            }
        }
    }
}

TEST(CudaRegion, ChainsOfSlicesThatRepeat) {
    KILN_NEEDS_GPU();
    graph::Region const region = ops::repeatedSlices();
    for (int64_t const inner : {40, 7}) {
        std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({2, 5, inner}))};
        expectValues(region, inputs, ops::expectedOf(region, inputs),
                     toleranceOf(DataType::kFLOAT, 1.0));
    }
}

TEST(CudaRegion, ChainsWithChannelsLast) {
    KILN_NEEDS_GPU();
    graph::Region const region = chainRegion();
    for (int64_t const channels : {8, 5}) {
        std::vector<Values> const inputs{
            randomTensor(DataType::kHALF, makeDims({2, channels, 3, 4})),
            randomTensor(DataType::kHALF, makeDims({1, channels, 1, 1})),
            randomTensor(DataType::kHALF, makeDims({2, channels, 3, 4}))};
        EXPECT_THAT(expectValues(region, inputs, ops::expectedOf(region, inputs),
                                 toleranceOf(DataType::kHALF, 1.0), 0, TensorFormat::kHWC),
                    Contains("region_chain"));
    }
}

TEST(CudaRegion, ChainsOfManyTypes) {
    KILN_NEEDS_GPU();
    // select(x > y, exp(x), -exp(x)), as half
    graph::Region region(2);
    int32_t const larger = region.add(ops::elementwise(ElementWiseOperation::kGREATER), {0, 1});
    int32_t const power = region.add(ops::unary(UnaryOperation::kEXP), {0});
    int32_t const negative = region.add(ops::unary(UnaryOperation::kNEG), {power});
    int32_t const either = region.add(std::make_unique<graph::Select>(), {larger, power, negative});
    region.setResults({region.add(ops::cast(DataType::kHALF), {either})});
    std::vector<Values> const inputs{randomTensor(DataType::kFLOAT, makeDims({4, 33})),
                                     randomTensor(DataType::kFLOAT, makeDims({1, 33}))};
    expectValues(region, inputs, ops::expectedOf(region, inputs),
                 toleranceOf(DataType::kHALF, 1.0));
    // Whole numbers wrap around, and logic gives 0 and 1.
    graph::Region whole(2);
    int32_t const product = whole.add(ops::elementwise(ElementWiseOperation::kPROD), {0, 1});
    int32_t const equal = whole.add(ops::elementwise(ElementWiseOperation::kEQUAL), {product, 0});
    int32_t const unequal = whole.add(ops::unary(UnaryOperation::kNOT), {equal});
    whole.setResults({whole.add(ops::cast(DataType::kINT32), {unequal})});
    std::vector<Values> const numbers{randomTensor(DataType::kINT32, makeDims({5, 9}), -9.0, 9.0),
                                      randomTensor(DataType::kINT32, makeDims({5, 9}), -2.0, 3.0)};
    expectValues(whole, numbers, ops::expectedOf(whole, numbers), {});
}

TEST(CudaRegion, RefusesWhatNoKernelTakes) {
    KILN_NEEDS_GPU();
    graph::Region region(2);
    int32_t const small = region.add(ops::unary(UnaryOperation::kEXP), {0});
    region.setResults({region.add(ops::elementwise(ElementWiseOperation::kSUM), {small, 1})});
    EXPECT_TRUE(runAllOnGpu(region, {randomTensor(DataType::kFLOAT, makeDims({1, 8})),
                                     randomTensor(DataType::kFLOAT, makeDims({4, 8}))})
                    .empty());
}

/// ops::activation(convolution(x, w, b) + residual)
graph::Region residualRegion(std::unique_ptr<graph::Op> anchor, std::unique_ptr<graph::Op> last) {
    graph::Region region(4);
    int32_t const convolved = region.add(std::move(anchor), {0, 1, 2});
    int32_t const sum = region.add(ops::elementwise(ElementWiseOperation::kSUM), {convolved, 3});
    region.setResults({region.add(std::move(last), {sum})});
    return region;
}

std::vector<Values> residualInputs(DataType type, int64_t channels, int64_t maps, int64_t size,
                                   Dims const& output) {
    return {randomTensor(type, makeDims({2, channels, 9, 9})),
            asConstant(randomTensor(type, makeDims({maps, channels, size, size}))),
            asConstant(randomTensor(type, makeDims({maps}))), randomTensor(type, output)};
}

TEST(CudaRegion, ConvolutionsWithChannelsLast) {
    KILN_NEEDS_GPU();
    for (DataType const type : {DataType::kHALF, DataType::kBF16}) {
        for (auto const& [channels, size] : {std::pair(16, 3), std::pair(8, 1), std::pair(3, 3)}) {
            int64_t const padding = size / 2;
            graph::Region const region = residualRegion(convolution(8, size, 1, padding),
                                                        ops::activation(ActivationType::kRELU));
            std::vector<Values> const inputs =
                residualInputs(type, channels, 8, size, makeDims({2, 8, 9, 9}));
            std::vector<std::string> const kernels =
                expectValues(region, inputs, ops::expectedOf(region, inputs),
                             toleranceOf(type, static_cast<double>(channels * size * size)), 0,
                             TensorFormat::kHWC);
            if (targets::cuda::Cudnn::problem().empty()) {
                EXPECT_THAT(kernels, Contains("region_cudnn"));
                EXPECT_THAT(kernels, Contains("region_parts"));
            }
        }
    }
}

TEST(CudaRegion, WindowsOfOnePositionAreProducts) {
    KILN_NEEDS_GPU();
    for (DataType const type : kFloats) {
        for (bool const both : {true, false}) {
            graph::Region const region =
                both ? residualRegion(convolution(8, 1, 1, 0),
                                      ops::activation(ActivationType::kRELU))
                     : [] {
                           graph::Region one(3);
                           int32_t const sum = one.add(convolution(8, 1, 1, 0), {0, 1, 2});
                           one.setResults({one.add(ops::activation(ActivationType::kRELU), {sum})});
                           return one;
                       }();
            std::vector<Values> inputs = residualInputs(type, 16, 8, 1, makeDims({2, 8, 9, 9}));
            inputs.resize(both ? 4 : 3);
            std::vector<std::string> const kernels =
                expectValues(region, inputs, ops::expectedOf(region, inputs),
                             toleranceOf(type, 16.0), 0, TensorFormat::kHWC);
            if (targets::cuda::CublasLt::problem().empty()) {
                EXPECT_THAT(kernels, Contains("region_cublaslt"));
            }
        }
    }
}

TEST(CudaRegion, ConvolutionsBroadcastOverOnes) {
    KILN_NEEDS_GPU();
    graph::Region const region =
        residualRegion(convolution(8, 3, 2, 1), ops::activation(ActivationType::kSIGMOID));
    std::vector<Values> inputs = residualInputs(DataType::kHALF, 8, 8, 3, makeDims({1, 8, 1, 1}));
    expectValues(region, inputs, ops::expectedOf(region, inputs),
                 toleranceOf(DataType::kHALF, 72.0), 0, TensorFormat::kHWC);
}

/// cuDNN's kernels lose the GPU's context over such an operand.
TEST(CudaRegion, ConvolutionsPlusAVectorForEachImage) {
    KILN_NEEDS_GPU();
    graph::Region const region =
        residualRegion(convolution(16, 3, 1, 1), ops::activation(ActivationType::kRELU));
    std::vector<Values> inputs =
        residualInputs(DataType::kHALF, 16, 16, 3, makeDims({2, 16, 1, 1}));
    std::vector<std::string> const kernels =
        expectValues(region, inputs, ops::expectedOf(region, inputs),
                     toleranceOf(DataType::kHALF, 144.0), 0, TensorFormat::kHWC);
    EXPECT_THAT(kernels, testing::Not(Contains("region_cudnn")));
}

TEST(CudaRegion, ConvolutionsInLinearOrder) {
    KILN_NEEDS_GPU();
    for (DataType const type : kFloats) {
        for (int64_t const maps : {8, 5}) { // the emulation fuses multiples of 4
            graph::Region const region = residualRegion(
                convolution(maps, 3, 1, 1), ops::activation(ActivationType::kCLIP, -1.0F, 6.0F));
            std::vector<Values> const inputs =
                residualInputs(type, 4, maps, 3, makeDims({2, maps, 9, 9}));
            EXPECT_THAT(expectValues(region, inputs, ops::expectedOf(region, inputs),
                                     toleranceOf(type, 36.0)),
                        Contains("region_parts"));
        }
    }
}

TEST(CudaRegion, EveryActivationBehindAConvolution) {
    KILN_NEEDS_GPU();
    for (ActivationType const type :
         {ActivationType::kRELU, ActivationType::kCLIP, ActivationType::kLEAKY_RELU,
          ActivationType::kSIGMOID, ActivationType::kTANH, ActivationType::kELU,
          ActivationType::kGELU_ERF, ActivationType::kGELU_TANH}) {
        graph::Region const region =
            residualRegion(convolution(8, 1, 1, 0), ops::activation(type, 0.25F, 1.5F));
        std::vector<Values> const inputs =
            residualInputs(DataType::kHALF, 8, 8, 1, makeDims({2, 8, 9, 9}));
        expectValues(region, inputs, ops::expectedOf(region, inputs),
                     toleranceOf(DataType::kHALF, 8.0), 0, TensorFormat::kHWC);
    }
}

TEST(CudaRegion, ProductsWithOperationsBehindThem) {
    KILN_NEEDS_GPU();
    graph::Region region(3);
    int32_t const product = region.add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
    int32_t const moved = region.add(ops::elementwise(ElementWiseOperation::kSUM), {product, 2});
    region.setResults({region.add(ops::activation(ActivationType::kGELU_ERF), {moved})});
    for (DataType const type : kFloats) {
        std::vector<Values> const inputs{randomTensor(type, makeDims({2, 5, 12})),
                                         asConstant(randomTensor(type, makeDims({1, 12, 8}))),
                                         asConstant(randomTensor(type, makeDims({1, 1, 8})))};
        EXPECT_THAT(
            expectValues(region, inputs, ops::expectedOf(region, inputs), toleranceOf(type, 12.0)),
            Contains("region_parts"));
    }
}

TEST(CudaRegion, ProductsWithFunctionsOfCudnn) {
    KILN_NEEDS_GPU();
    using nvinfer1::MatrixOperation;
    for (auto const right : {MatrixOperation::kNONE, MatrixOperation::kTRANSPOSE}) {
        bool const across = right == MatrixOperation::kTRANSPOSE;
        auto multiply = std::make_unique<graph::MatrixMultiply>();
        multiply->operation[1] = right;
        graph::Region region(4);
        int32_t const product = region.add(std::move(multiply), {0, 1});
        int32_t const moved =
            region.add(ops::elementwise(ElementWiseOperation::kSUM), {2, product});
        int32_t const bent = region.add(ops::activation(ActivationType::kGELU_ERF), {moved});
        region.setResults({region.add(ops::elementwise(ElementWiseOperation::kPROD), {bent, 3})});
        for (DataType const type : {DataType::kHALF, DataType::kBF16}) {
            Dims const matrix = across ? makeDims({1, 16, 24}) : makeDims({1, 24, 16});
            std::vector<Values> const inputs{randomTensor(type, makeDims({2, 5, 24})),
                                             asConstant(randomTensor(type, matrix)),
                                             asConstant(randomTensor(type, makeDims({1, 1, 16}))),
                                             randomTensor(type, makeDims({2, 5, 16}))};
            std::vector<std::string> const kernels = expectValues(
                region, inputs, ops::expectedOf(region, inputs), toleranceOf(type, 24.0));
            if (targets::cuda::Cudnn::problem().empty()) {
                EXPECT_THAT(kernels, Contains("region_cudnn"));
            }
        }
    }
}

TEST(CudaRegion, ProductsTimesAConstant) {
    KILN_NEEDS_GPU();
    for (ElementWiseOperation const operation :
         {ElementWiseOperation::kPROD, ElementWiseOperation::kDIV}) {
        graph::Region region(4);
        int32_t const product = region.add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
        int32_t const scaled = region.add(ops::elementwise(operation), {product, 2});
        region.setResults({region.add(ops::elementwise(ElementWiseOperation::kSUM), {scaled, 3})});
        for (DataType const type : kFloats) {
            std::vector<Values> const inputs{
                randomTensor(type, makeDims({2, 3, 5, 12})),
                randomTensor(type, makeDims({2, 3, 12, 8})),
                asConstant(tensorOf(type, makeDims({1, 1, 1, 1}), {0.375})),
                randomTensor(type, makeDims({2, 3, 5, 8}))};
            std::vector<std::string> const kernels = expectValues(
                region, inputs, ops::expectedOf(region, inputs), toleranceOf(type, 36.0));
            if (targets::cuda::CublasLt::problem().empty()) {
                EXPECT_THAT(kernels, Contains("region_cublaslt"));
            }
        }
    }
}

TEST(CudaRegion, ProductsWithBiasMatrixAndRelu) {
    KILN_NEEDS_GPU();
    for (bool const biasFirst : {true, false}) {
        graph::Region region(4);
        int32_t const product = region.add(std::make_unique<graph::MatrixMultiply>(), {0, 1});
        int32_t const one =
            region.add(ops::elementwise(ElementWiseOperation::kSUM), {biasFirst ? 2 : 3, product});
        int32_t const two =
            region.add(ops::elementwise(ElementWiseOperation::kSUM), {one, biasFirst ? 3 : 2});
        region.setResults({region.add(ops::activation(ActivationType::kRELU), {two})});
        for (DataType const type : kFloats) {
            std::vector<Values> const inputs{randomTensor(type, makeDims({2, 5, 12})),
                                             asConstant(randomTensor(type, makeDims({1, 12, 8}))),
                                             asConstant(randomTensor(type, makeDims({1, 1, 8}))),
                                             randomTensor(type, makeDims({2, 5, 8}))};
            std::vector<std::string> const kernels = expectValues(
                region, inputs, ops::expectedOf(region, inputs), toleranceOf(type, 12.0));
            if (targets::cuda::CublasLt::problem().empty()) {
                EXPECT_THAT(kernels, Contains("region_cublaslt"));
            }
        }
    }
}

} // namespace
} // namespace kiln::test
