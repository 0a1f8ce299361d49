// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/counted_loop.h"

#include "onnx/node_order.h"

#include <algorithm>

namespace kiln::onnx {

namespace {

// Exporters write few casts in a row, and few conditions.
constexpr int kMostCasts = 16;
constexpr size_t kMostConditions = 16;

GraphProto const* branchOf(NodeProto const& node, std::string_view name) {
    for (AttributeProto const& attribute : node.attributes) {
        if (attribute.name == name && attribute.graph != nullptr) {
            return attribute.graph->outputs.size() == 1 ? attribute.graph.get() : nullptr;
        }
    }
    return nullptr;
}

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

NodeProto const* LoopBody::constant(std::string_view name) const {
    NodeProto const* const node = producerOf(name);
    return node != nullptr && node->opType == "Constant" ? node : nullptr;
}

bool LoopBody::isFixed(std::string_view name) const {
    return constant(name) != nullptr || isFromAround(name);
}

// What `And` joins, and `If (a) {b} else {false}`, as exporters write `a and b`.
LoopBody::Conditions LoopBody::conditions() const {
    Conditions found;
    std::vector<std::string> left{body_.outputs.front().name};
    while (!left.empty() && found.names.size() + left.size() < kMostConditions) {
        std::string const name = original(left.back());
        left.pop_back();
        NodeProto const* const node = producerOf(name);
        if (node != nullptr && node->opType == "And" && node->inputs.size() == 2) {
            left.insert(left.end(), node->inputs.begin(), node->inputs.end());
            continue;
        }
        GraphProto const* const otherwise =
            node != nullptr && node->opType == "If" && node->inputs.size() == 1
                ? branchOf(*node, "else_branch")
                : nullptr;
        std::string ending;
        if (otherwise != nullptr) {
            LoopBody const branch(*otherwise);
            ending = branch.original(otherwise->outputs.front().name);
            if (branch.producerOf(ending) != nullptr || !isFixed(ending)) {
                ending.clear();
            }
        }
        if (ending.empty()) {
            found.names.push_back(name);
            continue;
        }
        // What the other branch says is one more condition, which nobody looks at.
        left.push_back(node->inputs.front());
        found.endings.push_back(ending);
        found.names.emplace_back();
    }
    found.names.insert(found.names.end(), left.begin(), left.end());
    return found;
}

std::optional<LoopBody::Comparison> LoopBody::comparison(std::string const& name) const {
    NodeProto const* const node = producerOf(name);
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

std::optional<CountedLoop> LoopBody::counted(Comparison const& comparison) const {
    NodeProto const* const sum = producerOf(comparison.less);
    if (!isFixed(comparison.more) || sum == nullptr || sum->opType != "Add" ||
        sum->inputs.size() != 2) {
        return std::nullopt;
    }
    for (size_t i = 0; i + 2 < body_.inputs.size() && i + 1 < body_.outputs.size(); ++i) {
        if (original(body_.outputs[i + 1].name) != comparison.less) {
            continue;
        }
        for (size_t operand = 0; operand < 2; ++operand) {
            std::string const step = original(sum->inputs[1 - operand]);
            bool const isCarried = original(sum->inputs[operand]) == body_.inputs[i + 2].name;
            if (isCarried && isFixed(step)) {
                return CountedLoop{i, step, comparison.more, comparison.inclusive, true, {}};
            }
        }
    }
    return std::nullopt;
}

std::optional<CountedLoop> LoopBody::counted() const {
    if (body_.outputs.empty()) {
        return std::nullopt;
    }
    Conditions const all = conditions();
    for (std::string const& name : all.names) {
        auto const compared = comparison(name);
        auto found = compared ? counted(*compared) : std::nullopt;
        if (found) {
            found->isAlone = all.names.size() == 1;
            found->endings = all.endings;
            return found;
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

std::optional<GrowingTensor> LoopBody::growth(size_t carried) const {
    if (carried + 2 >= body_.inputs.size() || carried + 1 >= body_.outputs.size()) {
        return std::nullopt;
    }
    std::string const& name = body_.inputs[carried + 2].name;
    std::string const& result = body_.outputs[carried + 1].name;
    auto const isResult = [&](ValueInfoProto const& output) { return output.name == result; };
    NodeProto const* const node = producerOf(result);
    auto const reads = reads_.find(name);
    if (node == nullptr || node->opType != "Concat" || !node->domain.empty() ||
        node->inputs.size() != 2 || reads == reads_.end() || reads->second != 1 ||
        reads_.contains(result) ||
        std::count_if(body_.outputs.begin(), body_.outputs.end(), isResult) != 1) {
        return std::nullopt;
    }
    auto const axis = std::find_if(node->attributes.begin(), node->attributes.end(),
                                   [](auto const& attribute) { return attribute.name == "axis"; });
    bool const isFirst = node->inputs[0] == name;
    if ((!isFirst && node->inputs[1] != name) || axis == node->attributes.end() ||
        axis->type != AttributeType::kInt || !axis->refName.empty()) {
        return std::nullopt;
    }
    return GrowingTensor{axis->intValue, !isFirst};
}

} // namespace kiln::onnx
