// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every method of networks, tensors and layers with arguments that no correct program passes:
// nothing crashes, and a correct layer can still be added and built afterwards.
#include <cmath>

#include <gtest/gtest.h>

#include "misuse/hostile.h"
#include "support/session.h"

namespace kiln::test {
namespace {

using namespace nvinfer1;

class NetworkMisuse : public testing::Test, protected Session {
protected:
    void SetUp() override { x_ = &input("x", {1, 2, 4, 4}); }
    void TearDown() override {
        // Earlier layers may be invalid: it is enough that the layer can be added.
        ASSERT_NE(network->addActivation(*x_, ActivationType::kRELU), nullptr) << log.errors();
        auto const fresh = std::make_unique<Session>();
        ITensor& z = fresh->input("z", {2});
        fresh->output(*fresh->network->addSoftMax(z)->getOutput(0), "w");
        EXPECT_NE(fresh->build(), nullptr);
        build(); // may fail
    }

    /// Calls the methods that all layers have.
    void misuse(ILayer* layer) {
        if (layer == nullptr) {
            return;
        }
        forTexts([&](char const* text) {
            layer->setName(text);
            layer->setMetadata(text);
            EXPECT_NE(layer->getName(), nullptr);
            EXPECT_NE(layer->getMetadata(), nullptr);
        });
        forNumbers([&](int32_t number) {
            if (number < 0 || number >= layer->getNbInputs()) {
                EXPECT_EQ(layer->getInput(number), nullptr);
            }
            if (number < 0 || number >= layer->getNbOutputs()) {
                EXPECT_EQ(layer->getOutput(number), nullptr);
            }
            layer->getOutputType(number);
            layer->outputTypeIsSet(number);
            layer->resetOutputType(number);
            layer->setOutputType(number, static_cast<DataType>(number));
            layer->setPrecision(static_cast<DataType>(number));
            layer->setNbRanks(number);
            layer->setInput(number, *x_);
        });
        for (int32_t i = 0; i < layer->getNbOutputs(); ++i) {
            layer->getOutput(i)->getDimensions();
            layer->getOutput(i)->getType();
            layer->getOutput(i)->isShapeTensor();
        }
    }

    ITensor* x_ = nullptr;
};

TEST_F(NetworkMisuse, Network) {
    forNumbers([&](int32_t number) {
        network->getLayer(number);
        network->getInput(number);
        network->getOutput(number);
        network->getFlag(static_cast<NetworkDefinitionCreationFlag>(number));
        delete builder->createNetworkV2(static_cast<uint32_t>(number) & ~3U);
        builder->setMaxThreads(number);
    });
    EXPECT_EQ(network->getLayer(-1), nullptr);
    EXPECT_EQ(network->getInput(1), nullptr);
    forTexts([&](char const* text) {
        network->setName(text);
        EXPECT_NE(network->getName(), nullptr);
        network->setWeightsName({DataType::kFLOAT, nullptr, 3}, text);
        forDims([&](Dims const& dims) { network->addInput(text, DataType::kFLOAT, dims); });
        forEnum<DataType>([&](DataType type) { network->addInput(text, type, Dims2{1, 2}); });
    });
    network->unmarkOutput(*x_);
    network->markOutput(*x_);
    network->markOutput(*x_);
    EXPECT_EQ(network->getNbOutputs(), 1);
    network->unmarkOutput(*x_);
    network->unmarkOutputForShapes(*x_);
    network->markOutputForShapes(*x_);
    network->markDebug(*x_);
    network->unmarkDebug(*x_);
    network->setErrorRecorder(nullptr);
}

TEST_F(NetworkMisuse, Tensors) {
    ITensor* const y = network->addSoftMax(*x_)->getOutput(0);
    for (ITensor* const tensor : {x_, y}) {
        forNumbers([&](int32_t number) {
            forTexts([&](char const* text) { tensor->setDimensionName(number, text); });
            tensor->getDimensionName(number);
            tensor->setAllowedFormats(static_cast<uint32_t>(number));
            tensor->setLocation(static_cast<TensorLocation>(number));
            tensor->setType(static_cast<DataType>(number));
        });
        tensor->setType(DataType::kFLOAT);
        tensor->setAllowedFormats(1);
        forDims([&](Dims const& dims) {
            tensor->setDimensions(dims);
            tensor->getDimensions();
            y->getDimensions();
        });
        tensor->setDynamicRange(NAN, -NAN);
        forTexts([&](char const* text) {
            tensor->setName(text);
            EXPECT_NE(tensor->getName(), nullptr);
        });
    }
    x_->setDimensions(Dims4{1, 2, 4, 4});
    x_->setName("x");
}

TEST_F(NetworkMisuse, LayersOfNoTensor) {
    forDims([&](Dims const& dims) {
        forEnum<FillOperation>([&](FillOperation op) {
            network->addFill(dims, op);
            network->addFill(dims, op, static_cast<DataType>(op));
        });
        forLongNumbers(
            [&](int64_t count) { network->addConstant(dims, {DataType::kFLOAT, nullptr, count}); });
    });
    IFillLayer* const fill = network->addFill(Dims2{2, 2}, FillOperation::kLINSPACE);
    misuse(fill);
    forLongNumbers([&](int64_t number) {
        fill->setAlphaInt64(number);
        fill->setBetaInt64(number);
        fill->setAlpha(static_cast<double>(number));
        fill->setBeta(NAN);
    });
    float const weight[] = {1};
    IConstantLayer* const constant =
        network->addConstant(Dims{1, {1}}, {DataType::kFLOAT, weight, 1});
    misuse(constant);
    forDims([&](Dims const& dims) { constant->setDimensions(dims); });
    forLongNumbers([&](int64_t count) {
        constant->setWeights({static_cast<DataType>(count), nullptr, count});
    });
}

TEST_F(NetworkMisuse, LayersWithWindows) {
    float const weights[] = {1, 2};
    forDims([&](Dims const& dims) {
        forLongNumbers([&](int64_t number) {
            network->addConvolutionNd(*x_, number, dims, {DataType::kFLOAT, weights, 2},
                                      {DataType::kFLOAT, nullptr, number});
        });
        network->addPoolingNd(*x_, PoolingType::kMAX, dims);
    });
    IConvolutionLayer* const convolution = network->addConvolutionNd(
        *x_, 1, DimsHW{1, 1}, {DataType::kFLOAT, weights, 2}, {DataType::kFLOAT, nullptr, 0});
    IPoolingLayer* const pooling = network->addPoolingNd(*x_, PoolingType::kMAX, DimsHW{2, 2});
    forLongNumbers([&](int64_t number) {
        convolution->setNbOutputMaps(number);
        convolution->setNbGroups(number);
        convolution->setKernelWeights({DataType::kFLOAT, nullptr, number});
        convolution->setBiasWeights({static_cast<DataType>(number), nullptr, number});
        convolution->getOutput(0)->getDimensions();
    });
    forDims([&](Dims const& dims) {
        convolution->setKernelSizeNd(dims);
        convolution->setDilationNd(dims);
        convolution->setStrideNd(dims);
        convolution->setPrePadding(dims);
        convolution->setPostPadding(dims);
        convolution->setPaddingNd(dims);
        convolution->getPaddingNd();
        convolution->getOutput(0)->getDimensions();
        pooling->setWindowSizeNd(dims);
        pooling->setStrideNd(dims);
        pooling->setPostPadding(dims);
        pooling->setPrePadding(dims);
        pooling->getPaddingNd();
        pooling->getOutput(0)->getDimensions();
    });
    forEnum<PaddingMode>([&](PaddingMode mode) {
        convolution->setPaddingMode(mode);
        pooling->setPaddingMode(mode);
        pooling->setPoolingType(static_cast<PoolingType>(mode));
        pooling->setBlendFactor(NAN);
    });
    misuse(convolution);
    misuse(pooling);
}

TEST_F(NetworkMisuse, LayersOfShapes) {
    ISliceLayer* const slice =
        network->addSlice(*x_, Dims4{0, 0, 0, 0}, Dims4{1, 1, 1, 1}, Dims4{1, 1, 1, 1});
    IShuffleLayer* const shuffle = network->addShuffle(*x_);
    forDims([&](Dims const& dims) {
        network->addSlice(*x_, dims, dims, dims);
        slice->setStart(dims);
        slice->setSize(dims);
        slice->setStride(dims);
        slice->setAxes(dims);
        slice->getOutput(0)->getDimensions();
        shuffle->setReshapeDimensions(dims);
        shuffle->getOutput(0)->getDimensions();
    });
    forNumbers([&](int32_t number) {
        slice->setMode(static_cast<SampleMode>(number));
        Permutation permutation{};
        for (int32_t& axis : permutation.order) {
            axis = number;
        }
        shuffle->setFirstTranspose(permutation);
        shuffle->setSecondTranspose(permutation);
        shuffle->getOutput(0)->getDimensions();
        ITensor* const tensors[] = {x_, nullptr, x_};
        network->addConcatenation(tensors, number > 3 ? 3 : number);
        IGatherLayer* const gather = network->addGather(*x_, *x_, number);
        misuse(gather);
        misuse(network->addGatherV2(*x_, *x_, static_cast<GatherMode>(number)));
        if (gather != nullptr) {
            gather->setGatherAxis(number);
            gather->setNbElementWiseDims(number);
            gather->setMode(static_cast<GatherMode>(number));
        }
    });
    network->addConcatenation(nullptr, 2);
    IConcatenationLayer* const join = network->addConcatenation(&x_, 1);
    forNumbers([&](int32_t number) {
        join->setAxis(number);
        join->getAxis();
        join->getOutput(0)->getDimensions();
    });
    misuse(slice);
    misuse(shuffle);
    misuse(join);
    misuse(network->addShape(*x_));
}

TEST_F(NetworkMisuse, LayersOfElements) {
    forNumbers([&](int32_t number) {
        misuse(network->addActivation(*x_, static_cast<ActivationType>(number)));
        misuse(network->addUnary(*x_, static_cast<UnaryOperation>(number)));
        misuse(network->addElementWise(*x_, *x_, static_cast<ElementWiseOperation>(number)));
        misuse(network->addCast(*x_, static_cast<DataType>(number)));
        misuse(network->addReduce(*x_, static_cast<ReduceOperation>(number),
                                  static_cast<uint32_t>(number), true));
        misuse(
            network->addReduce(*x_, ReduceOperation::kSUM, static_cast<uint32_t>(number), false));
        IMatrixMultiplyLayer* const product = network->addMatrixMultiply(
            *x_, static_cast<MatrixOperation>(number), *x_, MatrixOperation::kTRANSPOSE);
        misuse(product);
        if (product != nullptr) {
            forNumbers([&](int32_t index) {
                product->setOperation(index, static_cast<MatrixOperation>(number));
                product->getOperation(index);
            });
        }
        ISoftMaxLayer* const soft = network->addSoftMax(*x_);
        soft->setAxes(static_cast<uint32_t>(number));
        soft->getAxes();
        misuse(soft);
    });
    misuse(network->addSelect(*x_, *x_, *x_));
    misuse(network->addIdentity(*x_));
}

TEST_F(NetworkMisuse, TensorsOfAnotherNetwork) {
    Session other;
    ITensor& foreign = other.input("x", {1, 2, 4, 4});
    EXPECT_EQ(network->addSoftMax(foreign), nullptr);
    ITensor* const mixed[] = {x_, &foreign};
    EXPECT_EQ(network->addConcatenation(mixed, 2), nullptr);
    network->markOutput(foreign);
    network->removeTensor(foreign);
    EXPECT_FALSE(network->markDebug(foreign));
    EXPECT_EQ(network->getNbOutputs(), 0);
    EXPECT_EQ(other.network->getNbInputs(), 1);
}

} // namespace
} // namespace kiln::test
