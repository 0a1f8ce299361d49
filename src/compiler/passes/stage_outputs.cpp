// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// A plugin writes an output of data-dependent size before the size is known, so it needs room for
// the upper bound. The buffer of the user or of an output allocator has room for the actual size
// only. So the plugin writes to the arena, and a step copies the output from there. If kernels
// cannot read host memory, the copy reads the size on the device where possible, so that the host
// does not wait.
#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"
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

Step makeCopy(Program const& program, int32_t from, int32_t to) {
    Step step = makeCast(program, from, to);
    graph::ShapeExpr const& shape = program.value(from).shape;
    int32_t const axis = countedAxis(program, shape);
    if (axis < 0 || program.backend.readsHostMemory()) {
        return step;
    }
    auto const number = static_cast<std::size_t>(program.pool.node(shape[axis]).a);
    auto op = std::make_unique<graph::CountedCopy>();
    op->axis = axis;
    step.op = std::move(op);
    step.inputs.push_back(program.sizeTensors.at(number));
    step.kernel.inputs.push_back(program.value(step.inputs.back()).type);
    return step;
}

} // namespace

void stageOutputs(Program& program) {
    std::vector<Step> steps = std::move(program.steps);
    program.steps.clear();
    for (Step& step : steps) {
        std::vector<Step> copies;
        for (std::size_t i = 0; step.findsSizes() && i < step.outputs.size(); ++i) {
            int32_t const output = step.outputs[i];
            if (program.value(output).role != plan::TensorRole::kOutput ||
                !dependsOnSize(program.pool, program.value(output).shape)) {
                continue;
            }
            Value staged = program.value(output);
            staged.name += " (staged)";
            staged.role = plan::TensorRole::kInternal;
            int32_t const aside = program.addValue(std::move(staged));
            for (Step& other : steps) {
                std::replace(other.inputs.begin(), other.inputs.end(), output, aside);
            }
            step.outputs[i] = aside;
            copies.push_back(makeCopy(program, aside, output));
        }
        program.steps.push_back(std::move(step));
        std::move(copies.begin(), copies.end(), std::back_inserter(program.steps));
    }
}

} // namespace kiln::compiler
