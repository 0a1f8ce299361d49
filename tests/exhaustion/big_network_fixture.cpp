// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "exhaustion/jobs.h"

namespace kiln::test {

using namespace nvinfer1;

void QuietLogger::log(Severity severity, char const* text) noexcept {
    if (severity <= Severity::kERROR) {
        ++errors;
        std::snprintf(last, sizeof(last), "%s", text);
    }
}

namespace {

constexpr float kOnes[] = {1, 1, 1, 1};
constexpr float kIdentity[] = {1, 0, 0, 1};
constexpr float kThree[] = {3};
constexpr float kZero[] = {0};

/// Adds layers one after another; after one that fails, it adds nothing.
class Chain {
public:
    Chain(INetworkDefinition& network, ITensor* tensor) : network_(network), tensor_(tensor) {}

    ITensor* tensor() const noexcept { return tensor_; }
    template <typename Add>
    Chain& then(Add&& add) noexcept {
        if (tensor_ != nullptr) {
            ILayer* const layer = add(network_, *tensor_);
            tensor_ = layer == nullptr ? nullptr : layer->getOutput(0);
        }
        return *this;
    }

private:
    INetworkDefinition& network_;
    ITensor* tensor_;
};

ILayer* reshaped(INetworkDefinition& network, ITensor& x) noexcept {
    IShapeLayer* const shape = network.addShape(x);
    IShuffleLayer* const shuffle = network.addShuffle(x);
    if (shape == nullptr || shuffle == nullptr) {
        return nullptr;
    }
    shuffle->setInput(1, *shape->getOutput(0));
    return shuffle->getNbInputs() == 2 ? shuffle : nullptr;
}

ILayer* twiceAndHalf(INetworkDefinition& network, ITensor& x) noexcept {
    ITensor* const twice[] = {&x, &x};
    IConcatenationLayer* const both = network.addConcatenation(twice, 2);
    if (both == nullptr) {
        return nullptr;
    }
    both->setAxis(2);
    ISliceLayer* const half = network.addSlice(*both->getOutput(0), Dims4{0, 0, 0, 0},
                                               Dims4{1, 1, 2, 2}, Dims4{1, 1, 1, 1});
    IShapeLayer* const shape = network.addShape(x);
    if (half == nullptr || shape == nullptr) {
        return nullptr;
    }
    half->setInput(2, *shape->getOutput(0));
    return half->getNbInputs() == 3 ? half : nullptr;
}

} // namespace

bool fillBig(INetworkDefinition& network) noexcept {
    DoublingV2 v2;
    DoublingV3 v3;
    ITensor* const x = network.addInput("x", DataType::kFLOAT, Dims4{-1, 1, 2, 2});
    Chain chain(network, x);
    chain
        .then([](auto& n, ITensor& t) -> ILayer* {
            IConstantLayer* const ones =
                n.addConstant(Dims4{1, 1, 2, 2}, {DataType::kFLOAT, kOnes, 4});
            return ones == nullptr
                       ? nullptr
                       : n.addElementWise(t, *ones->getOutput(0), ElementWiseOperation::kPROD);
        })
        .then([](auto& n, ITensor& t) -> ILayer* {
            return n.addConvolutionNd(t, 1, DimsHW{1, 1}, {DataType::kFLOAT, kThree, 1},
                                      {DataType::kFLOAT, kZero, 1});
        })
        .then([](auto& n, ITensor& t) { return n.addActivation(t, ActivationType::kRELU); })
        .then([&](auto& n, ITensor& t) -> ILayer* {
            ITensor* const in[] = {&t};
            return n.addPluginV2(in, 1, v2);
        })
        .then([&](auto& n, ITensor& t) -> ILayer* {
            ITensor* const in[] = {&t};
            return n.addPluginV3(in, 1, nullptr, 0, v3);
        })
        .then([](auto& n, ITensor& t) { return reshaped(n, t); })
        .then([](auto& n, ITensor& t) { return twiceAndHalf(n, t); })
        .then([](auto& n, ITensor& t) -> ILayer* {
            IConstantLayer* const identity =
                n.addConstant(Dims4{1, 1, 2, 2}, {DataType::kFLOAT, kIdentity, 4});
            return identity == nullptr
                       ? nullptr
                       : n.addMatrixMultiply(t, MatrixOperation::kNONE, *identity->getOutput(0),
                                             MatrixOperation::kNONE);
        })
        .then([](auto& n, ITensor& t) {
            return n.addPoolingNd(t, PoolingType::kAVERAGE, DimsHW{1, 1});
        });
    if (chain.tensor() == nullptr) {
        return false;
    }
    chain.tensor()->setName("y");
    network.markOutput(*chain.tensor());
    return network.getNbOutputs() == 1 && std::strcmp(chain.tensor()->getName(), "y") == 0;
}

bool fillProfile(IOptimizationProfile& profile) noexcept {
    return profile.setDimensions("x", OptProfileSelector::kMIN, Dims4{1, 1, 2, 2}) &&
           profile.setDimensions("x", OptProfileSelector::kOPT, Dims4{4, 1, 2, 2}) &&
           profile.setDimensions("x", OptProfileSelector::kMAX, Dims4{8, 1, 2, 2});
}

bool runBig(IExecutionContext& context, int64_t batch) noexcept {
    constexpr int32_t kMost = 32;
    float x[kMost];
    float y[kMost];
    for (int32_t i = 0; i < kMost; ++i) {
        x[i] = 1.0F + static_cast<float>(i);
        y[i] = -1.0F;
    }
    if (!context.setInputShape("x", Dims4{batch, 1, 2, 2}) || !context.setTensorAddress("x", x) ||
        !context.setTensorAddress("y", y) || !context.enqueueV3(nullptr)) {
        return false;
    }
    bool right = true;
    for (int32_t i = 0; i < 4 * batch; ++i) {
        right = right && y[i] == 12.0F * x[i];
    }
    if (!right) {
        std::fprintf(stderr, "wrong results\n");
    }
    return right;
}

void fillWhatIsKept() {
    constexpr int32_t kMoreThanAreKept = 4200;
    QuietLogger log;
    BigCreators creators;
    std::unique_ptr<IHostMemory> const plan = bigPlan(log);
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
    std::unique_ptr<ICudaEngine> const engine(
        creators.enter() ? runtime->deserializeCudaEngine(plan->data(), plan->size()) : nullptr);
    for (int32_t i = 0; i < kMoreThanAreKept && engine != nullptr; ++i) {
        std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    }
}

std::unique_ptr<IHostMemory> bigPlan(ILogger& log) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(log));
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    IOptimizationProfile* const profile = builder->createOptimizationProfile();
    if (!fillBig(*network) || !fillProfile(*profile) ||
        config->addOptimizationProfile(profile) != 0) {
        return nullptr;
    }
    return std::unique_ptr<IHostMemory>(builder->buildSerializedNetwork(*network, *config));
}

} // namespace kiln::test
