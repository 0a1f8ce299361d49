// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// A plugin writes an output of data-dependent size before the size is known, so it needs room for
// the upper bound. The buffer of the user or of an output allocator has room for the actual size
// only. So the plugin writes to the arena, and a step copies the output from there. If kernels
// cannot read host memory, the copy reads the size on the device where possible, so that the host
// does not wait.
#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/counted_copy.h"

namespace kiln::compiler {
namespace {

/// The axis whose extent is a size tensor, if no other extent depends on a size tensor; else -1.
int32_t countedAxis(Program const& program, graph::ShapeExpr const& shape) {
    int32_t counted = -1;
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        graph::ShapeExpr extent;
        extent.rank = 1;
        extent[0] = shape[axis];
        if (!dependsOnSize(program.pool, extent)) {
            continue;
        }
        if (counted >= 0 || program.pool.node(shape[axis]).op != graph::ExprOp::kSizeTensor) {
            return -1;
        }
        counted = axis;
    }
    return counted;
}

/// The copy of a staged value to the user's output.
Step makeCopy(Program const& program, StepId finder, ValueId from, ValueId to) {
    graph::ShapeExpr const& shape = program.value(from).shape;
    int32_t const axis = countedAxis(program, shape);
    if (axis < 0 || program.backend.readsHostMemory()) {
        return makeCast(program, from, to);
    }
    auto const number = static_cast<std::size_t>(program.pool.node(shape[axis]).a);
    ValueId const size = program.sizeTensors.at(number);
    if (program.value(size).producer() != finder) {
        return makeCast(program, from, to); // sizes that a branch finds are on the host alone
    }
    Step step({from, size}, {to});
    step.name = makeCast(program, from, to).name;
    auto op = std::make_unique<graph::CountedCopy>();
    op->axis = axis;
    step.op = std::move(op);
    step.kernel.inputs = {program.value(from).type, program.value(size).type};
    step.kernel.outputs = {program.value(to).type};
    return step;
}

} // namespace

void stageOutputs(Program& program) {
    Rewriter rewriter(program);
    for (StepId const id : program.order()) {
        Step const& step = program.step(id);
        StepId last = id;
        for (std::size_t i = 0; step.findsSizes() && i < step.outputs().size(); ++i) {
            ValueId const output = step.outputs()[i];
            if (program.value(output).role != plan::TensorRole::kOutput ||
                !dependsOnSize(program.pool, program.value(output).shape)) {
                continue;
            }
            Value staged;
            staged.name = program.value(output).name + " (staged)";
            staged.type = program.value(output).type;
            staged.shape = program.value(output).shape;
            staged.debug = program.value(output).debug;
            ValueId const aside = program.addValue(std::move(staged));
            rewriter.replaceUses(output, aside);
            rewriter.setOutput(id, i, aside);
            last = rewriter.insertAfter(last, makeCopy(program, id, aside, output));
        }
    }
}

} // namespace kiln::compiler
