// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/program.h"

namespace kiln::compiler {

/// A loop or a branch of the program: the steps that stand around its bodies.
struct ControlSteps {
    StepId open = StepId::kNone;
    StepId middle = StepId::kNone; ///< between the two bodies of a branch; kNone for a loop
    StepId close = StepId::kNone;
    StepId test = StepId::kNone; ///< in the body of a loop that tests each pass

    bool repeats() const noexcept { return middle == StepId::kNone; }
};

/// All loops and branches, inner ones before those around them. Throws kInternal unless the steps
/// nest, and each body reads only its own values, the outputs of the step in front of it, constants
/// and host tensors. Throws kUnsupported for a step in a body that finds sizes.
std::vector<ControlSteps> controlSteps(Program const& program);

/// Whether a value is one from outside as a body sees it: its memory is not the body's own.
bool entersBody(Program const& program, ValueId value);

/// Whether a body reads input `input` of Repeat or Branch.
bool isRead(Program const& program, ControlSteps const& control, std::size_t input);

/// Values that are one tensor in the plan: an outer value and the outputs by which bodies see it,
/// the current value of a loop and its final one.
class SameTensors {
public:
    SameTensors(Program const& program, std::vector<ControlSteps> const& controls);

    /// The value that stands for all of them.
    ValueId of(ValueId value) const;

private:
    std::unordered_map<ValueId, ValueId> outer_;
};

} // namespace kiln::compiler
