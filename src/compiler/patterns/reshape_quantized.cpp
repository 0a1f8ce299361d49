// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized weights get further axes of extent 1 before they are dequantized, not behind: so a
// product of rank 3 reads the dequantization of a matrix directly, as keepQuantized() needs it. The
// reshapes of constants cost nothing.
#include <algorithm>
#include <array>

#include "compiler/pattern.h"
#include "graph/ops/dequantize.h"
#include "graph/ops/shuffle.h"

namespace kiln::compiler {
namespace {

using graph::Dequantize;
using graph::Shuffle;

bool isConstant(Value const& value) {
    return value.role == plan::TensorRole::kConstant && !value.isAbsent();
}

/// With so many axes of extent 1 in front.
Dims preceded(Dims const& dims, int32_t axes) {
    Dims result{dims.nbDims + axes, {}};
    std::fill_n(result.d, axes, 1);
    std::copy_n(dims.d, dims.nbDims, result.d + axes);
    return result;
}

/// How many axes of extent 1 the step adds in front; 0 if it does something else, too.
int32_t axesAdded(Program const& program, Step const& step) {
    auto const& op = *step.as<Shuffle>();
    Dims const from = graph::knownDims(program.pool, program.value(step.inputs()[0]).shape);
    Dims const to = graph::knownDims(program.pool, program.value(step.outputs()[0]).shape);
    int32_t const added = to.nbDims - from.nbDims;
    bool const plain =
        op.firstTranspose == Shuffle::kIdentity && op.secondTranspose == Shuffle::kIdentity;
    return plain && added > 0 && sameDims(preceded(from, added), to) ? added : 0;
}

/// The operand with more axes, as a new value that a step in front of `place` makes.
ValueId reshaped(Rewriter& rewriter, StepId place, ValueId operand, int32_t axes) {
    Program& program = rewriter.program();
    Dims const dims = preceded(graph::knownDims(program.pool, program.value(operand).shape), axes);
    Value value;
    value.name = program.value(operand).name;
    value.type = program.value(operand).type;
    value.origin = program.value(operand).origin;
    value.shape = graph::constantShape(program.pool, dims);
    ValueId const result = program.addValue(std::move(value));
    Step step({operand}, {result});
    step.name = program.step(place).name;
    auto op = std::make_unique<Shuffle>();
    op->reshape = dims;
    step.op = std::move(op);
    rewriter.insertBefore(place, std::move(step));
    return result;
}

bool apply(Rewriter& rewriter, StepId id) {
    Program& program = rewriter.program();
    ValueId const wide = program.step(id).inputs()[0];
    Step const* const before = program.producerOf(wide);
    if (before == nullptr || before->isPlugin() || before->as<Dequantize>() == nullptr ||
        !program.value(wide).isPrivate() || program.value(wide).users().size() != 1 ||
        !std::ranges::all_of(before->inputs(),
                             [&](ValueId operand) { return isConstant(program.value(operand)); })) {
        return false;
    }
    int32_t const axes = axesAdded(program, program.step(id));
    if (axes == 0) {
        return false;
    }
    StepId const source = program.value(wide).producer();
    auto op = std::make_unique<Dequantize>(*before->as<Dequantize>());
    int32_t const rank = program.value(before->inputs()[0]).shape.rank;
    std::vector<ValueId> inputs = before->inputs();
    for (ValueId& operand : inputs) { // the scale may be that of an axis, or of all
        bool const whole = operand == inputs.front() || program.value(operand).shape.rank == rank;
        operand = whole ? reshaped(rewriter, id, operand, axes) : operand;
    }
    op->axis += op->axis < 0 ? 0 : axes;
    op->blockShape = op->blockShape.nbDims > 0 ? preceded(op->blockShape, axes) : op->blockShape;
    Step step(std::move(inputs), {program.step(id).outputs()[0]});
    step.name = program.step(source).name;
    step.pinned = program.step(source).pinned;
    step.kept = program.step(source).kept;
    step.metadata = program.step(source).metadata;
    step.op = std::move(op);
    StepId const made = rewriter.insertBefore(id, std::move(step));
    std::array<StepId, 2> const old{source, id};
    rewriter.note(made, old, "reshape_quantized");
    rewriter.erase(id);
    rewriter.erase(source);
    return true;
}

} // namespace

void registerPattern_reshape_quantized(PatternRegistry& registry) {
    registry.add({"reshape_quantized", {std::string(Shuffle::kKind)}, &apply});
}

} // namespace kiln::compiler
