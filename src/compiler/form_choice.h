// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/plugin_trial.h"

namespace kiln::compiler {

/// The forms in which a step may run, and the one that was taken.
struct FormChoice {
    std::vector<Combination> options; ///< all operands, shape inputs included
    std::vector<double> seconds;      ///< by option
    /// For timed plugins, by option and profile: the tactic, and the code that its trial compiled.
    std::vector<std::vector<PluginTiming>> timings;
    std::size_t taken = 0;

    Combination const& types() const { return options[taken]; }
};

using FormChoices = Table<StepId, FormChoice>;

/// The forms that a plugin accepts, timed over the profiles if there are several. Throws kPlugin if
/// there are none.
FormChoice formsOfPlugin(Program const& program, Extents const& extents,
                         std::vector<Extents> const& profiles, Step const& step);

/// Configures a plugin for each profile with the form that was taken, and saves it in the step.
void finishPlugin(Program const& program, std::vector<Extents> const& profiles, Step& step,
                  FormChoice& choice);

/// Takes a form of each step such that the whole program is fast over all profiles, casts and
/// reformats included.
void settleForms(Program const& program, std::vector<Extents> const& profiles,
                 FormChoices& choices);

} // namespace kiln::compiler
