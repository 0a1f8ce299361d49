// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "graph/ops/control.h"

namespace kiln::compiler {
namespace {

/// Gives the step constants in the order that its kernel wants. The originals stay for other steps;
/// those without readers do not reach the plan.
void packConstants(Rewriter& rewriter, StepId id, std::span<target::OperandSpec const> inputs) {
    Program& program = rewriter.program();
    Step const& step = program.step(id);
    for (target::PackedOperand const& packed : program.backend.packs(step.kernel)) {
        Value const& original = program.value(step.inputs().at(packed.operand));
        Value value;
        value.name = original.name;
        value.role = original.role;
        value.type = original.type;
        value.shape = original.shape;
        value.origin = original.origin;
        value.data = ConstantBytes(program.backend.pack(
            step.kernel, packed.operand,
            constantOf(inputs[packed.operand], program.backend.readsHostMemory())));
        value.type.tag = packed.tag;
        rewriter.setInput(id, packed.operand, program.addValue(std::move(value)));
    }
}

} // namespace

void chooseKernels(Program& program, KernelChooser& chooser) {
    Extents const extents = extentsOf(program);
    Rewriter rewriter(program);
    for (StepId const id : program.order()) {
        Step& step = program.step(id);
        if (step.isPlugin() || graph::isControl(*step.op)) {
            continue;
        }
        std::vector<target::OperandSpec> inputs;
        std::vector<target::OperandSpec> outputs;
        for (ValueId const value : step.inputs()) {
            inputs.push_back(specOf(program, extents, value));
        }
        for (ValueId const value : step.outputs()) {
            outputs.push_back(outputSpecOf(program, extents, step, value));
        }
        KernelChoice const& choice = chooser.choose(*step.op, step.name, inputs, outputs);
        if (!choice.found) {
            fail(ErrorKind::kUnsupported,
                 "[select] layer '{}' ({}): the {} target has no kernel for it: {}.", step.name,
                 step.op->kind(), program.backend.name(),
                 choice.reasons.empty() ? "the operation is unknown there"
                                        : join(choice.reasons, "; "));
        }
        step.kernel = choice.record;
        step.workspaceBytes = choice.workspaceBytes;
        step.reasons.insert(step.reasons.end(), choice.reasons.begin(), choice.reasons.end());
        packConstants(rewriter, id, inputs);
    }
}

} // namespace kiln::compiler
