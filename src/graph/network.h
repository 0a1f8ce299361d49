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
    bool formatsAreSet = false;               ///< by the user; see BuilderFlag::kDIRECT_IO
    bool isNetworkOutput = false;
    bool isShapeOutput = false; ///< an output that is asked by value, on the host
    bool isDebug = false;       ///< reported to debug listeners
    bool isRemoved = false;     ///< a network input that was taken out again
    std::vector<Node*> users;   ///< nodes that take it, once for each operand

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

private:
    friend class Network;
    bool stale_ = true; ///< the outputs' facts are out of date; so are all that follow from them
    bool onPath_ = false;
    bool placed_ = false;
    Node* nextChanged_ = nullptr; ///< while a change is spread
    std::size_t position_ = 0;    ///< in Network::ordered()
};

/// The mutable network: owns nodes and tensors, whose addresses stay the same for its lifetime.
/// Nodes are inferred when their facts are asked for, and after a change only those that follow
/// from it: a chain of n layers costs n inferences, however often shapes are asked for meanwhile.
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
    void touch(Node& node) noexcept;
    /// edit() changes declared type, dimensions or dimension names of a network input.
    template <typename Edit>
    void redeclare(Tensor& input, Edit&& edit) {
        beforeRedeclaring(input);
        edit();
        afterRedeclaring(input);
    }
    void rename(Tensor& tensor, std::string_view name);
    bool hasInput(std::string_view name) const;

    /// Brings tensor.facts up to date; throws what the failing op throws. Only layers that the
    /// tensor follows from are looked at.
    TensorFacts const& facts(Tensor& tensor);
    /// Infers the whole network.
    void inferAll();

    void markOutput(Tensor& tensor);
    void unmarkOutput(Tensor& tensor);
    /// All layer outputs at once; false if there are none.
    bool markAllDebug(bool on) noexcept;
    /// Takes a tensor that no node takes out of the network's inputs and outputs.
    void removeTensor(Tensor& tensor);

    std::vector<Tensor*> const& inputs() const noexcept { return inputs_; }
    std::vector<Tensor*> const& outputs() const noexcept { return outputs_; }
    std::vector<Node*> const& nodes() const noexcept { return nodes_; }
    int32_t indexOf(Node const& node) const;
    /// The nodes with producers before consumers; valid after inferAll().
    std::vector<Node*> const& ordered() const noexcept { return order_; }

    std::string name;

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
    std::unordered_map<std::string, int32_t> inputNames_; ///< how many inputs have a name
    std::vector<Node*> order_;                            ///< nodes_, producers first if sorted_
    bool sorted_ = true;
};

} // namespace kiln::graph
