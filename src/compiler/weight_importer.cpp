// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/weight_importer.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/dims.h"

namespace kiln::compiler {

WeightImporter::WeightImporter(graph::Network const& network, Program& program)
    : network_(network), program_(program) {
    std::unordered_map<std::string_view, int32_t> counts;
    for (graph::Node const* const node : network_.nodes()) {
        int32_t const number = ++counts[node->name];
        if (number > 1 && program_.options.refit) {
            names_[node] = fmt::format("{} #{}", node->name, number);
        }
    }
}

ValueId WeightImporter::add(graph::Node const& node, graph::WeightSlot const& slot) {
    auto const other = names_.find(&node);
    std::string const& layer = other == names_.end() ? node.name : other->second;
    std::string const what = fmt::format("{}/{}", layer, slot.role);
    int64_t const expected = volume(slot.dims, what);
    if (slot.weights.count != expected || (expected > 0 && slot.weights.values == nullptr)) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] layer '{}' ({}), {} weights: expected {} values {}, got {}{}. Pass "
             "weights that match the layer's parameters.",
             node.name, node.op->kind(), slot.role, expected, toText(slot.dims), slot.weights.count,
             slot.weights.values == nullptr && slot.weights.count > 0 ? " at a null pointer" : "");
    }
    Value value;
    value.name = what;
    value.origin = what;
    value.role = plan::TensorRole::kConstant;
    value.type.type = slot.weights.type;
    value.shape = graph::constantShape(program_.pool, slot.dims);
    value.recipe = target::Recipe::source(
        what, value.type,
        target::Elements(ByteView(static_cast<std::byte const*>(slot.weights.values),
                                  expected > 0 ? bytesFor(slot.weights.type, expected) : 0)));
    noteSource(slot, value.recipe);
    return program_.addValue(std::move(value));
}

void WeightImporter::noteSource(graph::WeightSlot const& slot, target::RecipePtr const& source) {
    if (!program_.options.refit) {
        return;
    }
    program_.sources.push_back(source);
    graph::WeightNames::Entry const* const entry = network_.weightNames.find(slot.weights);
    bool const marked = entry != nullptr && entry->marked;
    if (entry != nullptr) {
        program_.weightNames.labels.emplace(source->name(), entry->name);
    }
    if (marked && program_.options.refitMarked) {
        program_.markedWeights.insert(source->name());
    } else if (program_.options.refitMarked) {
        program_.weightNames.fixed.insert(source->name());
    }
}

/// Whether integers that are followed are computed from a real number.
static bool becomesInteger(graph::Tensor const& real) {
    std::set<graph::Tensor const*> seen;
    std::vector<graph::Tensor const*> waiting{&real};
    while (!waiting.empty()) {
        graph::Tensor const* const tensor = waiting.back();
        waiting.pop_back();
        if (!tensor->facts.values.has_value() || !seen.insert(tensor).second) {
            continue;
        }
        if (tensor->facts.type != DataType::kFLOAT) {
            return true;
        }
        for (graph::Node const* user : tensor->users) {
            waiting.insert(waiting.end(), user->outputs.begin(), user->outputs.end());
        }
    }
    return false;
}

bool WeightImporter::mayGiveExtents(graph::Node const& constant) {
    using nvinfer1::LayerType;
    graph::Tensor const& output = *constant.outputs[0];
    if (output.facts.type == DataType::kFLOAT) {
        return becomesInteger(output);
    }
    return output.facts.values.has_value() &&
           !std::ranges::all_of(output.users, [](graph::Node const* user) {
               LayerType const type = user->op->layerType();
               bool const readsData = type == LayerType::kELEMENTWISE ||
                                      type == LayerType::kGATHER || type == LayerType::kSELECT ||
                                      type == LayerType::kSCATTER || type == LayerType::kCAST ||
                                      type == LayerType::kIDENTITY;
               return readsData && !user->outputs[0]->facts.values.has_value();
           });
}

} // namespace kiln::compiler
