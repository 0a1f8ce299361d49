// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/named_weights.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/hash.h"
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

std::vector<plan::WeightId> NamedWeights::sourcesOf(plan::WeightId weight) const {
    std::vector<plan::WeightId> sources;
    std::set<plan::WeightId> seen{weight};
    std::vector<plan::WeightId> open{weight};
    while (!open.empty()) {
        plan::WeightId const next = open.back();
        open.pop_back();
        plan::WeightRecord const& record = document_.weights[next];
        if (record.op.empty()) {
            sources.push_back(next);
        }
        for (plan::WeightOperand const& operand : record.operands) {
            if (seen.insert(operand.weight).second) {
                open.push_back(operand.weight);
            }
        }
    }
    return sources;
}

NamedWeights::Copies NamedWeights::copiesOf(std::span<NewWeights const> weights) const {
    std::set<plan::WeightId> besideOthers;
    for (plan::TensorRecord const& tensor : document_.tensors) {
        std::vector<plan::WeightId> const sources =
            tensor.weight.isNone() ? std::vector<plan::WeightId>() : sourcesOf(tensor.weight);
        if (sources.size() > 1) {
            besideOthers.insert(sources.begin(), sources.end());
        }
    }
    Copies copies;
    for (NewWeights const& own : weights) {
        for (plan::WeightId const weight : besideOthers) {
            if (document_.weights[weight].name == own.name) {
                copies[weight].assign(own.elements.begin(), own.elements.end());
            }
        }
    }
    return copies;
}

void NamedWeights::keep(Copies copies) noexcept {
    while (!copies.empty()) {
        auto node = copies.extract(copies.begin()); // moves without memory
        if (auto const known = kept_.find(node.key()); known != kept_.end()) {
            known->second.swap(node.mapped());
        } else {
            kept_.insert(std::move(node));
        }
    }
}

void NamedWeights::putInto(plan::Document& copy) const {
    for (auto const& [weight, elements] : kept_) {
        copy.weights[weight].data = elements;
    }
}

bool NamedWeights::isThere(plan::WeightId source) const {
    plan::WeightRecord const& record = document_.weights[source];
    return record.sourceBytes == 0 || !record.data.empty() || kept_.contains(source);
}

std::vector<std::string> NamedWeights::missing() const {
    std::set<plan::WeightId> wanted; // in the order of the plan
    for (plan::TensorRecord const& tensor : document_.tensors) {
        if (tensor.isStripped()) {
            for (plan::WeightId const source : sourcesOf(tensor.weight)) {
                wanted.insert(source);
            }
        }
    }
    std::vector<std::string> names;
    for (plan::WeightId const source : wanted) {
        std::string const& name = document_.weights[source].name;
        if (!isThere(source) && std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
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
    if (found.empty() && !areFixed(weights)) {
        failUnknown(weights.name);
    }
    return found;
}

/// Whether the engine has fixed weights of this name. Throws if these are others.
bool NamedWeights::areFixed(NewWeights const& weights) const {
    bool known = false;
    for (plan::FixedWeights const& own : document_.fixedWeights) {
        if (own.name != weights.name) {
            continue;
        }
        expectFit(weights, own.type, own.bytes);
        if (hashBytes(weights.elements) != own.hash) {
            fail(ErrorKind::kInvalidArgument,
                 "[engine] weights '{}': expected the elements that the engine was built with, "
                 "since the build used them, got others. Build the engine with BuilderFlag "
                 "REFIT_INDIVIDUAL and mark them as refittable.",
                 weights.name);
        }
        known = true;
    }
    return known;
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
