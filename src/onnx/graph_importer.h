// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Converts the nodes of a graph or function to layers of a network.
#pragma once

#include "onnx/import_session.h"
#include "onnx/node_context.h"
#include "onnx/scope.h"

#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

// The operator set whose rules apply to a model or function; 0 if it names none. Warns if it is too
// new.
int64_t opsetOf(Opsets const& opsets, Log const& log);

struct CurrentForm;

class GraphImporter final : public Surroundings {
public:
    GraphImporter(ImportSession& session, Scope& scope, Frame& frame)
        : session_(session), scope_(scope), frame_(frame) {}

    // Imports node `index` of a graph. Throws ImportError, which names the innermost node.
    void importNode(NodeProto const& node, size_t index);

    // ImportError if the node cannot be imported, as far as that is known without shapes.
    void expectSupported(NodeProto const& node, size_t index);

    std::vector<Value> importGraph(GraphProto const& graph, std::vector<Value> const& inputs,
                                   std::string const& label) override;
    std::string fullName(std::string_view name) const override { return scope_.fullName(name); }
    size_t nodesLeft() const override { return session_.innerLeft(); }

    // Adds a name; ImportError if the graph has it already.
    void define(std::string const& name, Value const& value);

private:
    enum class Kind { kImporter, kPlugin, kFunction };

    void importInner(std::vector<NodeProto> const& nodes);
    // oldForm: null for a node that is as the model has it.
    void importOperator(NodeContext& context, CurrentForm const* oldForm);
    void importCurrent(NodeProto const& node, size_t index);
    void importResolved(NodeProto const& node, size_t index, CurrentForm const* oldForm);
    void expectInner(std::vector<NodeProto> const& nodes);
    void call(FunctionProto const& function, NodeContext& context);
    Frame frameOf(FunctionProto const& function, NodeProto const& node);
    static constexpr int kDeepestCalls = 64;
    // Decides who imports a node; ImportError if nobody can.
    Kind kindOf(NodeContext& context) const;
    void keepOutputs(NodeContext& context);
    // Gives outputs the types that the operator says, where networks have others.
    void keepTypes(NodeContext& context) const;
    std::string layerNameOf(NodeProto const& node, size_t index) const;
    // Adds what is known of the node to an error, unless an inner node has done that.
    void describe(ImportError& error, NodeProto const& node, size_t index) const;

    ImportSession& session_;
    Scope& scope_;
    Frame& frame_;
};

} // namespace kiln::onnx
