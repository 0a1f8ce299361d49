// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/counted_loop.h"

#include "onnx/node_order.h"

#include <algorithm>

namespace kiln::onnx {

namespace {

NodeProto const* producerOf(GraphProto const& body, std::string_view name) {
    auto const node = std::find_if(body.nodes.begin(), body.nodes.end(), [&](auto& candidate) {
        return std::count(candidate.outputs.begin(), candidate.outputs.end(), name) > 0;
    });
    return node == body.nodes.end() ? nullptr : &*node;
}

// The name behind nodes that leave a number as it is.
std::string original(GraphProto const& body, std::string name) {
    for (size_t i = 0; i <= body.nodes.size(); ++i) {
        NodeProto const* const node = producerOf(body, name);
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

bool isFromAround(GraphProto const& body, std::string_view name) {
    auto const isInput = [&](ValueInfoProto const& input) { return input.name == name; };
    auto const isOwn = [&](TensorProto const& tensor) { return tensor.name == name; };
    return producerOf(body, name) == nullptr &&
           std::none_of(body.inputs.begin(), body.inputs.end(), isInput) &&
           std::none_of(body.initializers.begin(), body.initializers.end(), isOwn);
}

struct Comparison {
    std::string less;
    std::string more;
    bool inclusive;
};

std::optional<Comparison> comparisonOf(GraphProto const& body) {
    NodeProto const* const node = producerOf(body, original(body, body.outputs.front().name));
    if (node == nullptr || node->inputs.size() != 2) {
        return std::nullopt;
    }
    std::string const& kind = node->opType;
    bool const isLess = kind == "Less" || kind == "LessOrEqual";
    if (!isLess && kind != "Greater" && kind != "GreaterOrEqual") {
        return std::nullopt;
    }
    return Comparison{original(body, node->inputs[isLess ? 0 : 1]),
                      original(body, node->inputs[isLess ? 1 : 0]), kind.ends_with("OrEqual")};
}

} // namespace

std::optional<CountedLoop> countedLoop(GraphProto const& body) {
    if (body.outputs.empty()) {
        return std::nullopt;
    }
    auto const comparison = comparisonOf(body);
    if (!comparison || !isFromAround(body, comparison->more)) {
        return std::nullopt;
    }
    NodeProto const* const sum = producerOf(body, comparison->less);
    if (sum == nullptr || sum->opType != "Add" || sum->inputs.size() != 2) {
        return std::nullopt;
    }
    for (size_t i = 0; i + 2 < body.inputs.size() && i + 1 < body.outputs.size(); ++i) {
        if (original(body, body.outputs[i + 1].name) != comparison->less) {
            continue;
        }
        for (size_t operand = 0; operand < 2; ++operand) {
            std::string const step = original(body, sum->inputs[1 - operand]);
            bool const isCarried = original(body, sum->inputs[operand]) == body.inputs[i + 2].name;
            if (isCarried && isFromAround(body, step)) {
                return CountedLoop{i, step, comparison->more, comparison->inclusive};
            }
        }
    }
    return std::nullopt;
}

bool appendsTo(GraphProto const& body, size_t carried) {
    if (carried + 2 >= body.inputs.size() || carried + 1 >= body.outputs.size()) {
        return false;
    }
    std::string const& name = body.inputs[carried + 2].name;
    size_t uses = 0;
    for (NodeProto const& node : body.nodes) {
        forEachRead(node, [&](std::string_view read) { uses += read == name ? 1 : 0; });
    }
    NodeProto const* const node = producerOf(body, original(body, body.outputs[carried + 1].name));
    return uses == 1 && node != nullptr && node->opType == "SequenceInsert" &&
           node->inputs.size() >= 2 && node->inputs[0] == name &&
           (node->inputs.size() == 2 || node->inputs[2].empty());
}

} // namespace kiln::onnx
