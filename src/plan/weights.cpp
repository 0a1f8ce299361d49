// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Makes records of the recipes of constants, for refit, and plans without elements.
#include <algorithm>
#include <unordered_map>

#include "plan/document.h"

namespace kiln::plan {
namespace {

class WeightAdder {
public:
    WeightAdder(Document& document, WeightNames const& names)
        : document_(document), names_(names) {}

    void add(TensorRecord& tensor) {
        std::vector<target::Recipe const*> const parts = target::partsOf(*tensor.recipe);
        auto const sources = std::count_if(parts.begin(), parts.end(),
                                           [](auto const* part) { return part->isSource(); });
        if (std::none_of(parts.begin(), parts.end(),
                         [&](auto const* part) { return canChange(*part); })) {
            return;
        }
        for (target::Recipe const* const part : parts) {
            WeightRecord& record = document_.weights[recordOf(*part)];
            if (part->isSource() && sources > 1) {
                record.data = part->known().view;
                record.owner = part->known().own;
            }
        }
        tensor.weight = numbers_.at(tensor.recipe.get());
    }

private:
    bool canChange(target::Recipe const& part) const {
        return part.isSource() && !part.name().empty() && !names_.fixed.contains(part.name());
    }

    /// The number of a recipe whose operands have one.
    WeightId recordOf(target::Recipe const& recipe) {
        if (auto const found = numbers_.find(&recipe); found != numbers_.end()) {
            return found->second;
        }
        WeightRecord record;
        if (canChange(recipe)) {
            record.name = recipe.name();
            auto const label = names_.labels.find(record.name);
            record.label = label == names_.labels.end() ? std::string() : label->second;
        }
        record.type = recipe.type();
        if (recipe.isSource()) {
            record.sourceBytes = recipe.bytes();
        } else {
            record.op = recipe.op();
            record.parameters = recipe.parameters();
            record.dims = recipe.dims();
        }
        for (target::RecipeOperand const& operand : recipe.operands()) {
            record.operands.push_back({numbers_.at(operand.recipe.get()), operand.dims});
        }
        return numbers_[&recipe] = document_.weights.add(std::move(record));
    }

    Document& document_;
    WeightNames const& names_;
    std::unordered_map<target::Recipe const*, WeightId> numbers_;
};

} // namespace

void addWeights(Document& document, WeightNames const& names) {
    document.refittable = true;
    WeightAdder adder(document, names);
    for (TensorRecord& tensor : document.tensors) {
        if (tensor.recipe != nullptr) {
            adder.add(tensor);
        }
    }
}

void stripWeights(Document& document) {
    for (TensorRecord& tensor : document.tensors) {
        if (tensor.role == TensorRole::kConstant && !tensor.weight.isNone()) {
            tensor.strippedBytes = tensor.constantBytes();
            tensor.data = {};
            tensor.recipe.reset();
            tensor.packing.reset();
        }
    }
    for (WeightRecord& weight : document.weights) {
        if (!weight.name.empty()) {
            weight.data = {};
            weight.owner.reset();
        }
    }
}

} // namespace kiln::plan
