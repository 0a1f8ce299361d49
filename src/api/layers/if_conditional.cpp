// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/boundary/conditional.h"

#include "api/layers/block.h"

namespace kiln::api {
namespace {

template <typename Interface, typename OpType>
class ConditionalLayer : public BorderLayer<Interface, OpType, nvinfer1::IIfConditional> {
public:
    using BorderLayer<Interface, OpType, nvinfer1::IIfConditional>::BorderLayer;

    nvinfer1::IIfConditional* getConditional() const noexcept override { return this->block; }
};

using ConditionLayer = ConditionalLayer<nvinfer1::IConditionLayer, graph::Condition>;
using InputLayer = ConditionalLayer<nvinfer1::IIfConditionalInputLayer, graph::ConditionalInput>;

/// The node has the condition as a third input, since extents may depend on it.
class OutputLayer final
    : public ConditionalLayer<nvinfer1::IIfConditionalOutputLayer, graph::ConditionalOutput> {
public:
    using ConditionalLayer::ConditionalLayer;

    int32_t getNbInputs() const noexcept override { return kResults; }
    nvinfer1::ITensor* getInput(int32_t index) const noexcept override {
        return index < kResults ? core().input(index) : nullptr;
    }
    void setInput(int32_t index, nvinfer1::ITensor& tensor) noexcept override {
        if (index >= kResults) {
            core().reject("input", "expected 0 or 1, got {}.", index);
            return;
        }
        ConditionalLayer::setInput(index, tensor);
    }

private:
    static constexpr int32_t kResults = 2;
};

class Conditional final : public BlockBase<nvinfer1::IIfConditional> {
public:
    using BlockBase::BlockBase;

    nvinfer1::IConditionLayer* setCondition(nvinfer1::ITensor& condition) noexcept override;
    nvinfer1::IIfConditionalOutputLayer* addOutput(
        nvinfer1::ITensor& trueSubgraphOutput,
        nvinfer1::ITensor& falseSubgraphOutput) noexcept override;
    nvinfer1::IIfConditionalInputLayer* addInput(nvinfer1::ITensor& input) noexcept override {
        return add<InputLayer>("conditional input layer", graph::ConditionalInput(), {&input});
    }

private:
    nvinfer1::ITensor* condition_ = nullptr;
    std::vector<graph::Node*> outputs_;
};

nvinfer1::IConditionLayer* Conditional::setCondition(nvinfer1::ITensor& condition) noexcept {
    return network().reporter().guard<nvinfer1::IConditionLayer*>(
        nullptr, [&]() -> nvinfer1::IConditionLayer* {
            if (condition_ != nullptr) {
                fail(ErrorKind::kInvalidArgument,
                     "[network] conditional '{}': expected one condition, got a second one. "
                     "Replace the input of its condition layer.",
                     getName());
            }
            auto* const layer =
                add<ConditionLayer>("condition layer", graph::Condition(), {&condition});
            if (layer != nullptr) {
                condition_ = &condition;
                for (graph::Node* node : outputs_) {
                    network().graph().setNodeInput(*node, 2, layer->graphNode().inputs[0]);
                }
            }
            return layer;
        });
}

nvinfer1::IIfConditionalOutputLayer* Conditional::addOutput(
    nvinfer1::ITensor& trueSubgraphOutput, nvinfer1::ITensor& falseSubgraphOutput) noexcept {
    std::vector<nvinfer1::ITensor*> inputs{&trueSubgraphOutput, &falseSubgraphOutput};
    if (condition_ != nullptr) {
        inputs.push_back(condition_);
    }
    auto* const layer =
        add<OutputLayer>("conditional output layer", graph::ConditionalOutput(), inputs);
    if (layer != nullptr) {
        network().reporter().guard([&] { outputs_.push_back(&layer->graphNode()); });
    }
    return layer;
}

} // namespace

nvinfer1::IIfConditional* NetworkDefinition::addIfConditional() noexcept {
    return addBlock<Conditional>();
}

} // namespace kiln::api
