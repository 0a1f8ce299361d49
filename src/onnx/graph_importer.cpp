// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/graph_importer.h"

#include "onnx/counted_mask.h"
#include "onnx/double_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/node_order.h"
#include "onnx/old_operators.h"
#include "onnx/operator_table.h"
#include "onnx/plugin_importer.h"
#include "onnx/whole_numbers.h"

#include <algorithm>
#include <iterator>

namespace kiln::onnx {

using nvinfer1::Dims;
using Severity = nvinfer1::ILogger::Severity;

namespace {

constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 27;

// Layer names start with the node's name; a long name would multiply in a node of many layers.
constexpr size_t kLongestName = 1024;

// Whether a node of a function takes attributes of the call.
bool hasReferences(NodeProto const& node) {
    return std::any_of(node.attributes.begin(), node.attributes.end(),
                       [](AttributeProto const& attribute) { return !attribute.refName.empty(); });
}

// The node with the attributes of the call. One that the call leaves out is absent.
NodeProto resolved(NodeProto const& node, Frame const& frame) {
    NodeProto copy = node;
    copy.attributes.clear();
    for (AttributeProto const& attribute : node.attributes) {
        if (attribute.refName.empty()) {
            copy.attributes.push_back(attribute);
        } else if (frame.function == nullptr) {
            failImport(ErrorCode::kINVALID_NODE,
                       text("attribute '", attribute.name,
                            "': expected a value, got a reference to '", attribute.refName,
                            "' outside of a function."));
        } else if (auto const found = frame.attributes.find(attribute.refName);
                   found != frame.attributes.end()) {
            copy.attributes.push_back(*found->second);
            copy.attributes.back().name = attribute.name;
        }
    }
    return copy;
}

// What a node counts each time it is imported: constants that are converted take memory each time.
size_t costOf(NodeProto const& node) {
    size_t cost = 1;
    for (AttributeProto const& attribute : node.attributes) {
        cost += attribute.type == AttributeType::kTensor ? costOf(attribute.tensorValue()) : 0;
    }
    return cost;
}

} // namespace

int64_t opsetOf(Opsets const& opsets, Log const& log) {
    auto const found = opsets.find("");
    if (found == opsets.end()) {
        return 0;
    }
    if (found->second > kNewestOpset) {
        log(Severity::kWARNING, "operator set ", found->second, " is newer than ", kNewestOpset,
            ", the newest known; the rules of ", kNewestOpset, " are used");
        return kNewestOpset;
    }
    return found->second;
}

std::string GraphImporter::layerNameOf(NodeProto const& node, size_t index) const {
    std::string const name =
        node.name.empty() ? text(node.opType.substr(0, kLongestName), "_", index) : node.name;
    return scope_.fullName(name).substr(0, kLongestName);
}

void GraphImporter::define(std::string const& name, Value const& value) {
    if (!scope_.define(name, value)) {
        failImport(ErrorCode::kINVALID_GRAPH, text("expected one value '", name, "', got two."));
    }
}

void GraphImporter::describe(ImportError& error, NodeProto const& node, size_t index) const {
    if (error.nodeIndex >= 0) {
        return;
    }
    error.nodeIndex = static_cast<int>(index);
    error.nodeName = node.name;
    error.nodeOperator = node.opType;
    for (Frame const* at = &frame_; at->function != nullptr; at = at->caller) {
        error.functions.insert(error.functions.begin(), at->function->name);
    }
}

void GraphImporter::importNode(NodeProto const& node, size_t index) {
    try {
        if (hasReferences(node)) {
            importCurrent(resolved(node, frame_), index);
        } else {
            importCurrent(node, index);
        }
    } catch (ImportError& error) {
        describe(error, node, index);
        throw;
    }
}

void GraphImporter::importCurrent(NodeProto const& node, size_t index) {
    int64_t const opset = frame_.target.opset;
    bool const isStandard = isStandardDomain(node.domain) && session_.functionOf(node) == nullptr;
    if (isStandard && opset >= kOldestOpset && hasOldForm(node, opset)) {
        expectArity(node, opset);
        CurrentForm const form = currentFormOf(node, opset);
        importResolved(form.node, index, &form);
    } else {
        importResolved(node, index, nullptr);
    }
}

void GraphImporter::importInner(std::vector<NodeProto> const& nodes) {
    for (size_t const index : sortedOrder(nodes)) {
        session_.countInner(costOf(nodes[index]));
        importNode(nodes[index], index);
    }
}

void GraphImporter::importResolved(NodeProto const& node, size_t index,
                                   CurrentForm const* oldForm) {
    std::vector<Value*> inputs;
    for (std::string const& name : node.inputs) {
        Value* const value = name.empty() ? nullptr : scope_.find(name);
        if (!name.empty() && value == nullptr) {
            failImport(
                ErrorCode::kINVALID_GRAPH,
                text("input '", name,
                     "' is neither a graph input nor an initializer nor an output of any node. ",
                     "Optional outputs, such as the mask of Dropout, are not supported."));
        }
        inputs.push_back(value != nullptr && !value->isNone ? value : nullptr);
    }
    NodeContext context(frame_.target, node, layerNameOf(node, index), std::move(inputs), this);
    switch (kindOf(context)) {
    case Kind::kPlugin:
        importPlugin(context);
        frame_.target.log(Severity::kINFO, "node '", context.layerName(), "' becomes plugin '",
                          node.opType, "'");
        break;
    case Kind::kFunction: call(*session_.functionOf(node), context); break;
    case Kind::kImporter:
        importOperator(context, oldForm);
        for (std::string const& name : context.attributes().unused()) {
            frame_.target.log(Severity::kWARNING, "node '", context.layerName(), "' (", node.opType,
                              "): attribute '", name, "' is not known and has no effect");
        }
    }
    keepOutputs(context);
}

void GraphImporter::importOperator(NodeContext& context, CurrentForm const* oldForm) {
    NodeProto const& node = context.node();
    if (oldForm != nullptr) {
        adoptInputs(context, *oldForm);
    } else {
        expectArity(node, frame_.target.opset);
    }
    bool const isStandard = isStandardDomain(node.domain);
    if (!isStandard || !importDigits(context)) {
        ImporterRegistry::all().find(node)(context);
    }
    if (isStandard) {
        keepTypes(context);
        keepDigits(context);
        noteMask(context);
    }
}

void GraphImporter::keepTypes(NodeContext& context) const {
    NodeProto const& node = context.node();
    OperatorVersion const* const version = findOperator(node.opType, frame_.target.opset);
    for (size_t i = 0; version != nullptr && i < std::size(version->typeOf); ++i) {
        auto const from = static_cast<size_t>(version->typeOf[i]);
        bool const isMissing =
            version->typeOf[i] < 0 || !context.hasInput(from) || i >= context.outputs().size();
        if (isMissing || context.anyInput(from).meant == ElementType::kUndefined) {
            continue;
        }
        ElementType const meant = context.anyInput(from).meant;
        Value value = context.outputs()[i];
        bool const isTensor = value.isConstant || value.tensor != nullptr;
        if (!isReplaced(meant) || !isTensor || value.meant != ElementType::kUndefined ||
            dataTypeOf(meant) != NodeContext::typeOf(value)) {
            continue;
        }
        if (!value.isConstant && mayWrap(node.opType)) {
            value = wrapped(Term(context, *value.tensor), meant).value();
        }
        context.setOutput(i, value, meant);
    }
}

GraphImporter::Kind GraphImporter::kindOf(NodeContext& context) const {
    NodeProto const& node = context.node();
    bool const isFunction = session_.functionOf(node) != nullptr;
    bool const known = ImporterRegistry::all().find(node) != nullptr;
    if (!known && !isFunction) {
        return Kind::kPlugin;
    }
    // A node that lists its shape inputs, or a parser that lets plugins override, means a plugin.
    bool const meansPlugin = session_.prefersPlugin(node) ||
                             context.attributes().has("tensorrt_plugin_shape_input_indices");
    if (meansPlugin && hasCreatorNamed(context, node.opType) &&
        findCreator(context, pluginKeyOf(context)) != nullptr) {
        return Kind::kPlugin;
    }
    if (isFunction) {
        return Kind::kFunction;
    }
    if (frame_.target.opset < kOldestOpset && isStandardDomain(node.domain)) {
        failImport(ErrorCode::kUNSUPPORTED_NODE,
                   text("expected operator set ", kOldestOpset, " or later, got ",
                        frame_.target.opset, ". Convert the model with onnx.version_converter."));
    }
    return Kind::kImporter;
}

void GraphImporter::expectInner(std::vector<NodeProto> const& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
        session_.countInner();
        expectSupported(nodes[i], i);
    }
}

void GraphImporter::expectSupported(NodeProto const& node, size_t index) {
    try {
        NodeContext context(frame_.target, node, layerNameOf(node, index), {}, this);
        Kind const kind = kindOf(context);
        if (kind == Kind::kPlugin) {
            static_cast<void>(expectCreator(context));
        } else if (kind == Kind::kImporter) {
            expectArity(node, frame_.target.opset);
        } else {
            FunctionProto const& function = *session_.functionOf(node);
            Frame frame = frameOf(function, node);
            GraphImporter(session_, scope_, frame).expectInner(function.nodes);
        }
        for (AttributeProto const& attribute : node.attributes) {
            if (attribute.graph != nullptr && kind == Kind::kImporter) {
                expectInner(attribute.graph->nodes);
            }
        }
    } catch (ImportError& error) {
        describe(error, node, index);
        throw;
    }
}

void GraphImporter::keepOutputs(NodeContext& context) {
    NodeProto const& node = context.node();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        Value const& value = context.outputs()[i];
        std::string const& name = node.outputs[i];
        if (name.empty() || !value.isSet()) {
            continue; // an optional output; a node that uses it gets an error
        }
        if (value.tensor != nullptr && !value.isConstant) {
            session_.name(*value.tensor, scope_.fullName(name), scope_.depth());
            Dims const dims = context.dims(value);
            frame_.target.log(Severity::kVERBOSE, "node '", context.layerName(), "' (", node.opType,
                              ") gives '", name, "' ", dims, " ", value.tensor->getType());
        }
        define(name, value);
    }
}

} // namespace kiln::onnx
