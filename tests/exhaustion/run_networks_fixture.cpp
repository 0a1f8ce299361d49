// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "exhaustion/run_networks_fixture.h"

namespace kiln::test {

using namespace nvinfer1;

namespace {

constexpr int64_t kLength = 40;
constexpr int64_t kWidth = 64;
constexpr int64_t kHeads = 4;

} // namespace

Weights RunNetwork::weights(int64_t count) {
    memory_.push_back(std::make_unique<float[]>(static_cast<std::size_t>(count)));
    for (int64_t i = 0; i < count; ++i) {
        memory_.back()[static_cast<std::size_t>(i)] = static_cast<float>(i * 37 % 101 - 50) / 400;
    }
    return {DataType::kFLOAT, memory_.back().get(), count};
}

ITensor* RunNetwork::constant(Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= dims.d[i];
    }
    return network_.addConstant(dims, weights(count))->getOutput(0);
}

ITensor* RunNetwork::convolution(ITensor* x, int64_t maps, int64_t window, int64_t step, bool last,
                                 bool each) {
    int64_t const channels = x->getDimensions().d[1];
    int64_t const inside = each ? 1 : channels;
    IConvolutionLayer* const layer = network_.addConvolutionNd(
        *x, maps, DimsHW{window, window}, weights(maps * inside * window * window), weights(maps));
    layer->setStrideNd(DimsHW{step, step});
    layer->setPaddingNd(DimsHW{window % 2 * (window / 2), window % 2 * (window / 2)});
    layer->setNbGroups(channels / inside);
    return last ? relu(layer->getOutput(0)) : layer->getOutput(0);
}

ITensor* RunNetwork::sum(ITensor* a, ITensor* b) {
    return network_.addElementWise(*a, *b, ElementWiseOperation::kSUM)->getOutput(0);
}

ITensor* RunNetwork::relu(ITensor* x) {
    return network_.addActivation(*x, ActivationType::kRELU)->getOutput(0);
}

ITensor* RunNetwork::dense(ITensor* x, int64_t inner, int64_t columns) {
    ITensor* const product =
        network_
            .addMatrixMultiply(*x, MatrixOperation::kNONE, *constant(Dims3{1, inner, columns}),
                               MatrixOperation::kNONE)
            ->getOutput(0);
    return sum(product, constant(Dims3{1, 1, columns}));
}

ITensor* RunNetwork::heads(ITensor* x) {
    IShuffleLayer* const layer = network_.addShuffle(*x);
    layer->setReshapeDimensions(Dims4{1, kLength, kHeads, kWidth / kHeads});
    layer->setSecondTranspose(Permutation{{0, 2, 1, 3}});
    return layer->getOutput(0);
}

ITensor* RunNetwork::normalized(ITensor* x) {
    return network_
        .addNormalizationV2(*x, *constant(Dims3{1, 1, kWidth}), *constant(Dims3{1, 1, kWidth}),
                            1U << 2)
        ->getOutput(0);
}

void RunNetwork::end(ITensor* y) {
    y->setName("y");
    network_.markOutput(*y);
}

void RunNetwork::addResidual() {
    ITensor* x = network_.addInput("x", DataType::kFLOAT, Dims4{1, 3, 32, 32});
    x = convolution(x, 32, 3, 1, true);
    IPoolingLayer* const pool = network_.addPoolingNd(*x, PoolingType::kMAX, DimsHW{2, 2});
    pool->setStrideNd(DimsHW{2, 2});
    x = pool->getOutput(0);
    for (int block = 0; block < 2; ++block) {
        ITensor* const y = convolution(convolution(x, 16, 1, 1, true), 16, 3, 1, true);
        x = relu(sum(convolution(y, 32, 1, 1, false), x));
    }
    x = convolution(x, 32, 7, 1, false, true);
    x = convolution(x, 64, 2, 2, false);
    x = network_.addReduce(*x, ReduceOperation::kAVG, 0b1100, false)->getOutput(0);
    ITensor* const scores =
        network_
            .addMatrixMultiply(*x, MatrixOperation::kNONE, *constant(Dims2{64, 100}),
                               MatrixOperation::kNONE)
            ->getOutput(0);
    end(network_.addSoftMax(*scores)->getOutput(0));
}

void RunNetwork::addTransformer() {
    ITensor* const x = network_.addInput("x", DataType::kFLOAT, Dims3{1, kLength, kWidth});
    ITensor* const q = heads(dense(x, kWidth, kWidth));
    ITensor* const k = heads(dense(x, kWidth, kWidth));
    ITensor* const v = heads(dense(x, kWidth, kWidth));
    ITensor* const scores =
        network_.addMatrixMultiply(*q, MatrixOperation::kNONE, *k, MatrixOperation::kTRANSPOSE)
            ->getOutput(0);
    ISoftMaxLayer* const softmax = network_.addSoftMax(*scores);
    softmax->setAxes(1U << 3);
    IShuffleLayer* const joined =
        network_.addShuffle(*network_
                                 .addMatrixMultiply(*softmax->getOutput(0), MatrixOperation::kNONE,
                                                    *v, MatrixOperation::kNONE)
                                 ->getOutput(0));
    joined->setFirstTranspose(Permutation{{0, 2, 1, 3}});
    joined->setReshapeDimensions(Dims3{1, kLength, kWidth});
    ITensor* const y = normalized(sum(dense(joined->getOutput(0), kWidth, kWidth), x));
    ITensor* const wide =
        network_.addActivation(*dense(y, kWidth, 4 * kWidth), ActivationType::kGELU_ERF)
            ->getOutput(0);
    end(normalized(sum(dense(wide, 4 * kWidth, kWidth), y)));
}

} // namespace kiln::test
