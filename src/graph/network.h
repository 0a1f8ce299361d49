// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"

namespace kiln::graph {

class Node;

/// One tensor of the user's network. `facts` are those of the last inference.
struct Tensor {
    std::string name;
    Node* producer = nullptr; ///< null for network inputs
    int32_t outputIndex = 0;  ///< which output of the producer
    int32_t inputIndex = -1;  ///< position among the network inputs, in order of creation; else -1

    DataType declaredType = DataType::kFLOAT; ///< of network inputs; else see wantedType
    Dims declaredDims{};                      ///< of network inputs, -1 where dynamic
    std::vector<std::string> dimensionNames;  ///< of network inputs; equal names, equal extents
    std::optional<DataType> wantedType;       ///< ITensor::setType on others; decides casts
    uint32_t allowedFormats = 1;              ///< bit mask of TensorFormat, inputs and outputs
    bool isNetworkOutput = false;
    bool isShapeOutput = false; ///< an output that is asked by value, on the host
    bool isDebug = false;       ///< reported to debug listeners

    TensorFacts facts;
};

/// One layer of the user's network.
class Node {
public:
    std::string name;
    std::string metadata;
    std::unique_ptr<Op> op;
    std::vector<Tensor*> inputs; ///< null where an optional operand is absent
    std::vector<Tensor*> outputs;
};

/// The mutable network: owns nodes and tensors, whose addresses stay the same for its lifetime.
/// Nodes are inferred lazily and in order: a change at node i only repeats the work from i on.
/// Not thread-safe, as the API.
class Network {
public:
    explicit Network(bool stronglyTyped) : stronglyTyped_(stronglyTyped) {}

    bool stronglyTyped() const noexcept { return stronglyTyped_; }
    ExprPool& pool() noexcept { return pool_; }

    Tensor& addInput(std::string_view name, DataType type, Dims const& dims);
    /// Adds a layer with a default name of the form "(Unnamed Layer* 3) [Softmax]".
    Node& addNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs);
    /// The same in two parts: a node that is not among nodes() yet, and what puts it there. For
    /// callers that have more to allocate before the network changes.
    Node& newNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs);
    void enlist(Node& node);
    void setNodeInput(Node& node, int32_t index, Tensor* tensor);

    /// To be called after any parameter of the node's op changed.
    void touch(Node const& node);
    /// To be called after an input's declaration changed.
    void touchAll() noexcept { inferred_ = 0; }

    /// Brings tensor.facts up to date; throws what the failing op throws. Layers that stand behind
    /// the tensor's producer are not looked at.
    TensorFacts const& facts(Tensor& tensor);
    /// Infers the whole network.
    void inferAll();

    void markOutput(Tensor& tensor);
    void unmarkOutput(Tensor& tensor);
    /// All layer outputs at once; false if there are none.
    bool markAllDebug(bool on) noexcept;
    void removeTensor(Tensor& tensor); ///< takes it out of the network's inputs

    std::vector<Tensor*> const& inputs() const noexcept { return inputs_; }
    std::vector<Tensor*> const& outputs() const noexcept { return outputs_; }
    std::vector<Node*> const& nodes() const noexcept { return nodes_; }
    int32_t indexOf(Node const& node) const;
    /// The nodes with producers before consumers; valid after inferAll().
    std::vector<Node*> const& ordered() const noexcept { return order_; }

    std::string name;

private:
    void inferUpTo(std::size_t count); ///< the first `count` nodes of `order_`, which is sorted
    void inferNode(Node& node);
    void inferInput(Tensor& tensor);
    void sortNodes();

    bool stronglyTyped_;
    ExprPool pool_;
    std::deque<Tensor> tensorStore_;
    std::deque<Node> nodeStore_;
    std::vector<Tensor*> inputs_;
    std::vector<Tensor*> outputs_;
    std::vector<Node*> nodes_;
    int32_t inputsCreated_ = 0;
    std::size_t inferred_ = 0; ///< nodes [0, inferred_) of `order_` are up to date
    std::vector<Node*> order_; ///< nodes_ with producers before consumers
    bool sorted_ = true;
};

} // namespace kiln::graph
