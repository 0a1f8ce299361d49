// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Turns the graph of a model into layers of a network: inputs, initializers, nodes, outputs.
#pragma once

#include "onnx/node_context.h"
#include "onnx/proto/messages.h"
#include "onnx/value.h"

#include <map>
#include <string>
#include <string_view>
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

    // Adds the whole graph. Throws ImportError; the network is then incomplete.
    void run(SuppliedData const& supplied);

    // ImportError if it is known, without a look at shapes, that node `index` cannot be imported.
    void expectSupported(size_t index);

    // The value that an output name stands for, after run(); null if there is none.
    Value const* find(std::string_view name) const;

private:
    void addInitializers(SuppliedData const& supplied);
    void addInput(ValueInfoProto const& info);
    void addNode(size_t index);
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
};

} // namespace kiln::onnx
