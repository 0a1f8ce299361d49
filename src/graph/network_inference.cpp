// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Inference of the facts of tensors, and the order of nodes in which it happens.
#include "graph/network.h"
#include "graph/real_values.h"

namespace kiln::graph {
namespace {

/// The elements of an input as expression leaves, if it can be a shape tensor.
std::optional<ShapeValues> leavesOf(ExprPool& pool, Tensor const& input) {
    DataType const type = input.declaredType;
    bool const real = type == DataType::kFLOAT;
    bool const integral =
        type == DataType::kINT32 || type == DataType::kINT64 || type == DataType::kBOOL;
    Dims const& dims = input.declaredDims;
    if ((!integral && !real) || dims.nbDims > 1 || (dims.nbDims == 1 && dims.d[0] < 0)) {
        return std::nullopt;
    }
    int64_t const count = dims.nbDims == 0 ? 1 : dims.d[0];
    if (count > (real ? kMostRealValues : kMostShapeValues)) {
        return std::nullopt;
    }
    ShapeValues values;
    for (int64_t element = 0; element < count; ++element) {
        ExprRef const leaf = pool.shapeValue(input.inputIndex, static_cast<int32_t>(element));
        values.push_back(real ? realOfLeaf(pool, leaf) : leaf);
    }
    return values;
}

/// Whether an operand is a value for the next pass of a loop: it depends on the node's output, so
/// it takes no part in order and inference.
bool isForNextPass(Node const& node, std::size_t operand) {
    return operand == 1 && node.op->layerType() == nvinfer1::LayerType::kRECURRENCE;
}

} // namespace

std::vector<TensorFacts> Node::operandFacts() const {
    std::vector<TensorFacts> facts;
    for (Tensor const* input : inputs) {
        facts.push_back(input == nullptr ? TensorFacts::absent() : input->facts);
    }
    while (!facts.empty() && facts.back().isAbsent()) {
        facts.pop_back();
    }
    return facts;
}

void Network::touch(Node& node) noexcept {
    Node* changed = nullptr; // an intrusive list, which needs no allocation
    auto const add = [&](Node& next) {
        if (!next.stale_) { // else all dependent nodes are stale, too
            next.stale_ = true;
            next.nextChanged_ = changed;
            changed = &next;
        }
    };
    add(node);
    while (changed != nullptr) {
        Node const& next = *changed;
        changed = next.nextChanged_;
        for (Tensor const* output : next.outputs) {
            for (Node* user : output->users) {
                add(*user);
            }
        }
    }
}

void Network::touchUsers(Tensor const& tensor) {
    for (Node* user : tensor.users) {
        touch(*user);
    }
}

/// Visits the nodes that `last` depends on, then `last`, producers first. enter() decides whether
/// to visit a node, leave() does the work. Iterative, because chains may be long.
template <typename Enter, typename Leave>
void Network::walk(Node& last, Enter const& enter, Leave const& leave) {
    struct Step {
        Node* node;
        std::size_t input;
    };
    struct Path : std::vector<Step> {
        ~Path() {
            for (Step const& step : *this) {
                step.node->onPath_ = false;
            }
        }
    } path;
    auto const begin = [&](Node& node) {
        path.push_back({&node, 0});
        node.onPath_ = true;
    };
    begin(last);
    while (!path.empty()) {
        auto& [node, input] = path.back();
        if (input == node->inputs.size()) {
            leave(*node);
            node->onPath_ = false;
            path.pop_back();
            continue;
        }
        bool const skips = isForNextPass(*node, input);
        Tensor const* const operand = node->inputs[input++];
        Node* const producer = operand == nullptr || skips ? nullptr : operand->producer;
        if (producer == nullptr || !enter(*producer)) {
            continue;
        }
        if (producer->onPath_) {
            fail(
                ErrorKind::kInvalidArgument,
                "[network] layer '{}' takes part in a cycle. Connect its inputs to tensors that do "
                "not depend on it.",
                producer->name);
        }
        begin(*producer);
    }
}

void Network::sortNodes() {
    for (Node* node : nodes_) {
        node->placed_ = false;
    }
    std::vector<Node*> order;
    auto const isOpen = [](Node const& node) { return !node.placed_; };
    for (Node* node : nodes_) {
        if (isOpen(*node)) {
            walk(*node, isOpen, [&](Node& next) {
                next.placed_ = true;
                next.position_ = order.size();
                order.push_back(&next);
            });
        }
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
        auto const* const first =
            dimensionNames_.decider(tensor.dimensionNames[static_cast<std::size_t>(axis)]);
        tensor.facts.shape[axis] = first == nullptr
                                       ? pool_.inputExtent(tensor.inputIndex, axis)
                                       : pool_.inputExtent(first->input->inputIndex, first->axis);
    }
}

void Network::inferNode(Node& node) {
    std::vector<TensorFacts> const inputs = node.operandFacts();
    std::vector<TensorFacts> outputs(node.outputs.size());
    node.sizes.resize(static_cast<std::size_t>(node.op->sizeCount()));
    InferContext context{pool_, node.name, inputs, outputs, {}, node.sizes};
    expectPresent(context, *node.op);
    node.op->infer(context);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        node.outputs[i]->facts = outputs[i];
    }
    if (node.converts()) {
        TensorFacts& facts = node.outputs[0]->facts;
        auto const counts = [](DataType type) {
            return type == DataType::kINT32 || type == DataType::kINT64;
        };
        if (!counts(facts.type) || !counts(*node.outputType(0))) {
            facts.values.reset();
        }
        facts.type = *node.outputType(0);
    }
    node.stale_ = false;
}

void Network::inferAll() {
    if (!sorted_) {
        sortNodes();
    }
    for (Node* node : order_) {
        if (node->stale_) {
            inferNode(*node);
        }
    }
}

TensorFacts const& Network::facts(Tensor& tensor) {
    if (tensor.producer != nullptr && tensor.producer->stale_) {
        walk(
            *tensor.producer, [](Node const& node) { return node.stale_; },
            [&](Node& node) { inferNode(node); });
    }
    return tensor.facts;
}

} // namespace kiln::graph
