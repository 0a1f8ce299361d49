// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What passes ask before they let values share memory.
#pragma once

#include <algorithm>

#include "compiler/program.h"

namespace kiln::compiler {

/// The value whose memory this one uses: itself, if it does not share.
ValueId memoryOf(Program const& program, ValueId value);

/// Whether the compiler may write over the memory of a value, or move it elsewhere: only steps see
/// the value, and it is none from outside as a body sees it, which a loop reads again in its next
/// pass. Every pass that overwrites or moves values asks this.
bool ownsMemory(Program const& program, ValueId value);

/// Whether the memory of a value may be overwritten by the step of `last`, its last use: all other
/// users are steps of which `isBefore(StepId)` says that they run before that.
template <typename IsBefore>
bool isLastUse(Program const& program, ValueId value, Use last, IsBefore&& isBefore) {
    auto const& users = program.value(value).users();
    return ownsMemory(program, value) && std::all_of(users.begin(), users.end(), [&](Use use) {
               return use == last || isBefore(use.step);
           });
}

} // namespace kiln::compiler
