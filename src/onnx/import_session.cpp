// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/import_session.h"

#include "onnx/operator_table.h"
#include "onnx/text.h"

namespace kiln::onnx {

namespace {

// Whole models lie in functions, so this leaves room; 30,000 layers take about a second.
constexpr size_t kMostInner = 30000;
constexpr size_t kMostInnerPerNode = 100;

size_t nodesOf(ModelProto const& model) {
    size_t count = model.graph ? model.graph->nodes.size() : 0;
    for (FunctionProto const& function : model.functions) {
        count += function.nodes.size();
    }
    return count;
}

std::string_view plainDomain(std::string_view domain) {
    return isStandardDomain(domain) ? std::string_view() : domain;
}

} // namespace

ImportSession::ImportSession(ModelProto const& model, ImportOptions options)
    : options_(options), innerLeft_(kMostInner + kMostInnerPerNode * nodesOf(model)) {
    for (FunctionProto const& function : model.functions) {
        Key const key(plainDomain(function.domain), function.name, function.overload);
        if (!functions_.emplace(key, &function).second) {
            throw ImportError(ErrorCode::kINVALID_GRAPH,
                              text("expected one function '", function.name, "' of domain '",
                                   function.domain, "' and overload '", function.overload,
                                   "', got two."));
        }
    }
}

FunctionProto const* ImportSession::functionOf(NodeProto const& node) const {
    if (functions_.empty()) {
        return nullptr;
    }
    auto const found = functions_.find(Key(plainDomain(node.domain), node.opType, node.overload));
    return found != functions_.end() ? found->second : nullptr;
}

bool ImportSession::prefersPlugin(NodeProto const& node) const {
    return options_.pluginsOverride ||
           (!options_.nativeInstanceNorm && node.opType == "InstanceNormalization");
}

void ImportSession::countInner(size_t nodes) {
    if (innerLeft_ < nodes) {
        innerLeft_ = 0;
        throw ImportError(ErrorCode::kUNSUPPORTED_GRAPH,
                          "its functions and inner graphs stand for too many nodes. Let functions "
                          "call each other less often, or use loops.");
    }
    innerLeft_ -= nodes;
}

void ImportSession::name(nvinfer1::ITensor& tensor, std::string const& name, int32_t depth) {
    auto const [entry, isNew] = depths_.try_emplace(&tensor, depth);
    if (isNew || depth < entry->second) {
        entry->second = depth;
        tensor.setName(name.c_str());
    }
}

} // namespace kiln::onnx
