// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/network.h"

#include <algorithm>
#include <iterator>

namespace kiln::graph {

Tensor& Network::addInput(std::string_view name, DataType type, Dims const& dims) {
    checkDims(dims, -1, fmt::format("network input '{}'", name));
    Tensor& tensor = tensorStore_.emplace_back();
    tensor.name = name;
    tensor.inputIndex = inputsCreated_++;
    tensor.declaredType = type;
    tensor.declaredDims = dims;
    tensor.dimensionNames.resize(static_cast<std::size_t>(dims.nbDims));
    inferInput(tensor);
    inputs_.push_back(&tensor); // last: an exception above must leave inputs_ unchanged
    try {
        ++inputNames_[tensor.name];
    } catch (...) {
        inputs_.pop_back();
        throw;
    }
    return tensor;
}

void Network::rename(Tensor& tensor, std::string_view name) {
    bool const isInput = tensor.producer == nullptr && !tensor.isRemoved;
    std::string next(name);
    if (isInput) {
        ++inputNames_[next];
        if (--inputNames_[tensor.name] == 0) {
            inputNames_.erase(tensor.name);
        }
    }
    tensor.name = std::move(next);
}

bool Network::hasInput(std::string_view name) const {
    return inputNames_.count(std::string(name)) != 0;
}

Node& Network::addNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs) {
    Node& node = newNode(std::move(op), std::move(inputs));
    enlist(node);
    return node;
}

void Network::enlist(Node& node) {
    auto const takeBack = [&](std::vector<Node*>& list) {
        if (!list.empty() && list.back() == &node) {
            list.pop_back();
        }
    };
    node.position_ = order_.size();
    try {
        nodes_.push_back(&node);
        order_.push_back(&node);
        for (Tensor* input : node.inputs) {
            if (input != nullptr) {
                input->users.push_back(&node);
            }
        }
    } catch (...) { // leave the network unchanged
        takeBack(nodes_);
        takeBack(order_);
        for (Tensor* input : node.inputs) {
            if (input != nullptr) {
                takeBack(input->users);
            }
        }
        throw;
    }
}

Node& Network::newNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs) {
    Node& node = nodeStore_.emplace_back();
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.name = fmt::format("(Unnamed Layer* {}) [{}]", nodes_.size(), node.op->kind());
    for (int32_t i = 0; i < node.op->outputCount(); ++i) {
        Tensor& output = tensorStore_.emplace_back();
        output.name = fmt::format("(Unnamed Layer* {}) [{}]_output{}", nodes_.size(),
                                  node.op->kind(), i == 0 ? "" : fmt::format("_{}", i));
        output.producer = &node;
        output.outputIndex = i;
        node.outputs.push_back(&output);
    }
    return node;
}

void Network::setNodeInput(Node& node, int32_t index, Tensor* tensor) {
    auto const slot = static_cast<std::size_t>(index);
    node.inputs.reserve(slot + 1);
    if (tensor != nullptr) {
        tensor->users.push_back(&node); // if this throws, the network is unchanged
    }
    node.inputs.resize(std::max(node.inputs.size(), slot + 1), nullptr);
    if (Tensor* const before = node.inputs[slot]; before != nullptr) {
        std::vector<Node*>& users = before->users; // usually the last one moves
        users.erase(std::next(std::find(users.rbegin(), users.rend(), &node)).base());
    }
    node.inputs[slot] = tensor;
    if (tensor != nullptr) {
        Node const* const producer = tensor->producer;
        sorted_ = sorted_ && (producer == nullptr || producer->position_ < node.position_);
    }
    touch(node);
}

int32_t Network::indexOf(Node const& node) const {
    auto const found = std::find(nodes_.begin(), nodes_.end(), &node);
    return static_cast<int32_t>(found - nodes_.begin());
}

void Network::beforeRedeclaring(Tensor& input) {
    std::vector<Tensor*> const others = dimensionNames_.followers(input);
    dimensionNames_.remove(input);
    for (Tensor* other : others) { // another input now decides their extents
        inferInput(*other);
        touchUsers(*other);
    }
}

void Network::afterRedeclaring(Tensor& input) {
    if (!input.isRemoved) {
        dimensionNames_.add(input);
    }
    inferInput(input);
    touchUsers(input);
    for (Tensor* other : dimensionNames_.followers(input)) {
        inferInput(*other);
        touchUsers(*other);
    }
}

void Network::markOutput(Tensor& tensor) {
    if (!tensor.isNetworkOutput) {
        outputs_.push_back(&tensor);
        tensor.isNetworkOutput = true;
    }
}

void Network::unmarkOutput(Tensor& tensor) {
    tensor.isNetworkOutput = false;
    std::erase(outputs_, &tensor);
}

void Network::removeTensor(Tensor& tensor) {
    unmarkOutput(tensor);
    if (tensor.producer != nullptr || tensor.isRemoved) {
        return;
    }
    std::erase(inputs_, &tensor);
    if (--inputNames_[tensor.name] == 0) {
        inputNames_.erase(tensor.name);
    }
    tensor.isRemoved = true;
    redeclare(tensor, [] {}); // removes its dimension names
}

} // namespace kiln::graph
