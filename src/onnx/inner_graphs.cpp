// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Functions of the model, and graphs in attributes of nodes.

#include "onnx/graph_importer.h"

namespace kiln::onnx {

namespace {

// Names of inner values begin with that of the outer node; deep nests would make them too long.
constexpr size_t kLongestPrefix = 512;

} // namespace

std::vector<Value> GraphImporter::importGraph(GraphProto const& graph,
                                              std::vector<Value> const& inputs,
                                              std::string const& label) {
    if (inputs.size() != graph.inputs.size()) {
        failImport(ErrorCode::kINVALID_GRAPH,
                   text("graph '", graph.name, "': expected ", inputs.size(), " inputs, got ",
                        graph.inputs.size(), "."));
    }
    Scope scope(&scope_, scope_.depth() + 1, label.substr(0, kLongestPrefix));
    GraphImporter inner(session_, scope, frame_);
    for (size_t i = 0; i < inputs.size(); ++i) {
        inner.define(graph.inputs[i].name, inputs[i]);
        if (inputs[i].tensor != nullptr && !inputs[i].isConstant) {
            session_.name(*inputs[i].tensor, scope.fullName(graph.inputs[i].name), scope.depth());
        }
    }
    for (TensorProto const& tensor : graph.initializers) {
        session_.countInner(costOf(tensor));
        inner.define(tensor.name, readValue(tensor, frame_.target.tensors));
    }
    for (SparseTensorProto const& tensor : graph.sparseInitializers) {
        Value const value = readSparse(tensor, frame_.target.tensors);
        session_.countInner(static_cast<size_t>(value.constant.weights.count) / 64);
        inner.define(tensor.values.name, value);
    }
    inner.importInner(graph.nodes);
    std::vector<Value> outputs;
    for (ValueInfoProto const& output : graph.outputs) {
        Value const* const value = scope.find(output.name);
        if (value == nullptr) {
            failImport(ErrorCode::kINVALID_GRAPH,
                       text("graph '", graph.name, "': output '", output.name,
                            "' is not an output of any node."));
        }
        outputs.push_back(*value);
    }
    return outputs;
}

Frame GraphImporter::frameOf(FunctionProto const& function, NodeProto const& node) {
    size_t depth = 0;
    for (Frame const* at = &frame_; at != nullptr; at = at->caller, ++depth) {
        if (at->function == &function) {
            failImport(
                ErrorCode::kINVALID_GRAPH,
                text("function '", function.name, "' calls itself, directly or through others."));
        }
    }
    if (depth > static_cast<size_t>(kDeepestCalls)) {
        failImport(ErrorCode::kUNSUPPORTED_GRAPH,
                   text("function '", function.name, "': expected calls inside of ", kDeepestCalls,
                        " others at most. Inline functions first."));
    }
    if (node.inputs.size() > function.inputs.size() ||
        node.outputs.size() > function.outputs.size()) {
        failImport(ErrorCode::kINVALID_NODE,
                   text("function '", function.name, "': expected ", function.inputs.size(),
                        " inputs and ", function.outputs.size(), " outputs at most, got ",
                        node.inputs.size(), " and ", node.outputs.size(), "."));
    }
    NodeContext::Graph target = frame_.target;
    if (function.opsets.contains("")) {
        target.opset = opsetOf(function.opsets, target.log);
    }
    Frame frame{target, &function, &frame_, {}};
    for (AttributeProto const& attribute : function.defaults) {
        frame.attributes[attribute.name] = &attribute;
    }
    for (AttributeProto const& attribute : node.attributes) {
        frame.attributes[attribute.name] = &attribute;
    }
    return frame;
}

void GraphImporter::call(FunctionProto const& function, NodeContext& context) {
    Frame frame = frameOf(function, context.node());
    Scope scope(nullptr, scope_.depth() + 1, context.layerName().substr(0, kLongestPrefix));
    GraphImporter inner(session_, scope, frame);
    for (size_t i = 0; i < function.inputs.size(); ++i) {
        std::string const& name = function.inputs[i];
        bool const isNew = context.hasInput(i) ? scope.defineAlias(name, &context.anyInput(i))
                                               : scope.define(name, Value::none());
        if (!isNew) {
            failImport(
                ErrorCode::kINVALID_GRAPH,
                text("function '", function.name, "': expected one input '", name, "', got two."));
        }
    }
    inner.importInner(function.nodes);
    for (size_t i = 0; i < context.node().outputs.size(); ++i) {
        if (Value const* const value = scope.find(function.outputs[i])) {
            context.setOutput(i, *value);
        }
    }
}

} // namespace kiln::onnx
