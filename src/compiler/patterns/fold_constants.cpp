// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A step that reads constants only becomes constants, and so do ranges of numbers.
#include <algorithm>
#include <cstring>

#include "base/tensor_layout.h"
#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "graph/ops/control.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/fill.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

// A result may be this much larger than its operands. Larger ones, such as a scalar that is
// repeated over a feature map, would only make the plan bigger.
constexpr std::size_t kMostGrowth = 1 << 16;

bool worthStoring(Program const& program, Step const& step) {
    if (step.as<graph::Dequantize>() != nullptr) {
        return !step.kept; // else each run would write the larger tensor, then read it
    }
    std::size_t before = 0;
    std::size_t after = 0;
    for (ValueId const id : step.inputs()) {
        Value const& input = program.value(id);
        before += (input.recipe == nullptr ? 0 : input.recipe->bytes()) +
                  input.values.size() * sizeof(int64_t);
    }
    for (ValueId const id : step.outputs()) {
        Value const& value = program.value(id);
        Dims const dims = graph::knownDims(program.pool, value.shape);
        if (std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; })) {
            return false;
        }
        after += bytesFor(value.type.type, volume(dims, value.name));
    }
    return after <= before + kMostGrowth;
}

bool isKnown(Program const& program, Value const& value) {
    bool const hasValues = value.role == plan::TensorRole::kValues && !value.values.empty();
    return (value.role == plan::TensorRole::kConstant && !value.isAbsent()) ||
           (hasValues &&
            std::all_of(value.values.begin(), value.values.end(),
                        [&](graph::ExprRef ref) { return program.pool.isConstant(ref); }));
}

/// A host tensor whose values no shape changes, such as the extent of a fixed axis, as a constant.
Value asConstant(Program const& program, Value const& host) {
    Bytes bytes(host.values.size() * bytesFor(host.type.type, 1));
    for (std::size_t i = 0; i < host.values.size(); ++i) {
        int64_t const number = program.pool.constantOr(host.values[i]);
        // The least significant bytes come first, so they are the number in a shorter type.
        std::memcpy(bytes.data() + i * bytesFor(host.type.type, 1), &number,
                    bytesFor(host.type.type, 1));
    }
    Value constant;
    constant.name = host.name;
    constant.origin = host.name;
    constant.role = plan::TensorRole::kConstant;
    constant.type = host.type;
    constant.shape = host.shape;
    constant.recipe = target::Recipe::source({}, constant.type, target::Elements(std::move(bytes)));
    return constant;
}

/// Whether the step gives its operand other extents and nothing else.
bool reshapes(Step const& step) {
    auto const* shuffle = step.as<graph::Shuffle>();
    return shuffle != nullptr && shuffle->firstTranspose == graph::Shuffle::kIdentity &&
           shuffle->secondTranspose == graph::Shuffle::kIdentity;
}

/// Whether a step without operands gives the same numbers in each run.
bool isRange(Step const& step) {
    auto const* fill = step.as<graph::Fill>();
    return fill != nullptr && fill->operation == nvinfer1::FillOperation::kLINSPACE;
}

/// The recipes of the outputs; none if the step cannot be folded.
std::vector<target::RecipePtr> folded(Program const& program, Step const& step) {
    if (reshapes(step)) {
        Value const& input = program.value(step.inputs()[0]);
        if (program.value(step.outputs()[0]).type == input.type) {
            return {input.recipe};
        }
    }
    if (step.outputs().size() == 1) {
        target::RecipePtr recipe = recipeOf(program, step);
        return recipe == nullptr ? std::vector<target::RecipePtr>() : std::vector{recipe};
    }
    std::optional<std::vector<Bytes>> results = evaluateOnHost(program, step);
    std::vector<target::RecipePtr> recipes;
    for (std::size_t i = 0; results.has_value() && i < results->size(); ++i) {
        recipes.push_back(target::Recipe::source({}, program.value(step.outputs()[i]).type,
                                                 target::Elements(std::move((*results)[i]))));
    }
    return recipes;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    bool const foldable =
        (!step.inputs().empty() || isRange(step)) && step.op->sizeCount() == 0 &&
        !graph::isControl(*step.op) &&
        std::all_of(step.inputs().begin(), step.inputs().end(),
                    [&](ValueId input) { return isKnown(program, program.value(input)); }) &&
        std::all_of(step.outputs().begin(), step.outputs().end(),
                    [&](ValueId output) { return program.value(output).isPrivate(); });
    if (!foldable || !worthStoring(program, step)) {
        return false;
    }
    for (std::size_t i = 0; i < step.inputs().size(); ++i) {
        Value const& input = program.value(step.inputs()[i]);
        if (input.role == plan::TensorRole::kValues) {
            rewriter.setInput(id, i, program.addValue(asConstant(program, input)));
        }
    }
    std::vector<target::RecipePtr> const results = folded(program, step);
    if (results.empty()) {
        return false;
    }
    std::vector<ValueId> const outputs = step.outputs();
    std::string const name = step.name;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Value constant;
        constant.name = program.value(outputs[i]).name;
        constant.origin = name;
        constant.role = plan::TensorRole::kConstant;
        constant.type = program.value(outputs[i]).type;
        constant.shape = program.value(outputs[i]).shape;
        constant.recipe = results[i];
        rewriter.replaceUses(outputs[i], program.addValue(std::move(constant)));
    }
    rewriter.erase(id);
    return true;
}

} // namespace

void registerPattern_fold_constants(PatternRegistry& registry) {
    registry.add({"fold_constants", {}, &apply});
}

} // namespace kiln::compiler
