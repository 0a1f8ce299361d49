// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support_report.h"

#include "kiln/api/builder/builder.h"

#include <algorithm>
#include <memory>

namespace kiln::onnx {

namespace {

std::vector<bool> knownOperators(GraphImporter& importer, GraphProto const& graph,
                                 std::function<void(ImportError const&)> const& report) {
    std::vector<bool> supported(graph.nodes.size(), true);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        try {
            importer.expectSupported(i);
        } catch (ImportError& error) {
            error.nodeIndex = static_cast<int>(i);
            error.nodeName = graph.nodes[i].name;
            error.nodeOperator = graph.nodes[i].opType;
            supported[i] = false;
            report(error);
        }
    }
    return supported;
}

// Imports into a network that is thrown away; marks the node that stands in the way.
void tryImport(NodeContext::Graph& target, ModelProto const& model, GraphImporter::Options options,
               std::vector<bool>& supported,
               std::function<void(ImportError const&)> const& report) {
    auto& original = target.network;
    std::unique_ptr<nvinfer1::INetworkDefinition> const scratch(
        original.getBuilder().createNetworkV2(original.getFlags()));
    if (scratch == nullptr) {
        throw ImportError(ErrorCode::kINTERNAL_ERROR, "the builder made no network to try in.");
    }
    NodeContext::Graph trial{*scratch, target.log, target.tensors, target.opset};
    try {
        GraphImporter(trial, model, options).run({});
    } catch (ImportError const& error) {
        if (error.nodeIndex < 0) {
            throw;
        }
        supported[static_cast<size_t>(error.nodeIndex)] = false;
        report(error);
    }
}

std::vector<Subgraph> runs(std::vector<bool> const& supported) {
    std::vector<Subgraph> result;
    for (size_t i = 0; i < supported.size(); ++i) {
        if (result.empty() || result.back().supported != supported[i]) {
            result.push_back({{}, supported[i]});
        }
        result.back().nodes.push_back(static_cast<int64_t>(i));
    }
    return result;
}

} // namespace

std::vector<Subgraph> reportSupport(NodeContext::Graph& target, ModelProto const& model,
                                    GraphImporter::Options options,
                                    std::function<void(ImportError const&)> const& report) {
    GraphImporter importer(target, model, options);
    std::vector<bool> supported = knownOperators(importer, *model.graph, report);
    bool const allKnown = std::find(supported.begin(), supported.end(), false) == supported.end();
    if (allKnown) {
        tryImport(target, model, options, supported, report);
    }
    return runs(supported);
}

} // namespace kiln::onnx
