// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/dimension_names.h"
#include "graph/op.h"
#include "graph/weight_names.h"

namespace kiln::graph {

class Node;

/// The range of a tensor's values, for quantization.
struct DynamicRange {
    float min = 0.0F;
    float max = 0.0F;
};

/// One tensor of the user's network. `facts` are from the last inference.
struct Tensor {
    std::string name;
    Node* producer = nullptr; ///< null for network inputs
    int32_t outputIndex = 0;  ///< which output of the producer
    int32_t inputIndex = -1;  ///< network inputs: number in order of creation; others: -1

    DataType declaredType = DataType::kFLOAT; ///< network inputs only; others: wantedType
    Dims declaredDims{};                      ///< network inputs only; -1: dynamic
    std::vector<std::string> dimensionNames;  ///< network inputs only; see DimensionNames
    std::optional<DataType> wantedType;       ///< ITensor::setType on other tensors; decides casts
    std::optional<DynamicRange> range;        ///< ITensor::setDynamicRange
    uint32_t allowedFormats = 1;              ///< bit mask of TensorFormat, inputs and outputs
    bool formatsAreSet = false;               ///< by the user; used for BuilderFlag::kDIRECT_IO
    bool isNetworkOutput = false;
    bool isShapeOutput = false; ///< an output whose values are read on the host
    bool isDebug = false;       ///< reported to debug listeners
    bool isRemoved = false;     ///< a network input that was removed
    std::vector<Node*> users;   ///< nodes that read it, once for each operand

    TensorFacts facts;

    /// The type that the user chose for an output of the network; empty: that of the facts.
    std::optional<DataType> chosenType() const;
};

/// One layer of the user's network.
class Node {
public:
    std::string name;
    std::string metadata;
    std::unique_ptr<Op> op;
    std::vector<Tensor*> inputs; ///< null where an optional operand is absent
    std::vector<Tensor*> outputs;
    std::vector<DeclaredSize> sizes;   ///< from the last inference
    std::optional<DataType> precision; ///< ILayer::setPrecision
    /// ILayer::setOutputType, by output; may have fewer entries than there are outputs.
    std::vector<std::optional<DataType>> outputTypes;

    std::optional<DataType> outputType(std::size_t output) const {
        return output < outputTypes.size() ? outputTypes[output] : std::nullopt;
    }
    /// Whether an output has another type than the op gives it: an identity converts.
    bool converts() const {
        return outputType(0).has_value() && op->layerType() == nvinfer1::LayerType::kIDENTITY;
    }

    /// The facts of the operands, without absent ones at the end.
    std::vector<TensorFacts> operandFacts() const;

private:
    friend class Network;
    bool stale_ = true; ///< the facts of the outputs and of all dependent nodes are out of date
    bool onPath_ = false;
    bool placed_ = false;
    Node* nextChanged_ = nullptr; ///< list used by Network::touch()
    std::size_t position_ = 0;    ///< in Network::ordered()
};

inline std::optional<DataType> Tensor::chosenType() const {
    if (wantedType.has_value() || producer == nullptr || !isNetworkOutput) {
        return wantedType;
    }
    return producer->outputType(static_cast<std::size_t>(outputIndex));
}

/// The mutable network. Owns nodes and tensors, whose addresses are stable. Nodes are inferred when
/// their facts are queried, and again only if they depend on a change: building a chain of n layers
/// costs n inferences, however often shapes are queried in between. Not thread-safe, like the API.
class Network {
public:
    explicit Network(bool stronglyTyped) : stronglyTyped_(stronglyTyped) {}

    bool stronglyTyped() const noexcept { return stronglyTyped_; }
    ExprPool& pool() noexcept { return pool_; }

    Tensor& addInput(std::string_view name, DataType type, Dims const& dims);
    /// Adds a layer with a default name of the form "(Unnamed Layer* 3) [SoftMax]".
    Node& addNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs);
    /// addNode() in two parts: newNode() creates a node outside of nodes(), enlist() adds it. For
    /// callers that must allocate more before the network changes.
    Node& newNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs);
    void enlist(Node& node);
    void setNodeInput(Node& node, int32_t index, Tensor* tensor);

    /// Call after a parameter of the node's op changed.
    void touch(Node& node) noexcept;
    /// Calls edit(), which changes the declared type, dimensions or dimension names of a network
    /// input, and updates the network.
    template <typename Edit>
    void redeclare(Tensor& input, Edit&& edit) {
        beforeRedeclaring(input);
        edit();
        afterRedeclaring(input);
    }
    void rename(Tensor& tensor, std::string_view name);
    bool hasInput(std::string_view name) const;

    /// Brings tensor.facts up to date, visiting only the layers that the tensor depends on. Throws
    /// what an op's infer() throws.
    TensorFacts const& facts(Tensor& tensor);
    /// Infers the whole network.
    void inferAll();

    void markOutput(Tensor& tensor);
    void unmarkOutput(Tensor& tensor);
    /// Removes a tensor from the network's inputs and outputs. No node may read it.
    void removeTensor(Tensor& tensor);

    std::vector<Tensor*> const& inputs() const noexcept { return inputs_; }
    std::vector<Tensor*> const& outputs() const noexcept { return outputs_; }
    std::vector<Node*> const& nodes() const noexcept { return nodes_; }
    int32_t indexOf(Node const& node) const;
    /// The nodes with producers before consumers; valid after inferAll().
    std::vector<Node*> const& ordered() const noexcept { return order_; }

    std::string name;
    WeightNames weightNames;

private:
    template <typename Enter, typename Leave>
    static void walk(Node& last, Enter const& enter, Leave const& leave);
    void inferNode(Node& node);
    void inferInput(Tensor& tensor);
    void beforeRedeclaring(Tensor& input);
    void afterRedeclaring(Tensor& input);
    void touchUsers(Tensor const& tensor);
    void sortNodes();

    bool stronglyTyped_;
    ExprPool pool_;
    std::deque<Tensor> tensorStore_;
    std::deque<Node> nodeStore_;
    std::vector<Tensor*> inputs_;
    std::vector<Tensor*> outputs_;
    std::vector<Node*> nodes_;
    int32_t inputsCreated_ = 0;
    DimensionNames dimensionNames_;
    std::unordered_map<std::string, int32_t> inputNames_; ///< number of inputs with each name
    std::vector<Node*> order_;                            ///< nodes_; producers first if sorted_
    bool sorted_ = true;
};

} // namespace kiln::graph
