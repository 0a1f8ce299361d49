// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The results of a body are copied to the outputs of its loop or branch one after another. So each
// must be a tensor that a step of the body writes: what only enters a body and leaves it again, as
// two values that a loop exchanges, gets a copy inside.
//
// What the host reads to decide is in memory of the device, so a decision that became a constant
// gets a copy, too.
#include "compiler/cast_step.h"
#include "compiler/control_steps.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/value_memory.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

/// Whether a step inside a body writes the memory of a value.
bool isMadeInside(Program const& program, ValueId value) {
    ValueId const root = memoryOf(program, value);
    return program.value(root).producer() != StepId::kNone && !entersBody(program, root);
}

/// Operand `operand` of a step behind a body, which is a result of it.
void stage(Rewriter& rewriter, StepId behind, std::size_t operand) {
    Program& program = rewriter.program();
    ValueId const result = program.step(behind).inputs()[operand];
    if (!isMadeInside(program, result)) {
        copyOperand(rewriter, behind, operand, "result");
    }
}

/// Whether the host reads input 0 of a step.
bool isReadToDecide(Step const& step) {
    bool const decides =
        !step.isPlugin() && (graph::opensBody(*step.op) || step.as<graph::Require>() != nullptr);
    return (decides && step.decider < 0) || step.as<graph::Test>() != nullptr;
}

} // namespace

void stageResults(Program& program) {
    Rewriter rewriter(program);
    for (StepId const id : program.order()) {
        if (isReadToDecide(program.step(id))) {
            plan::TensorRole const role = program.value(program.step(id).inputs()[0]).role;
            if (role == plan::TensorRole::kConstant || role == plan::TensorRole::kValues) {
                copyOperand(rewriter, id, 0, "decision");
            }
        }
    }
    for (ControlSteps const& control : controlSteps(program)) {
        Step const& open = program.step(control.open);
        auto const* repeat = program.step(control.close).as<graph::EndRepeat>();
        auto const* branch = program.step(control.close).as<graph::EndBranch>();
        auto const results =
            static_cast<std::size_t>(branch == nullptr ? repeat->results() : branch->results);
        std::size_t const carried =
            repeat == nullptr ? results : static_cast<std::size_t>(repeat->carried);
        for (std::size_t i = 0; i < results; ++i) {
            std::size_t const operand = 1 + carried + i;
            bool const unchanged =
                control.repeats() && i < carried &&
                program.step(control.close).inputs()[operand] == open.outputs()[1 + i];
            if (!unchanged) {
                stage(rewriter, control.close, operand);
            }
            if (!control.repeats()) {
                stage(rewriter, control.middle, open.outputs().size() + i);
            }
        }
    }
}

} // namespace kiln::compiler
