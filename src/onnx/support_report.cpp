// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support_report.h"

#include "kiln/api/builder/builder.h"

#include <memory>

namespace kiln::onnx {

namespace {

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
                                    GraphImporter::Report const& report) {
    auto& original = target.network;
    std::unique_ptr<nvinfer1::INetworkDefinition> const scratch(
        original.getBuilder().createNetworkV2(original.getFlags()));
    if (scratch == nullptr) {
        throw ImportError(ErrorCode::kINTERNAL_ERROR, "the builder made no network to try in.");
    }
    NodeContext::Graph trial{*scratch, target.log, target.tensors, target.opset};
    GraphImporter importer(trial, model, options);
    std::vector<bool> supported(model.graph->nodes.size(), true);
    importer.run({}, [&](ImportError const& error) {
        supported[static_cast<size_t>(error.nodeIndex)] = false;
        report(error);
    });
    return runs(supported);
}

} // namespace kiln::onnx
