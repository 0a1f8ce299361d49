// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/recipe.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "base/resident_memory.h"
#include "base/tensor_layout.h"
#include "graph/op_registry.h"
#include "graph/ops/slice.h"
#include "target/host_operation.h"

namespace kiln::target {
namespace {

std::vector<HostOperand> hostOperands(std::span<RecipeOperand const> operands) {
    std::vector<HostOperand> result;
    for (RecipeOperand const& operand : operands) {
        result.push_back({operand.recipe->type(), operand.dims});
    }
    return result;
}

/// Whether an operation computes with any elements. A slice whose beginning is an operand refuses
/// those outside of the data; others clamp indices or skip them.
bool takesAllElements(graph::Op const& op, std::size_t operands) {
    return op.kind() != graph::Slice::kKind || operands == 1;
}

/// The result of one operation.
Bytes evaluated(Recipe const& recipe, std::span<ByteView const> inputs) {
    std::unique_ptr<graph::Op> const op =
        graph::OpRegistry::instance().load(recipe.op(), recipe.parameters());
    HostOperand const output{recipe.type(), recipe.dims()};
    std::unique_ptr<HostOperation> const operation =
        HostOperation::find(*op, "recipe", hostOperands(recipe.operands()), {&output, 1});
    std::optional<std::vector<Bytes>> results;
    if (operation != nullptr) {
        results = operation->run(inputs);
    }
    if (!results.has_value()) {
        fail(ErrorKind::kInvalidArgument,
             "[weights] operation {} on {} constants: expected elements that the target cpu "
             "computes with, got others. Check indices and divisors among the weights.",
             recipe.op(), inputs.size());
    }
    return std::move(results->front());
}

void expectElements(Recipe const& source) {
    if (!source.isKnown()) {
        fail(ErrorKind::kInvalidArgument,
             "[weights] '{}': expected its {} bytes, which other weights are computed with, got "
             "none. Give this weight, too.",
             source.name(), source.bytes());
    }
}

} // namespace

RecipePtr Recipe::source(std::string name, OperandType type, Elements elements) {
    auto recipe = std::shared_ptr<Recipe>(new Recipe);
    recipe->name_ = std::move(name);
    recipe->type_ = type;
    recipe->bytes_ = recipe->largestSource_ = elements.view.size();
    recipe->elements_ = std::move(elements);
    recipe->known_ = true;
    return recipe;
}

RecipePtr Recipe::missing(std::string name, OperandType type, std::size_t bytes) {
    auto recipe = std::shared_ptr<Recipe>(new Recipe);
    recipe->name_ = std::move(name);
    recipe->type_ = type;
    recipe->bytes_ = recipe->largestSource_ = bytes;
    recipe->known_ = bytes == 0;
    return recipe;
}

RecipePtr Recipe::operation(std::string op, Bytes parameters, std::vector<RecipeOperand> operands,
                            OperandType type, Dims const& dims, std::optional<Bytes> known) {
    auto recipe = std::shared_ptr<Recipe>(new Recipe);
    recipe->op_ = std::move(op);
    recipe->parameters_ = std::move(parameters);
    recipe->operands_ = std::move(operands);
    recipe->type_ = type;
    recipe->dims_ = dims;
    recipe->bytes_ = storageBytes(type.type, type.format, dims, "recipe");
    for (RecipeOperand const& operand : recipe->operands_) {
        recipe->depth_ = std::max(recipe->depth_, operand.recipe->depth() + 1);
        recipe->largestSource_ = std::max(recipe->largestSource_, operand.recipe->largestSource());
    }
    recipe->known_ = known.has_value() || recipe->bytes_ == 0;
    if (known.has_value()) {
        recipe->elements_ = Elements(std::move(*known));
    }
    return recipe;
}

void addMapped(Recipe const& recipe, std::vector<ByteView>& elements) {
    for (Recipe const* const part : partsOf(recipe)) {
        if (part->isSource() && part->known().own == nullptr) {
            elements.push_back(part->known().view);
        }
    }
}

void noteRead(Recipe const& recipe, FilePageReleaser& files) {
    std::vector<ByteView> elements;
    addMapped(recipe, elements);
    for (ByteView const part : elements) {
        files.add(part);
    }
}

std::vector<Recipe const*> partsOf(Recipe const& recipe, Parts which) {
    std::vector<Recipe const*> parts;
    std::unordered_set<Recipe const*> seen;
    std::vector<std::pair<Recipe const*, std::size_t>> open{{&recipe, 0}}; // and its next operand
    seen.insert(&recipe);
    while (!open.empty()) {
        auto& [part, next] = open.back();
        bool const ends = which == Parts::kUnknown && part->isKnown();
        if (ends || next == part->operands().size()) {
            parts.push_back(part);
            open.pop_back();
            continue;
        }
        Recipe const* const operand = part->operands()[next++].recipe.get();
        if (seen.insert(operand).second) {
            open.emplace_back(operand, 0);
        }
    }
    return parts;
}

bool isAligned(ByteView elements, DataType type) {
    return reinterpret_cast<std::uintptr_t>(elements.data()) % bytesFor(type, 1) == 0;
}

/// The elements of a part that are known, where kernels can read them.
static Elements readable(Recipe const& part) {
    Elements const& known = part.known();
    return isAligned(known.view, part.type().type)
               ? known
               : Elements(Bytes(known.view.begin(), known.view.end()));
}

Elements elementsOf(Recipe const& recipe) {
    if (recipe.isKnown()) {
        return readable(recipe);
    }
    std::vector<Recipe const*> const parts = partsOf(recipe, Parts::kUnknown);
    std::unordered_map<Recipe const*, int32_t> readers;
    for (Recipe const* const part : parts) {
        for (RecipeOperand const& operand : part->operands()) {
            ++readers[operand.recipe.get()];
        }
    }
    std::unordered_map<Recipe const*, Elements> values;
    for (Recipe const* const part : parts) {
        if (part->isKnown() || part->isSource()) {
            expectElements(*part);
            values[part] = readable(*part);
            continue;
        }
        std::vector<ByteView> inputs;
        for (RecipeOperand const& operand : part->operands()) {
            inputs.push_back(values.at(operand.recipe.get()).view);
        }
        values[part] = Elements(evaluated(*part, inputs));
        for (RecipeOperand const& operand : part->operands()) {
            if (--readers[operand.recipe.get()] == 0) {
                values.erase(operand.recipe.get());
            }
        }
    }
    return values.at(&recipe);
}

std::vector<std::string_view> sourceNames(Recipe const& recipe) {
    std::vector<std::string_view> names;
    for (Recipe const* const part : partsOf(recipe)) {
        bool const isNew = std::find(names.begin(), names.end(), part->name()) == names.end();
        if (!part->name().empty() && isNew) {
            names.push_back(part->name());
        }
    }
    return names;
}

RecipePtr computed(graph::Op const& op, std::string_view layer, std::vector<RecipeOperand> operands,
                   OperandType type, Dims const& dims) {
    std::size_t const bytes = storageBytes(type.type, type.format, dims, layer);
    std::size_t largest = 0;
    int32_t depth = 0;
    for (RecipeOperand const& operand : operands) {
        largest = std::max(largest, operand.recipe->largestSource());
        depth = std::max(depth, operand.recipe->depth() + 1);
    }
    if (depth > Recipe::kMostDepth || bytes > Recipe::mostBytes(largest)) {
        return nullptr;
    }
    HostOperand const output{type, dims};
    std::unique_ptr<HostOperation> const operation =
        HostOperation::find(op, layer, hostOperands(operands), {&output, 1});
    if (operation == nullptr) {
        return nullptr;
    }
    std::optional<Bytes> known;
    if (bytes <= Recipe::kSmall || !takesAllElements(op, operands.size())) {
        std::vector<Elements> values;
        std::vector<ByteView> inputs;
        for (RecipeOperand const& operand : operands) {
            values.push_back(elementsOf(*operand.recipe));
            inputs.push_back(values.back().view);
        }
        std::optional<std::vector<Bytes>> results = operation->run(inputs);
        if (!results.has_value()) {
            return nullptr;
        }
        if (bytes <= Recipe::kSmall) {
            known = std::move(results->front());
        }
    }
    ByteWriter writer;
    op.save(writer);
    return Recipe::operation(std::string(op.kind()), writer.take(), std::move(operands), type, dims,
                             std::move(known));
}

} // namespace kiln::target
