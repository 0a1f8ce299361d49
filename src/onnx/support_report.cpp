// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/support_report.h"

#include "kiln/api/builder/builder.h"
#include "onnx/node_order.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace kiln::onnx {

namespace {

using Order = std::vector<size_t>;

// The order of import, with each Constant moved to the first supported node that reads it: a part
// that is cut out then has the constants that decide its shapes.
Order placed(GraphProto const& graph, Order const& order, std::vector<bool> const& supported) {
    std::unordered_map<std::string_view, size_t> constants;
    for (size_t const i : order) {
        NodeProto const& node = graph.nodes[i];
        if (supported[i] && node.opType == "Constant" && node.outputs.size() == 1) {
            constants.emplace(node.outputs[0], i);
        }
    }
    std::vector<std::vector<size_t>> movedTo(graph.nodes.size());
    std::vector<bool> isMoved(graph.nodes.size(), false);
    for (bool const wanted : {true, false}) {
        for (size_t const i : order) {
            if (supported[i] != wanted) {
                continue;
            }
            forEachRead(graph.nodes[i], [&](std::string_view name) {
                auto const found = constants.find(name);
                if (found != constants.end() && !isMoved[found->second]) {
                    isMoved[found->second] = true;
                    movedTo[i].push_back(found->second);
                }
            });
        }
    }
    Order result;
    for (size_t const i : order) {
        if (!isMoved[i]) {
            result.insert(result.end(), movedTo[i].begin(), movedTo[i].end());
            result.push_back(i);
        }
    }
    return result;
}

// Neighbours that are alike. A constant goes with the node behind it.
std::vector<Subgraph> runs(GraphProto const& graph, Order const& order,
                           std::vector<bool> const& supported) {
    std::vector<Subgraph> result;
    bool current = true;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
        bool const isConstant = graph.nodes[*at].opType == "Constant" && at != order.rbegin();
        current = isConstant && supported[*at] ? current : supported[*at];
        if (result.empty() || result.back().supported != current) {
            result.push_back({{}, current});
        }
        result.back().nodes.push_back(static_cast<int64_t>(*at));
    }
    for (Subgraph& subgraph : result) {
        std::reverse(subgraph.nodes.begin(), subgraph.nodes.end());
    }
    std::reverse(result.begin(), result.end());
    return result;
}

class SupportReport {
public:
    using Report = std::function<void(ImportError const&)>;

    SupportReport(NodeContext::Graph const& target, ModelProto const& model,
                  ModelImporter::Options options, Report const& report)
        : target_(target), model_(model), options_(options), report_(report) {}

    std::vector<Subgraph> run() {
        auto const scratch = madeNetwork();
        NodeContext::Graph const trial{*scratch, target_.log, target_.tensors, target_.opset,
                                       target_.largestExtent};
        ImportOptions options = options_;
        options.goesOn = true;
        ModelImporter whole(trial, model_, options);
        GraphProto const& graph = *model_.graph;
        supported_.assign(graph.nodes.size(), true);
        bool const isComplete =
            whole.run({}, [this](size_t index, ImportError const& error) { refuse(index, error); });
        Order const order = sortedOrder(graph.nodes);
        if (isComplete) {
            return runs(graph, order, supported_);
        }
        for (size_t round = 0;; ++round) {
            auto subgraphs = runs(graph, placed(graph, order, supported_), supported_);
            if (!refuseParts(whole, subgraphs, round >= kMostRounds)) {
                return subgraphs;
            }
        }
    }

private:
    // After these, a part that cannot be imported is refused as a whole.
    static constexpr size_t kMostRounds = 8;

    std::unique_ptr<nvinfer1::INetworkDefinition> madeNetwork() const {
        auto& original = target_.network;
        std::unique_ptr<nvinfer1::INetworkDefinition> network(
            original.getBuilder().createNetworkV2(original.getFlags()));
        if (network == nullptr) {
            throw ImportError(ErrorCode::kINTERNAL_ERROR, "the builder made no network to try in.");
        }
        return network;
    }

    void refuse(size_t index, ImportError const& error) {
        if (supported_[index]) {
            supported_[index] = false;
            report_(error);
        }
    }

    // Imports each supported part as a graph of its own. Returns whether one has nodes that this
    // refuses, such as one that needs the value of a constant in another part.
    bool refuseParts(ModelImporter& whole, std::vector<Subgraph> const& parts, bool asWhole) {
        bool changed = false;
        for (Subgraph const& part : parts) {
            if (!part.supported) {
                continue;
            }
            auto const scratch = madeNetwork();
            NodeContext::Graph const trial{*scratch, target_.log, target_.tensors, target_.opset,
                                           target_.largestExtent};
            ModelImporter importer(trial, model_, options_);
            Order const nodes(part.nodes.begin(), part.nodes.end());
            auto const known = [&](std::string const& name) { return whole.factsOf(name); };
            importer.runPart(nodes, known, [&](size_t index, ImportError const& error) {
                changed = true;
                refuse(index, error);
                for (size_t i = 0; asWhole && i < nodes.size(); ++i) {
                    supported_[nodes[i]] = false;
                }
            });
        }
        return changed;
    }

    NodeContext::Graph const& target_;
    ModelProto const& model_;
    ModelImporter::Options options_;
    Report const& report_;
    std::vector<bool> supported_;
};

} // namespace

std::vector<Subgraph> reportSupport(NodeContext::Graph const& target, ModelProto const& model,
                                    ModelImporter::Options options,
                                    std::function<void(ImportError const&)> const& report) {
    return SupportReport(target, model, options, report).run();
}

} // namespace kiln::onnx
