// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/format_search.h"
#include "compiler/program.h"

namespace kiln::compiler {

/// The types and formats in which a layer or a region may run, inputs first: as declared in linear
/// memory, in the narrower types that the builder flags allow, and each of these with channels
/// last; then those with layouts of the target's own. What the target has kernels for is another
/// question.
std::vector<Combination> layerForms(Program const& program, Extents const& extents,
                                    Step const& step);

/// An operand by its place in a form.
inline ValueId operandOf(Step const& step, std::size_t index) {
    return index < step.inputs().size() ? step.inputs()[index]
                                        : step.outputs()[index - step.inputs().size()];
}

/// Specs of a step's operands in one of its forms: inputs, then outputs.
std::vector<target::OperandSpec> specsIn(Program const& program, Extents const& extents,
                                         Step const& step, Combination const& form);

} // namespace kiln::compiler
