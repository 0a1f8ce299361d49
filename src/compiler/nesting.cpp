// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/nesting.h"

#include "compiler/nesting_finder.h"
#include "graph/boundary/assertion.h"
#include "graph/boundary/conditional.h"
#include "graph/boundary/loop.h"

namespace kiln::compiler {

int32_t partOf(graph::Node const& node) {
    auto const* const mark = dynamic_cast<graph::BoundaryMark const*>(node.op.get());
    return mark == nullptr || node.op->kind() == graph::ConditionalInput::kKind ? -1 : mark->part;
}

bool isBorder(graph::Node const& node) {
    return partOf(node) >= 0;
}

bool countsPasses(graph::Node const& node) {
    auto const* const limit = dynamic_cast<graph::TripLimit const*>(node.op.get());
    return limit != nullptr && limit->limit == nvinfer1::TripLimit::kCOUNT;
}

bool isLimit(graph::Node const& node) {
    return partOf(node) >= 0 && node.outputs.empty();
}

std::unordered_set<graph::Node const*> neededNodes(graph::Network const& network) {
    std::unordered_map<int32_t, std::vector<graph::Node const*>> limits; // by part
    std::vector<graph::Node const*> open;
    for (graph::Node const* node : network.nodes()) {
        if (isLimit(*node)) {
            limits[partOf(*node)].push_back(node);
        } else if (dynamic_cast<graph::Assertion const*>(node->op.get()) != nullptr) {
            open.push_back(node);
        }
    }
    for (graph::Tensor const* output : network.outputs()) {
        if (output->producer != nullptr) {
            open.push_back(output->producer);
        }
    }
    std::unordered_set<graph::Node const*> needed;
    while (!open.empty()) {
        graph::Node const* const node = open.back();
        open.pop_back();
        if (!needed.insert(node).second) {
            continue;
        }
        for (graph::Tensor const* input : node->inputs) {
            if (input != nullptr && input->producer != nullptr) {
                open.push_back(input->producer);
            }
        }
        if (auto const found = limits.find(partOf(*node)); found != limits.end()) {
            open.insert(open.end(), found->second.begin(), found->second.end());
        }
    }
    return needed;
}

graph::Tensor* Nesting::origin(graph::Tensor* tensor) {
    while (tensor != nullptr && tensor->producer != nullptr &&
           tensor->producer->op->kind() == graph::ConditionalInput::kKind) {
        tensor = tensor->producer->inputs[0];
    }
    return tensor;
}

Nesting::Nesting(graph::Network const& network,
                 std::unordered_set<graph::Node const*> const& needed) {
    NestingFinder(network, needed, *this).run();
}

} // namespace kiln::compiler
