// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Makes records of the recipes of constants, for refit.
#include <algorithm>
#include <unordered_map>

#include "plan/document.h"

namespace kiln::plan {
namespace {

class WeightAdder {
public:
    explicit WeightAdder(Document& document) : document_(document) {}

    void add(TensorRecord& tensor) {
        std::vector<target::Recipe const*> const parts = target::partsOf(*tensor.recipe);
        auto const sources = std::count_if(parts.begin(), parts.end(),
                                           [](auto const* part) { return part->isSource(); });
        if (target::sourceNames(*tensor.recipe).empty()) {
            return; // nothing that can change
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
    /// The number of a recipe whose operands have one.
    WeightId recordOf(target::Recipe const& recipe) {
        if (auto const found = numbers_.find(&recipe); found != numbers_.end()) {
            return found->second;
        }
        WeightRecord record;
        record.name = recipe.name();
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
    std::unordered_map<target::Recipe const*, WeightId> numbers_;
};

} // namespace

void addWeights(Document& document) {
    document.refittable = true;
    WeightAdder adder(document);
    for (TensorRecord& tensor : document.tensors) {
        if (tensor.recipe != nullptr) {
            adder.add(tensor);
        }
    }
}

} // namespace kiln::plan
