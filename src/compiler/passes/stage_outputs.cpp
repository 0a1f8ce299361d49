// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// A plugin writes an output before anyone knows its size, so it needs room for the upper bound. The
// user's buffer, or the one that an output allocator gives, has room for what there is: such
// outputs are made in the arena and copied when the size is known.
#include "compiler/cast_step.h"
#include "compiler/passes/passes.h"

namespace kiln::compiler {

void stageOutputs(Program& program) {
    std::vector<Step> steps = std::move(program.steps);
    program.steps.clear();
    for (Step& step : steps) {
        std::vector<Step> copies;
        for (std::size_t i = 0; step.isPlugin() && i < step.outputs.size(); ++i) {
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
            copies.push_back(makeCast(program, aside, output));
        }
        program.steps.push_back(std::move(step));
        std::move(copies.begin(), copies.end(), std::back_inserter(program.steps));
    }
}

} // namespace kiln::compiler
