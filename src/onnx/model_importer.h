// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts the graph of a model to a network: inputs, initializers, nodes, outputs.
#pragma once

#include "onnx/graph_importer.h"
#include "onnx/proto/messages.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kiln::onnx {

// Elements that the caller supplies instead of the model's, by initializer name.
using SuppliedData = std::map<std::string, std::string_view, std::less<>>;

struct TensorFacts {
    nvinfer1::DataType type;
    nvinfer1::Dims dims;
};

class ModelImporter {
public:
    using Options = ImportOptions;

    ModelImporter(NodeContext::Graph const& target, ModelProto const& model, Options options);

    // Receives the error of a node of the graph, with its index, or of a node inside of it.
    using Report = std::function<void(size_t index, ImportError const&)>;

    // Adds the whole graph. False if nodes were reported; the network is then incomplete. Nodes
    // that need outputs of such a node are only reported if they cannot be imported for another
    // reason. Throws ImportError for errors of the graph as a whole.
    bool run(SuppliedData const& supplied, Report const& report);

    // The same for some of the nodes, in their order, as a graph of its own: what they read of
    // other nodes are inputs. `known` says what they are; outputs that it does not know are
    // missing.
    using Known = std::function<std::optional<TensorFacts>(std::string const& name)>;
    bool runPart(std::vector<size_t> const& nodes, Known const& known, Report const& report);

    // Type and dimensions of a value, as it was imported or as the model says.
    std::optional<TensorFacts> factsOf(std::string const& name);

    // The value of an output name, after run(); null if there is none.
    Value const* find(std::string_view name) { return scope_.find(name); }

private:
    void addInitializers(SuppliedData const& supplied);
    void addInput(ValueInfoProto const& info);
    bool addNodes(std::vector<size_t> const& nodes, Report const& report);
    bool needsMissing(NodeProto const& node) const;
    void addMissing(NodeProto const& node);
    bool addAsInput(std::string const& name, std::optional<TensorFacts> const& facts);
    void addInitializer(TensorProto const& tensor);
    void addSparse(SparseTensorProto const& tensor);
    void markOutput(ValueInfoProto const& info);

    ModelProto const& model_;
    GraphProto const& graph_;
    Options options_;
    ImportSession session_;
    Scope scope_;
    Frame frame_;
    GraphImporter importer_;
    std::unordered_set<std::string_view> missing_; // outputs of nodes that were not imported
};

} // namespace kiln::onnx
