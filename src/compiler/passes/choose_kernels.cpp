// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "compiler/passes/passes.h"

namespace kiln::compiler {

void chooseKernels(Program& program, KernelChooser& chooser) {
    Extents const extents = extentsOf(program);
    for (Step& step : program.steps) {
        if (step.isPlugin()) {
            continue;
        }
        std::vector<target::OperandSpec> inputs;
        std::vector<target::OperandSpec> outputs;
        for (int32_t const value : step.inputs) {
            inputs.push_back(specOf(program, extents, value));
        }
        for (int32_t const value : step.outputs) {
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
        step.reasons = choice.reasons;
    }
}

} // namespace kiln::compiler
