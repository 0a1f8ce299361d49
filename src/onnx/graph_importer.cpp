// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/graph_importer.h"

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/importer_registry.h"
#include "onnx/network_reason.h"
#include "onnx/operator_table.h"
#include "onnx/plugin_importer.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using Severity = nvinfer1::ILogger::Severity;

namespace {

constexpr int64_t kOldestOpset = 7;
constexpr int64_t kNewestOpset = 27;

[[noreturn]] void fail(ErrorCode code, std::string const& what,
                       std::source_location where = std::source_location::current()) {
    throw ImportError(code, what, where);
}

// Layer names start with the node's name; a long name would multiply in a node of many layers.
constexpr size_t kLongestName = 1024;

std::string layerNameOf(NodeProto const& node, size_t index) {
    return node.name.empty() ? text(node.opType.substr(0, kLongestName), "_", index)
                             : node.name.substr(0, kLongestName);
}

GraphProto const& graphOf(ModelProto const& model) {
    if (!model.graph) {
        fail(ErrorCode::kINVALID_GRAPH,
             "expected a model with a graph, got none. It may be empty, or not an ONNX model.");
    }
    return *model.graph;
}

} // namespace

int64_t opsetOf(ModelProto const& model, Log const& log) {
    auto const found = model.opsets.find("");
    if (found == model.opsets.end()) {
        return 0;
    }
    if (found->second > kNewestOpset) {
        log(Severity::kWARNING, "operator set ", found->second, " is newer than ", kNewestOpset,
            ", the newest known; the rules of ", kNewestOpset, " are used");
        return kNewestOpset;
    }
    return found->second;
}

GraphImporter::GraphImporter(NodeContext::Graph& target, ModelProto const& model, Options options)
    : target_(target), model_(model), graph_(graphOf(model)), options_(options),
      functions_(model.functions.begin(), model.functions.end()) {
    if (graph_.hasSparseInitializers) {
        fail(ErrorCode::kUNSUPPORTED_GRAPH,
             "sparse initializers are not supported. Store them dense.");
    }
}

bool GraphImporter::run(SuppliedData const& supplied, Report const& report) {
    addInitializers(supplied);
    for (ValueInfoProto const& input : graph_.inputs) {
        addInput(input);
    }
    if (!addNodes(report)) {
        return false;
    }
    if (graph_.outputs.empty()) {
        fail(ErrorCode::kINVALID_GRAPH, "expected a graph with outputs, got none.");
    }
    for (ValueInfoProto const& output : graph_.outputs) {
        markOutput(output);
    }
    if (!graph_.name.empty()) {
        target_.network.setName(graph_.name.c_str());
    }
    return true;
}

bool GraphImporter::addNodes(Report const& report) {
    constexpr size_t kMostReports = 1000;
    size_t reports = 0;
    bool networkIsWhole = true;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
        NodeProto const& node = graph_.nodes[i];
        bool const isJudged = networkIsWhole && !needsMissing(node);
        try {
            isJudged ? addNode(i) : expectSupported(i);
        } catch (ImportError& error) {
            error.nodeIndex = static_cast<int>(i);
            error.nodeName = node.name;
            error.nodeOperator = node.opType;
            networkIsWhole = networkIsWhole && !error.breaksNetwork;
            report(error);
            if (++reports == kMostReports) {
                fail(ErrorCode::kUNSUPPORTED_GRAPH,
                     text("the nodes after number ", i, " are not checked."));
            }
            missing_.insert(node.outputs.begin(), node.outputs.end());
            continue;
        }
        if (!isJudged) {
            missing_.insert(node.outputs.begin(), node.outputs.end());
        }
    }
    return reports == 0;
}

bool GraphImporter::needsMissing(NodeProto const& node) const {
    return !missing_.empty() &&
           std::any_of(node.inputs.begin(), node.inputs.end(), [&](std::string const& name) {
               return !name.empty() && missing_.contains(name);
           });
}

Value const* GraphImporter::find(std::string_view name) const {
    auto const found = values_.find(name);
    return found != values_.end() ? &found->second : nullptr;
}

void GraphImporter::define(std::string const& name, Value const& value) {
    if (!values_.emplace(name, value).second) {
        fail(ErrorCode::kINVALID_GRAPH, text("expected one value '", name, "', got two."));
    }
}

void GraphImporter::addInitializers(SuppliedData const& supplied) {
    for (TensorProto const& tensor : graph_.initializers) {
        auto const given = supplied.find(tensor.name);
        if (tensor.type == ElementType::kDouble) {
            target_.log(Severity::kWARNING, "initializer '", tensor.name,
                        "': DOUBLE is converted to FLOAT");
        }
        define(tensor.name, Value(given != supplied.end()
                                      ? readSupplied(tensor, given->second, target_.tensors.store)
                                      : readConstant(tensor, target_.tensors)));
    }
}

void GraphImporter::addInput(ValueInfoProto const& info) {
    if (values_.contains(info.name)) {
        return; // up to IR version 3, initializers are also inputs
    }
    std::string const what = text("input '", info.name, "'");
    if (!info.isTensor || !info.shape) {
        fail(ErrorCode::kUNSUPPORTED_GRAPH,
             text(what, ": expected a tensor of known rank, got ",
                  info.isTensor ? "one without a shape." : "another kind of value."));
    }
    std::vector<int64_t> extents;
    for (DimensionProto const& dimension : *info.shape) {
        extents.push_back(std::max<int64_t>(dimension.value.value_or(-1), -1));
    }
    Dims const dims = toDims(extents, what);
    auto* tensor =
        target_.network.addInput(info.name.c_str(), requireDataType(info.type, what), dims);
    if (tensor == nullptr) {
        fail(ErrorCode::kINVALID_GRAPH, text("the network refused ", what, ": ", networkReason()));
    }
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        DimensionProto const& dimension = (*info.shape)[static_cast<size_t>(i)];
        if (!dimension.value && !dimension.name.empty()) {
            tensor->setDimensionName(i, dimension.name.c_str());
        }
    }
    define(info.name, Value(*tensor));
}

void GraphImporter::addNode(size_t index) {
    NodeProto const& node = graph_.nodes[index];
    importNode(node, layerNameOf(node, index));
}

void GraphImporter::importNode(NodeProto const& node, std::string const& layerName) {
    std::vector<Value*> inputs;
    for (std::string const& name : node.inputs) {
        auto const found = values_.find(name);
        if (!name.empty() && found == values_.end()) {
            fail(ErrorCode::kINVALID_GRAPH,
                 text("input '", name,
                      "' is neither a graph input nor an initializer nor an output of ",
                      "an earlier node. Sort the nodes topologically."));
        }
        inputs.push_back(name.empty() ? nullptr : &found->second);
    }
    NodeContext context(target_, node, layerName, std::move(inputs));
    if (goesToPlugin(context)) {
        importPlugin(context);
    } else {
        expectArity(node, target_.opset);
        ImporterRegistry::all().find(node)(context);
        for (std::string const& name : context.attributes().unused()) {
            target_.log(Severity::kWARNING, "node '", layerName, "' (", node.opType,
                        "): attribute '", name, "' is not known and has no effect");
        }
    }
    keepOutputs(context);
}

// Decides between importer and plugin; ImportError if neither is possible.
bool GraphImporter::goesToPlugin(NodeContext& context) const {
    NodeProto const& node = context.node();
    for (AttributeProto const& attribute : node.attributes) {
        if (attribute.type == AttributeType::kGraph || attribute.type == AttributeType::kGraphs) {
            fail(ErrorCode::kUNSUPPORTED_NODE,
                 text("attribute '", attribute.name, "': nodes with subgraphs (If, Loop, Scan) ",
                      "are not supported."));
        }
    }
    if (functions_.contains(node.opType)) {
        fail(ErrorCode::kUNSUPPORTED_NODE,
             "functions that the model defines are not supported. Inline them first.");
    }
    bool const known = ImporterRegistry::all().find(node) != nullptr;
    if (!known) {
        return true;
    }
    // A node that lists its shape inputs, or a parser that lets plugins override, means a plugin.
    bool const meansPlugin =
        options_.pluginsOverride || context.attributes().has("tensorrt_plugin_shape_input_indices");
    if (meansPlugin && hasCreatorNamed(context, node.opType) &&
        findCreator(context, pluginKeyOf(context)) != nullptr) {
        return true;
    }
    if (target_.opset < kOldestOpset) {
        fail(ErrorCode::kUNSUPPORTED_NODE,
             text("expected operator set ", kOldestOpset, " or later, got ", target_.opset,
                  ". Convert the model with onnx.version_converter."));
    }
    return false;
}

void GraphImporter::expectSupported(size_t index) {
    NodeProto const& node = graph_.nodes[index];
    NodeContext context(target_, node, layerNameOf(node, index), {});
    if (goesToPlugin(context)) {
        static_cast<void>(expectCreator(context));
    } else {
        expectArity(node, target_.opset);
    }
}

void GraphImporter::keepOutputs(NodeContext& context) {
    NodeProto const& node = context.node();
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        Value const& value = context.outputs()[i];
        std::string const& name = node.outputs[i];
        if (name.empty() || (value.tensor == nullptr && !value.isConstant)) {
            continue; // an optional output; a node that uses it gets an error
        }
        if (!value.isConstant) {
            value.tensor->setName(name.c_str());
            Dims const dims = context.dims(value);
            target_.log(Severity::kVERBOSE, "node '", context.layerName(), "' (", node.opType,
                        ") gives '", name, "' ", dims, " ", value.tensor->getType());
        }
        define(name, value);
    }
}

void GraphImporter::markOutput(ValueInfoProto const& info) {
    auto const found = values_.find(info.name);
    if (found == values_.end()) {
        fail(ErrorCode::kINVALID_GRAPH,
             text("graph output '", info.name,
                  "' is not an output of any node. Optional outputs, such as the ",
                  "mask of Dropout, are not supported."));
    }
    Value& value = found->second;
    if (value.tensor == nullptr) {
        auto* layer = target_.network.addConstant(value.constant.dims, value.constant.weights);
        if (layer == nullptr) {
            fail(ErrorCode::kUNSUPPORTED_GRAPH, text("the network refused the constant output '",
                                                     info.name, "': ", networkReason()));
        }
        value.tensor = layer->getOutput(0);
        value.tensor->setName(info.name.c_str());
    }
    if (value.tensor->isNetworkInput() || value.tensor->isNetworkOutput()) {
        fail(ErrorCode::kUNSUPPORTED_GRAPH,
             text("graph output '", info.name, "' is ",
                  value.tensor->isNetworkInput() ? "a graph input" : "an output already",
                  ". Put an Identity node between."));
    }
    target_.network.markOutput(*value.tensor);
}

} // namespace kiln::onnx
