// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/node_order.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace kiln::onnx {

namespace {

using Visit = std::function<void(std::string_view)>;
using Names = std::unordered_set<std::string_view>;

void visitFree(GraphProto const& graph, Visit const& visit) {
    Names own;
    for (TensorProto const& tensor : graph.initializers) {
        own.insert(tensor.name);
    }
    for (ValueInfoProto const& input : graph.inputs) {
        own.insert(input.name);
    }
    for (NodeProto const& node : graph.nodes) {
        own.insert(node.outputs.begin(), node.outputs.end());
    }
    Visit const free = [&](std::string_view name) {
        if (!own.contains(name)) {
            visit(name);
        }
    };
    for (NodeProto const& node : graph.nodes) {
        forEachRead(node, free);
    }
    for (ValueInfoProto const& output : graph.outputs) {
        free(output.name);
    }
}

// For each node, the later or earlier nodes that it needs; only nodes that are out of order.
class Order {
public:
    explicit Order(std::vector<NodeProto> const& nodes) : nodes_(nodes), waitsFor_(nodes.size()) {
        for (size_t i = 0; i < nodes.size(); ++i) {
            for (std::string const& output : nodes[i].outputs) {
                producers_.try_emplace(output, i);
            }
        }
        for (size_t i = 0; i < nodes.size(); ++i) {
            Names seen;
            forEachRead(nodes[i], [&](std::string_view name) { add(i, name, seen); });
        }
    }

    bool isSorted() const { return isSorted_; }

    std::vector<size_t> sorted() {
        std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
        for (size_t i = 0; i < nodes_.size(); ++i) {
            if (waitsFor_[i] == 0) {
                ready.push(i);
            }
        }
        std::vector<size_t> order;
        while (!ready.empty()) {
            size_t const next = ready.top();
            ready.pop();
            order.push_back(next);
            for (size_t const user : users_[next]) {
                if (--waitsFor_[user] == 0) {
                    ready.push(user);
                }
            }
        }
        return order;
    }

    // A node that no order can place: it waits for others of its kind.
    size_t firstLeft() const {
        auto const left = std::find_if(waitsFor_.begin(), waitsFor_.end(),
                                       [](size_t count) { return count > 0; });
        return static_cast<size_t>(left - waitsFor_.begin());
    }

private:
    void add(size_t node, std::string_view name, Names& seen) {
        auto const found = producers_.find(name);
        if (name.empty() || found == producers_.end() || !seen.insert(name).second) {
            return;
        }
        users_[found->second].push_back(node);
        ++waitsFor_[node];
        isSorted_ = isSorted_ && found->second < node;
    }

    std::vector<NodeProto> const& nodes_;
    std::unordered_map<std::string_view, size_t> producers_;
    std::unordered_map<size_t, std::vector<size_t>> users_;
    std::vector<size_t> waitsFor_;
    bool isSorted_ = true;
};

} // namespace

void forEachRead(NodeProto const& node, Visit const& visit) {
    for (std::string const& input : node.inputs) {
        visit(input);
    }
    for (AttributeProto const& attribute : node.attributes) {
        if (attribute.graph != nullptr) {
            visitFree(*attribute.graph, visit);
        }
    }
}

bool reads(GraphProto const& graph, std::string_view name) {
    bool found = false;
    Visit const look = [&](std::string_view other) { found = found || other == name; };
    for (NodeProto const& node : graph.nodes) {
        forEachRead(node, look);
    }
    for (ValueInfoProto const& output : graph.outputs) {
        look(output.name);
    }
    return found;
}

namespace {

// The inputs of an operator whose elements decide the shape of its result.
std::vector<size_t> shapeInputs(std::string_view type) {
    using Row = std::pair<std::string_view, std::vector<size_t>>;
    static std::vector<Row> const rows{
        {"Slice", {1, 2}}, {"Reshape", {1}}, {"Expand", {1}},          {"Tile", {1}},
        {"Pad", {1}},      {"Split", {1}},   {"ConstantOfShape", {0}}, {"Range", {0, 1, 2}},
    };
    auto const row = std::find_if(rows.begin(), rows.end(),
                                  [&](Row const& candidate) { return candidate.first == type; });
    return row == rows.end() ? std::vector<size_t>{} : row->second;
}

} // namespace

bool shapesDependOn(GraphProto const& graph, std::string_view name) {
    std::unordered_set<std::string_view> dependent{name};
    for (size_t const index : sortedOrder(graph.nodes)) {
        NodeProto const& node = graph.nodes[index];
        auto const depends = [&](size_t input) {
            return input < node.inputs.size() && dependent.contains(node.inputs[input]);
        };
        std::vector<size_t> const shapes = shapeInputs(node.opType);
        if (std::any_of(shapes.begin(), shapes.end(), depends)) {
            return true;
        }
        bool reads = false;
        forEachRead(node,
                    [&](std::string_view read) { reads = reads || dependent.contains(read); });
        if (reads && node.opType != "Shape" && node.opType != "Size") {
            dependent.insert(node.outputs.begin(), node.outputs.end());
        }
    }
    return false;
}

std::vector<size_t> sortedOrder(std::vector<NodeProto> const& nodes) {
    Order order(nodes);
    if (order.isSorted()) {
        std::vector<size_t> all(nodes.size());
        std::iota(all.begin(), all.end(), size_t{0});
        return all;
    }
    std::vector<size_t> sorted = order.sorted();
    if (sorted.size() < nodes.size()) {
        size_t const index = order.firstLeft();
        ImportError error(ErrorCode::kINVALID_GRAPH,
                          text("expected nodes that can be sorted topologically, got ",
                               nodes.size() - sorted.size(),
                               " that read each other's outputs in a circle, or outputs of such "
                               "nodes."));
        error.nodeIndex = static_cast<int>(index);
        error.nodeName = nodes[index].name;
        error.nodeOperator = nodes[index].opType;
        throw error;
    }
    return sorted;
}

} // namespace kiln::onnx
