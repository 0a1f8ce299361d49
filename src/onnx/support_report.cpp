// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support_report.h"

#include "kiln/api/builder/builder.h"
#include "onnx/node_order.h"

#include <memory>

namespace kiln::onnx {

namespace {

// Neighbours in the order of import that are alike.
std::vector<Subgraph> runs(std::vector<size_t> const& order, std::vector<bool> const& supported) {
    std::vector<Subgraph> result;
    for (size_t const node : order) {
        if (result.empty() || result.back().supported != supported[node]) {
            result.push_back({{}, supported[node]});
        }
        result.back().nodes.push_back(static_cast<int64_t>(node));
    }
    return result;
}

} // namespace

std::vector<Subgraph> reportSupport(NodeContext::Graph const& target, ModelProto const& model,
                                    ModelImporter::Options options,
                                    std::function<void(ImportError const&)> const& report) {
    auto& original = target.network;
    std::unique_ptr<nvinfer1::INetworkDefinition> const scratch(
        original.getBuilder().createNetworkV2(original.getFlags()));
    if (scratch == nullptr) {
        throw ImportError(ErrorCode::kINTERNAL_ERROR, "the builder made no network to try in.");
    }
    NodeContext::Graph const trial{*scratch, target.log, target.tensors, target.opset};
    ModelImporter importer(trial, model, options);
    std::vector<bool> supported(model.graph->nodes.size(), true);
    importer.run({}, [&](size_t index, ImportError const& error) {
        supported[index] = false;
        report(error);
    });
    return runs(sortedOrder(model.graph->nodes), supported);
}

} // namespace kiln::onnx
