// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/network.h"

#include <algorithm>
#include <unordered_set>

namespace kiln::graph {
namespace {

/// The elements of an input as leaves, if it may serve as a shape tensor.
std::optional<ShapeValues> leavesOf(ExprPool& pool, Tensor const& input) {
    DataType const type = input.declaredType;
    bool const integral =
        type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
    Dims const& dims = input.declaredDims;
    if (!integral || dims.nbDims > 1 || (dims.nbDims == 1 && dims.d[0] < 0)) {
        return std::nullopt;
    }
    int64_t const count = dims.nbDims == 0 ? 1 : dims.d[0];
    if (count > kMostShapeValues) {
        return std::nullopt;
    }
    ShapeValues values;
    for (int64_t element = 0; element < count; ++element) {
        values.push_back(pool.shapeValue(input.inputIndex, static_cast<int32_t>(element)));
    }
    return values;
}

} // namespace

Tensor& Network::addInput(std::string_view name, DataType type, Dims const& dims) {
    checkDims(dims, -1, fmt::format("network input '{}'", name));
    Tensor& tensor = tensorStore_.emplace_back();
    tensor.name = name;
    tensor.inputIndex = inputsCreated_++;
    tensor.declaredType = type;
    tensor.declaredDims = dims;
    tensor.dimensionNames.resize(static_cast<std::size_t>(dims.nbDims));
    inferInput(tensor);         // layers may have been inferred already, and the inputs before them
    inputs_.push_back(&tensor); // last: what throws leaves the network as it was
    return tensor;
}

Node& Network::addNode(std::unique_ptr<Op> op, std::vector<Tensor*> inputs) {
    Node& node = newNode(std::move(op), std::move(inputs));
    enlist(node);
    return node;
}

void Network::enlist(Node& node) {
    nodes_.push_back(&node);
    try {
        order_.push_back(&node);
    } catch (...) {
        nodes_.pop_back();
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
    if (slot >= node.inputs.size()) {
        node.inputs.resize(slot + 1, nullptr);
    }
    node.inputs[slot] = tensor;
    sorted_ = false; // the tensor may come from a later layer
    touchAll();
}

void Network::touch(Node const& node) {
    auto const found = std::find(order_.begin(), order_.end(), &node);
    inferred_ = std::min(inferred_, static_cast<std::size_t>(found - order_.begin()));
}

int32_t Network::indexOf(Node const& node) const {
    auto const found = std::find(nodes_.begin(), nodes_.end(), &node);
    return static_cast<int32_t>(found - nodes_.begin());
}

void Network::sortNodes() {
    std::unordered_set<Node const*> placed;
    std::vector<Node*> order;
    std::vector<Node*> waiting = nodes_;
    while (!waiting.empty()) {
        std::vector<Node*> later;
        for (Node* node : waiting) {
            bool const ready =
                std::all_of(node->inputs.begin(), node->inputs.end(), [&](Tensor const* input) {
                    return input == nullptr || input->producer == nullptr ||
                           placed.count(input->producer) != 0;
                });
            if (ready) {
                placed.insert(node);
                order.push_back(node);
            } else {
                later.push_back(node);
            }
        }
        if (later.size() == waiting.size()) {
            fail(
                ErrorKind::kInvalidArgument,
                "[network] layer '{}' takes part in a cycle. Connect its inputs to tensors that do "
                "not depend on it.",
                later.front()->name);
        }
        waiting = std::move(later);
    }
    order_ = std::move(order);
    sorted_ = true;
}

void Network::inferInput(Tensor& tensor) {
    Dims const& dims = tensor.declaredDims;
    tensor.facts.type = tensor.declaredType;
    tensor.facts.values = leavesOf(pool_, tensor);
    tensor.facts.shape.rank = dims.nbDims;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        if (dims.d[axis] >= 0) {
            tensor.facts.shape[axis] = pool_.constant(dims.d[axis]);
            continue;
        }
        tensor.facts.shape[axis] = pool_.inputExtent(tensor.inputIndex, axis);
        std::string const& name = tensor.dimensionNames[static_cast<std::size_t>(axis)];
        for (Tensor const* other : inputs_) { // the first input with that dimension name decides
            auto const found =
                std::find(other->dimensionNames.begin(), other->dimensionNames.end(), name);
            if (!name.empty() && found != other->dimensionNames.end()) {
                auto const at = static_cast<int32_t>(found - other->dimensionNames.begin());
                if (other->declaredDims.d[at] < 0) {
                    tensor.facts.shape[axis] = pool_.inputExtent(other->inputIndex, at);
                    break;
                }
            }
        }
    }
}

void Network::inferNode(Node& node) {
    std::vector<TensorFacts> inputs;
    for (Tensor* input : node.inputs) {
        if (input != nullptr) {
            inputs.push_back(input->facts);
        }
    }
    std::vector<TensorFacts> outputs(node.outputs.size());
    InferContext context{pool_, node.name, inputs, outputs};
    node.op->infer(context);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        node.outputs[i]->facts = outputs[i];
    }
}

void Network::inferUpTo(std::size_t count) {
    if (inferred_ == 0) {
        for (Tensor* input : inputs_) {
            inferInput(*input);
        }
    }
    for (; inferred_ < count; ++inferred_) {
        inferNode(*order_[inferred_]);
    }
}

void Network::inferAll() {
    if (!sorted_) {
        sortNodes();
    }
    inferUpTo(order_.size());
}

TensorFacts const& Network::facts(Tensor& tensor) {
    if (tensor.producer == nullptr) {
        inferInput(tensor);
        return tensor.facts;
    }
    if (!sorted_) {
        sortNodes();
    }
    // Layers behind the producer may be unfinished: they are not asked.
    auto const producer = std::find(order_.begin(), order_.end(), tensor.producer);
    inferUpTo(static_cast<std::size_t>(producer - order_.begin()) + 1);
    return tensor.facts;
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

bool Network::markAllDebug(bool on) noexcept {
    for (Node* node : nodes_) {
        for (Tensor* output : node->outputs) {
            output->isDebug = on;
        }
    }
    return !nodes_.empty();
}

void Network::removeTensor(Tensor& tensor) {
    std::erase(inputs_, &tensor);
    unmarkOutput(tensor);
    touchAll();
}

} // namespace kiln::graph
