// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/counted_loop.h"

#include "onnx/node_order.h"

#include <algorithm>

namespace kiln::onnx {

namespace {

// Exporters write few casts in a row.
constexpr int kMostCasts = 16;

} // namespace

LoopBody::LoopBody(GraphProto const& body) : body_(body) {
    for (NodeProto const& node : body.nodes) {
        for (std::string const& output : node.outputs) {
            producers_.try_emplace(output, &node);
        }
        forEachRead(node, [&](std::string_view name) { ++reads_[name]; });
    }
}

NodeProto const* LoopBody::producerOf(std::string_view name) const {
    auto const found = producers_.find(name);
    return found == producers_.end() ? nullptr : found->second;
}

// The name behind nodes that leave a number as it is.
std::string LoopBody::original(std::string name) const {
    for (int i = 0; i < kMostCasts; ++i) {
        NodeProto const* const node = producerOf(name);
        bool const keeps =
            node != nullptr && !node->inputs.empty() &&
            (node->opType == "Identity" || node->opType == "Cast" || node->opType == "CastLike");
        if (!keeps) {
            break;
        }
        name = node->inputs.front();
    }
    return name;
}

bool LoopBody::isFromAround(std::string_view name) const {
    auto const isInput = [&](ValueInfoProto const& input) { return input.name == name; };
    auto const isOwn = [&](TensorProto const& tensor) { return tensor.name == name; };
    return producerOf(name) == nullptr &&
           std::none_of(body_.inputs.begin(), body_.inputs.end(), isInput) &&
           std::none_of(body_.initializers.begin(), body_.initializers.end(), isOwn);
}

std::optional<LoopBody::Comparison> LoopBody::condition() const {
    NodeProto const* const node = producerOf(original(body_.outputs.front().name));
    if (node == nullptr || node->inputs.size() != 2) {
        return std::nullopt;
    }
    std::string const& kind = node->opType;
    bool const isLess = kind == "Less" || kind == "LessOrEqual";
    if (!isLess && kind != "Greater" && kind != "GreaterOrEqual") {
        return std::nullopt;
    }
    return Comparison{original(node->inputs[isLess ? 0 : 1]),
                      original(node->inputs[isLess ? 1 : 0]), kind.ends_with("OrEqual")};
}

std::optional<CountedLoop> LoopBody::counted() const {
    auto const comparison = body_.outputs.empty() ? std::nullopt : condition();
    if (!comparison || !isFromAround(comparison->more)) {
        return std::nullopt;
    }
    NodeProto const* const sum = producerOf(comparison->less);
    if (sum == nullptr || sum->opType != "Add" || sum->inputs.size() != 2) {
        return std::nullopt;
    }
    for (size_t i = 0; i + 2 < body_.inputs.size() && i + 1 < body_.outputs.size(); ++i) {
        if (original(body_.outputs[i + 1].name) != comparison->less) {
            continue;
        }
        for (size_t operand = 0; operand < 2; ++operand) {
            std::string const step = original(sum->inputs[1 - operand]);
            bool const isCarried = original(sum->inputs[operand]) == body_.inputs[i + 2].name;
            if (isCarried && isFromAround(step)) {
                return CountedLoop{i, step, comparison->more, comparison->inclusive};
            }
        }
    }
    return std::nullopt;
}

bool LoopBody::appendsTo(size_t carried) const {
    if (carried + 2 >= body_.inputs.size() || carried + 1 >= body_.outputs.size()) {
        return false;
    }
    std::string const& name = body_.inputs[carried + 2].name;
    auto const reads = reads_.find(name);
    NodeProto const* const node = producerOf(original(body_.outputs[carried + 1].name));
    return reads != reads_.end() && reads->second == 1 && node != nullptr &&
           node->opType == "SequenceInsert" && node->inputs.size() >= 2 &&
           node->inputs[0] == name && (node->inputs.size() == 2 || node->inputs[2].empty());
}

} // namespace kiln::onnx
