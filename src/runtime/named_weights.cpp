// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/named_weights.h"

#include <algorithm>

#include "base/tensor_layout.h"
#include "base/text.h"
#include "plan/check.h"

namespace kiln::runtime {
namespace {

void expectFit(NewWeights const& weights, DataType type, std::size_t bytes) {
    if (weights.type != type || weights.elements.size() != bytes) {
        fail(ErrorKind::kInvalidArgument,
             "[engine] weights '{}': expected {} bytes of {}, got {} of {}. Give all elements, in "
             "the type of the network.",
             weights.name, bytes, nameOf(type), weights.elements.size(), nameOf(weights.type));
    }
}

/// Bytes of a constant before it is packed.
std::size_t bytesOf(plan::Document const& document, plan::TensorRecord const& constant) {
    return storageBytes(constant.type.type, constant.type.format,
                        plan::constantDims(document, constant), constant.name);
}

} // namespace

std::vector<NewConstant> NamedWeights::constantsFor(std::span<NewWeights const> weights) const {
    std::vector<NewConstant> constants;
    if (!document_.refittable) {
        for (NewWeights const& own : weights) {
            std::vector<NewConstant> found = plainConstants(own);
            std::move(found.begin(), found.end(), std::back_inserter(constants));
        }
        return constants;
    }
    std::map<plan::WeightId, ByteView> given;
    for (NewWeights const& own : weights) {
        for (plan::WeightId const weight : find(own)) {
            given[weight] = own.elements;
        }
    }
    Table<plan::WeightId, Changed> const recipes = recipesWith(given);
    for (plan::TensorId const tensor : document_.tensors.ids()) {
        plan::WeightId const weight = document_.tensors[tensor].weight;
        if (recipes.has(weight) && recipes[weight].isNew) {
            constants.push_back({tensor, target::elementsOf(*recipes[weight].recipe)});
        }
    }
    return constants;
}

/// The recipes of all weights, and whether they depend on the given elements.
Table<plan::WeightId, NamedWeights::Changed> NamedWeights::recipesWith(
    std::map<plan::WeightId, ByteView> const& given) const {
    Table<plan::WeightId, Changed> recipes;
    for (plan::WeightId const weight : document_.weights.ids()) {
        plan::WeightRecord const& record = document_.weights[weight];
        if (record.op.empty()) {
            auto const own = given.find(weight);
            bool const isNew = own != given.end();
            recipes.push_back({sourceOf(weight, isNew ? own->second : ByteView()), isNew});
            continue;
        }
        bool isNew = false;
        std::vector<target::RecipeOperand> operands;
        for (plan::WeightOperand const& operand : record.operands) {
            Changed const& before = recipes[operand.weight];
            operands.push_back({before.recipe, operand.dims});
            isNew = isNew || before.isNew;
        }
        recipes.push_back({target::Recipe::operation(record.op, record.parameters,
                                                     std::move(operands), record.type, record.dims),
                           isNew});
    }
    return recipes;
}

/// A source with given elements, or those of the last change, or those of the plan.
target::RecipePtr NamedWeights::sourceOf(plan::WeightId weight, ByteView given) const {
    plan::WeightRecord const& record = document_.weights[weight];
    auto const kept = kept_.find(weight);
    ByteView const own = kept == kept_.end() ? record.data : ByteView(kept->second);
    ByteView const elements = given.empty() ? own : given;
    if (elements.size() != record.sourceBytes) {
        return target::Recipe::missing(record.name, record.type, record.sourceBytes);
    }
    return target::Recipe::source(record.name, record.type, target::Elements(elements));
}

void NamedWeights::keep(std::span<NewWeights const> weights) {
    for (NewWeights const& own : weights) {
        for (plan::WeightId const weight : document_.weights.ids()) {
            plan::WeightRecord const& record = document_.weights[weight];
            if (record.op.empty() && record.name == own.name && !record.data.empty()) {
                kept_[weight].assign(own.elements.begin(), own.elements.end());
            }
        }
    }
}

std::vector<plan::WeightId> NamedWeights::find(NewWeights const& weights) const {
    std::vector<plan::WeightId> found;
    for (plan::WeightId const weight : document_.weights.ids()) {
        plan::WeightRecord const& record = document_.weights[weight];
        if (record.op.empty() && !record.name.empty() && record.name == weights.name) {
            expectFit(weights, record.type.type, record.sourceBytes);
            found.push_back(weight);
        }
    }
    if (found.empty()) {
        failUnknown(weights.name);
    }
    return found;
}

/// Of a plan without recipes.
std::vector<NewConstant> NamedWeights::plainConstants(NewWeights const& weights) const {
    std::vector<NewConstant> found;
    for (plan::TensorId const tensor : document_.tensors.ids()) {
        plan::TensorRecord const& record = document_.tensors[tensor];
        if (record.role != plan::TensorRole::kConstant) {
            continue;
        }
        std::vector<std::string> const origins = split(record.origin, plan::kOriginSeparator);
        if (std::find(origins.begin(), origins.end(), weights.name) == origins.end()) {
            continue;
        }
        if (record.folded) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] weights '{}': expected weights that the engine has as the network had "
                 "them, got some that constant '{}' was computed from. Build the engine for "
                 "refit.",
                 weights.name, record.name);
        }
        expectFit(weights, record.type.type, bytesOf(document_, record));
        found.push_back({tensor, target::Elements(weights.elements)});
    }
    if (found.empty()) {
        failUnknown(weights.name);
    }
    return found;
}

void NamedWeights::failUnknown(std::string_view name) const {
    constexpr std::size_t kMostNames = 8;
    std::vector<std::string> known;
    for (plan::TensorRecord const& tensor : document_.tensors) {
        if (tensor.role == plan::TensorRole::kConstant && !tensor.origin.empty() &&
            known.size() < kMostNames) {
            known.push_back("'" + tensor.origin + "'");
        }
    }
    fail(ErrorKind::kInvalidArgument,
         "[engine] weights '{}': expected weights that the engine was built with, such as {}, got "
         "an unknown name. Name a layer and a role of its weights.",
         name, known.empty() ? "none" : join(known, ", "));
}

} // namespace kiln::runtime
