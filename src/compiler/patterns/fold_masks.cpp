// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A comparison of ranges of numbers with each other or with constants, as for the mask of a
// triangle, becomes a constant. Ranges along an axis of a whole tensor are too large for a plan,
// but a truth value takes a quarter of a number or less. Without this, each run writes and reads
// them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/tensor_layout.h"
#include "compiler/constants.h"
#include "compiler/pattern.h"
#include "compiler/read_weights.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/fill.h"
#include "target/host_operation.h"

namespace kiln::compiler {
namespace {

constexpr std::size_t kMostMaskBytes = 4 << 20; // 2048 queries and as many keys

/// Whether a value is a constant whose elements a refit does not change one by one.
bool isFixed(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    return value.role == plan::TensorRole::kConstant && !value.isAbsent() &&
           !mustStayOpen(program, *value.recipe);
}

/// The step that makes a value, if it fills it with a range whose ends are constants; else kNone.
StepId rangeOf(Program const& program, ValueId id) {
    StepId const producer = program.value(id).producer();
    if (producer == StepId::kNone || program.step(producer).isPlugin()) {
        return StepId::kNone;
    }
    Step const& step = program.step(producer);
    auto const* fill = step.as<graph::Fill>();
    bool const isRange =
        fill != nullptr && fill->operation == nvinfer1::FillOperation::kLINSPACE &&
        step.op->sizeCount() == 0 &&
        std::all_of(step.inputs().begin(), step.inputs().end(), [&](ValueId input) {
            return program.value(input).isAbsent() || isFixed(program, input);
        });
    return isRange ? producer : StepId::kNone;
}

/// The bytes of a value; nullopt if an extent is not known.
std::optional<std::size_t> bytesOf(Program const& program, Value const& value) {
    Dims const dims = graph::knownDims(program.pool, value.shape);
    if (std::any_of(dims.d, dims.d + dims.nbDims, [](int64_t extent) { return extent < 0; })) {
        return std::nullopt;
    }
    return bytesFor(value.type.type, volume(dims, value.name));
}

/// Whether a comparison reads nothing but constants, and one range at least.
bool readsRanges(Program const& program, Step const& step) {
    auto const isRange = [&](ValueId id) { return rangeOf(program, id) != StepId::kNone; };
    return std::any_of(step.inputs().begin(), step.inputs().end(), isRange) &&
           std::all_of(step.inputs().begin(), step.inputs().end(),
                       [&](ValueId id) { return isRange(id) || isFixed(program, id); });
}

target::HostOperand operandOf(Program const& program, ValueId id) {
    Value const& value = program.value(id);
    return {value.type, graph::knownDims(program.pool, value.shape)};
}

/// The truth values; nullopt if the target cpu cannot compute them.
std::optional<Bytes> maskOf(Program const& program, Step const& step) {
    std::vector<target::HostOperand> operands;
    std::vector<target::Elements> elements;
    std::vector<ByteView> inputs;
    for (ValueId const id : step.inputs()) {
        operands.push_back(operandOf(program, id));
        if (StepId const range = rangeOf(program, id); range != StepId::kNone) {
            std::optional<std::vector<Bytes>> numbers =
                evaluateOnHost(program, program.step(range));
            if (!numbers.has_value()) {
                return std::nullopt;
            }
            elements.emplace_back(std::move(numbers->front()));
        } else {
            ReadWeights::note(*program.value(id).recipe);
            elements.push_back(target::elementsOf(*program.value(id).recipe));
        }
        inputs.push_back(elements.back().view);
    }
    target::HostOperand const output = operandOf(program, step.outputs()[0]);
    std::unique_ptr<target::HostOperation> const comparison =
        target::HostOperation::find(*step.op, step.name, operands, {&output, 1});
    std::optional<std::vector<Bytes>> results;
    if (comparison != nullptr) {
        results = comparison->run(inputs);
    }
    return results.has_value() ? std::optional(std::move(results->front())) : std::nullopt;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    Value const& mask = program.value(step.outputs()[0]);
    if (!step.as<graph::ElementWise>()->compares() || !mask.isPrivate() ||
        bytesOf(program, mask).value_or(SIZE_MAX) > kMostMaskBytes || !readsRanges(program, step)) {
        return false;
    }
    std::optional<Bytes> truths = maskOf(program, step);
    if (!truths.has_value()) {
        return false;
    }
    Value constant;
    constant.name = mask.name;
    constant.origin = step.name;
    constant.role = plan::TensorRole::kConstant;
    constant.type = mask.type;
    constant.shape = mask.shape;
    constant.recipe = target::Recipe::source({}, mask.type, target::Elements(std::move(*truths)));
    rewriter.replaceUses(step.outputs()[0], program.addValue(std::move(constant)));
    rewriter.erase(id);
    return true;
}

} // namespace

void registerPattern_fold_masks(PatternRegistry& registry) {
    registry.add({"fold_masks", {"ElementWise"}, &apply});
}

} // namespace kiln::compiler
