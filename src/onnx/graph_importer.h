// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts the graph of a model to layers of a network: inputs, initializers, nodes, outputs.
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

// Elements that the caller supplies instead of the model's, by initializer name.
using SuppliedData = std::map<std::string, std::string_view, std::less<>>;

// The operator set whose rules apply to a model; 0 if it names none. Warns if it is too new.
int64_t opsetOf(ModelProto const& model, Log const& log);

class GraphImporter {
public:
    struct Options {
        bool pluginsOverride; // plugins replace operators of the same name
    };

    GraphImporter(NodeContext::Graph& target, ModelProto const& model, Options options);

    // Receives the error of one node.
    using Report = std::function<void(ImportError const&)>;

    // Adds the whole graph. False if nodes were reported; the network is then incomplete. Nodes
    // that need outputs of such a node are only reported if they cannot be imported for another
    // reason. Throws ImportError for errors of the graph as a whole.
    bool run(SuppliedData const& supplied, Report const& report);

    // The value of an output name, after run(); null if there is none.
    Value const* find(std::string_view name) const;

private:
    void addInitializers(SuppliedData const& supplied);
    void addInput(ValueInfoProto const& info);
    bool addNodes(Report const& report);
    bool needsMissing(NodeProto const& node) const;
    void addNode(size_t index);
    // ImportError if the node cannot be imported, as far as that is known without shapes.
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
    std::unordered_set<std::string_view> missing_;   // outputs of nodes that were not imported
};

} // namespace kiln::onnx
