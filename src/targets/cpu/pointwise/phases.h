// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the actions of a program in phases, and their outputs in slots of the tile memory.
#pragma once

#include <vector>

#include "targets/cpu/pointwise/program.h"

namespace kiln::targets::cpu {

struct PlannedAction {
    Action action;
    std::vector<int32_t> inputs;
    bool uniform = false;   ///< the output is a number
    bool needsSlot = false; ///< the output is an array that lies in no operand
};

/// Sets phases, tile and lastIsResult. `actions` are in the order of the chain.
void planPhases(Program& program, std::vector<PlannedAction> const& actions);

} // namespace kiln::targets::cpu
