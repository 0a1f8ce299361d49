// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Turns the graph of a model into layers of a network: inputs, initializers, nodes, outputs.
#pragma once

#include "onnx/node_context.h"
#include "onnx/proto/messages.h"
#include "onnx/value.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace kiln::onnx {

// Elements that the caller supplies in place of those of the model, by initializer name.
using SuppliedData = std::map<std::string, std::string_view, std::less<>>;

// The operator set whose rules hold for a model; newer ones than those known are logged.
int64_t opsetOf(ModelProto const& model, Log const& log);

class GraphImporter {
public:
    struct Options {
        bool pluginsOverride; // plugins take nodes that bear an operator's name
    };

    GraphImporter(NodeContext::Graph& target, ModelProto const& model, Options options);

    // Gets an error that concerns one node.
    using Report = std::function<void(ImportError const&)>;

    // Adds the whole graph; false if nodes were reported, and the network is then incomplete. Nodes
    // that need the outputs of such a node are reported only if they could not be imported anyway.
    // Throws ImportError for what concerns the graph as a whole.
    bool run(SuppliedData const& supplied, Report const& report);

    // The value that an output name stands for, after run(); null if there is none.
    Value const* find(std::string_view name) const;

private:
    void addInitializers(SuppliedData const& supplied);
    void addInput(ValueInfoProto const& info);
    bool addNodes(Report const& report);
    bool needsMissing(NodeProto const& node) const;
    void addNode(size_t index);
    // ImportError if it is known, without a look at shapes, that the node cannot be imported.
    void expectSupported(size_t index);
    void importNode(NodeProto const& node, std::string const& layerName);
    void keepOutputs(NodeContext& context);
    void markOutput(ValueInfoProto const& info);
    void define(std::string const& name, Value const& value);
    bool goesToPlugin(NodeContext& context) const;

    NodeContext::Graph& target_;
    ModelProto const& model_;
    GraphProto const& graph_;
    Options options_;
    std::map<std::string, Value, std::less<>> values_;
    std::unordered_set<std::string_view> functions_; // names that the model defines
    std::unordered_set<std::string_view> missing_;   // outputs of nodes that were reported
};

} // namespace kiln::onnx
