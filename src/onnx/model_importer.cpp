// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/model_importer.h"

#include "onnx/checked_numbers.h"
#include "onnx/element_type.h"
#include "onnx/model_types.h"
#include "onnx/network_reason.h"
#include "onnx/node_order.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;

namespace {

GraphProto const& graphOf(ModelProto const& model) {
    if (!model.graph) {
        failImport(
            ErrorCode::kINVALID_GRAPH,
            "expected a model with a graph, got none. It may be empty, or not an ONNX model.");
    }
    return *model.graph;
}

Dims dimsOf(ValueInfoProto const& info, std::string const& what) {
    std::vector<int64_t> extents;
    for (DimensionProto const& dimension : *info.shape) {
        extents.push_back(std::max<int64_t>(dimension.value.value_or(-1), -1));
    }
    return toDims(extents, what);
}

} // namespace

ModelImporter::ModelImporter(NodeContext::Graph const& target, ModelProto const& model,
                             Options options)
    : model_(model), graph_(graphOf(model)), options_(options), session_(model, options),
      frame_{target, nullptr, nullptr, {}}, importer_(session_, scope_, frame_) {}

bool ModelImporter::run(SuppliedData const& supplied, Report const& report) {
    for (ElementType const type : replacedTypesOf(model_)) {
        frame_.target.log(nvinfer1::ILogger::Severity::kWARNING, nameOf(type),
                          " in the model is taken as ", *dataTypeOf(type), ", which networks have");
    }
    addInitializers(supplied);
    for (ValueInfoProto const& input : graph_.inputs) {
        addInput(input);
    }
    if (!addNodes(sortedOrder(graph_.nodes), report)) {
        return false;
    }
    if (graph_.outputs.empty()) {
        failImport(ErrorCode::kINVALID_GRAPH, "expected a graph with outputs, got none.");
    }
    for (ValueInfoProto const& output : graph_.outputs) {
        markOutput(output);
    }
    if (!graph_.name.empty()) {
        frame_.target.network.setName(graph_.name.c_str());
    }
    return true;
}

bool ModelImporter::addNodes(std::vector<size_t> const& nodes, Report const& report) {
    constexpr size_t kMostReports = 1000;
    size_t reports = 0;
    bool networkIsWhole = true;
    for (size_t const i : nodes) {
        NodeProto const& node = graph_.nodes[i];
        bool const isJudged = networkIsWhole && !needsMissing(node);
        try {
            isJudged ? importer_.importNode(node, i) : importer_.expectSupported(node, i);
        } catch (ImportError& error) {
            networkIsWhole = networkIsWhole && !error.breaksNetwork;
            report(i, error);
            if (++reports == kMostReports) {
                failImport(ErrorCode::kUNSUPPORTED_GRAPH,
                           text("the nodes after number ", i, " are not checked."));
            }
            addMissing(node);
            continue;
        }
        if (!isJudged) {
            addMissing(node);
        }
    }
    return reports == 0;
}

void ModelImporter::addMissing(NodeProto const& node) {
    for (std::string const& output : node.outputs) {
        if (!options_.goesOn || !addAsInput(output, factsOf(output))) {
            missing_.insert(output);
        }
    }
}

bool ModelImporter::addAsInput(std::string const& name, std::optional<TensorFacts> const& facts) {
    if (name.empty() || !facts || scope_.find(name) != nullptr) {
        return false;
    }
    ITensor* const tensor = frame_.target.network.addInput(name.c_str(), facts->type, facts->dims);
    if (tensor == nullptr) {
        return false;
    }
    session_.name(*tensor, name, scope_.depth());
    return scope_.define(name, Value(*tensor));
}

std::optional<TensorFacts> ModelImporter::factsOf(std::string const& name) {
    if (Value const* const value = scope_.find(name)) {
        if (value->isConstant) {
            return TensorFacts{value->constant.weights.type, value->constant.dims};
        }
        if (value->tensor == nullptr || value->tensor->getDimensions().nbDims < 0) {
            return std::nullopt;
        }
        return TensorFacts{value->tensor->getType(), value->tensor->getDimensions()};
    }
    for (ValueInfoProto const& info : graph_.values) {
        auto const type = info.isTensor ? dataTypeOf(info.type) : std::nullopt;
        bool const fits = info.shape && info.shape->size() <= Dims::MAX_DIMS;
        if (info.name == name && type && fits) {
            return TensorFacts{*type, dimsOf(info, "value")};
        }
    }
    return std::nullopt;
}

bool ModelImporter::runPart(std::vector<size_t> const& nodes, Known const& known,
                            Report const& report) {
    std::unordered_set<std::string_view> own;
    for (size_t const i : nodes) {
        own.insert(graph_.nodes[i].outputs.begin(), graph_.nodes[i].outputs.end());
    }
    std::unordered_set<std::string_view> read;
    for (size_t const i : nodes) {
        forEachRead(graph_.nodes[i], [&](std::string_view name) { read.insert(name); });
    }
    for (TensorProto const& tensor : graph_.initializers) {
        if (read.contains(tensor.name)) {
            addInitializer(tensor);
        }
    }
    for (SparseTensorProto const& tensor : graph_.sparseInitializers) {
        if (read.contains(tensor.values.name)) {
            addSparse(tensor);
        }
    }
    for (ValueInfoProto const& input : graph_.inputs) {
        if (read.contains(input.name)) {
            addInput(input);
        }
    }
    for (std::string_view const name : read) {
        std::string const text(name);
        bool const isOuter = !name.empty() && !own.contains(name) && scope_.find(name) == nullptr;
        if (isOuter && !addAsInput(text, known(text))) {
            missing_.insert(name);
        }
    }
    return addNodes(nodes, report);
}

void ModelImporter::addInitializer(TensorProto const& tensor) {
    importer_.define(tensor.name, readValue(tensor, frame_.target.tensors));
}

void ModelImporter::addSparse(SparseTensorProto const& tensor) {
    importer_.define(tensor.values.name, readSparse(tensor, frame_.target.tensors));
}

bool ModelImporter::needsMissing(NodeProto const& node) const {
    bool found = false;
    if (!missing_.empty()) {
        forEachRead(node, [&](std::string_view name) {
            found = found || (!name.empty() && missing_.contains(name));
        });
    }
    return found;
}

void ModelImporter::addInitializers(SuppliedData const& supplied) {
    for (TensorProto const& tensor : graph_.initializers) {
        auto const given = supplied.find(tensor.name);
        if (given == supplied.end()) {
            addInitializer(tensor);
            continue;
        }
        WeightStore& store = frame_.target.tensors.store;
        Value value(readSupplied(tensor, given->second, store));
        value.meant = tensor.type;
        importer_.define(tensor.name, value);
    }
    for (SparseTensorProto const& tensor : graph_.sparseInitializers) {
        addSparse(tensor);
    }
}

void ModelImporter::addInput(ValueInfoProto const& info) {
    if (scope_.find(info.name) != nullptr) {
        return; // up to IR version 3, initializers are also inputs
    }
    std::string const what = text("input '", info.name, "'");
    if (!info.isTensor || !info.shape) {
        failImport(ErrorCode::kUNSUPPORTED_GRAPH,
                   text(what, ": expected a tensor of known rank, got ",
                        info.isTensor ? "one without a shape." : "another kind of value."));
    }
    Dims const dims = dimsOf(info, what);
    auto* tensor =
        frame_.target.network.addInput(info.name.c_str(), requireDataType(info.type, what), dims);
    if (tensor == nullptr) {
        failImport(ErrorCode::kINVALID_GRAPH,
                   text("the network refused ", what, ": ", networkReason()));
    }
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        DimensionProto const& dimension = (*info.shape)[static_cast<size_t>(i)];
        if (!dimension.value && !dimension.name.empty()) {
            tensor->setDimensionName(i, dimension.name.c_str());
        }
    }
    session_.name(*tensor, info.name, scope_.depth());
    Value value(*tensor);
    value.meant = info.type;
    importer_.define(info.name, value);
}

void ModelImporter::markOutput(ValueInfoProto const& info) {
    Value* const value = scope_.find(info.name);
    if (value == nullptr) {
        failImport(ErrorCode::kINVALID_GRAPH,
                   text("graph output '", info.name,
                        "' is not an output of any node. Optional outputs, such as the ",
                        "mask of Dropout, are not supported."));
    }
    if (value->sequence != nullptr || value->isNone) {
        failImport(ErrorCode::kUNSUPPORTED_GRAPH,
                   text("graph output '", info.name, "': expected a tensor, got ",
                        value->isNone ? "an optional without a value." : "a sequence.",
                        " Return its tensors one by one."));
    }
    auto& network = frame_.target.network;
    nvinfer1::ILayer* layer = nullptr;
    if (value->tensor == nullptr) {
        layer = network.addConstant(value->constant.dims, value->constant.weights);
    } else if (value->tensor->isNetworkInput() || value->tensor->isNetworkOutput()) {
        layer = network.addIdentity(*value->tensor); // each output is a tensor of its own
    }
    ITensor* const tensor = layer != nullptr ? layer->getOutput(0) : value->tensor;
    if (tensor == nullptr || tensor->isNetworkInput() || tensor->isNetworkOutput()) {
        failImport(ErrorCode::kUNSUPPORTED_GRAPH,
                   text("the network refused the output '", info.name, "': ", networkReason()));
    }
    if (layer != nullptr) {
        layer->setName(info.name.c_str());
        value->tensor = value->tensor == nullptr ? tensor : value->tensor;
    }
    tensor->setName(info.name.c_str());
    network.markOutput(*tensor);
}

} // namespace kiln::onnx
