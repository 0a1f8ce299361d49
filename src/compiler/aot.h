// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/plugin_trial.h"

namespace kiln::compiler {

/// The code of a configured plugin for one tactic, one variant for each architecture of the target.
/// Throws kPlugin for code that cannot work, including launch parameters that the target refuses at
/// a corner of the profiles.
std::vector<plugin::AotVariant> compileAot(Program const& program, Extents const& extents,
                                           Step const& step, plugin::PluginOp& plugin,
                                           Combination const& combination, int32_t tactic);

} // namespace kiln::compiler
