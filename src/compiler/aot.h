// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compiler/plugin_trial.h"

namespace kiln::compiler {

/// The code of a configured plugin for one tactic: a variant for each architecture of the target.
/// Throws kPlugin for code that cannot work, launch numbers at the corners of the profiles
/// included.
std::vector<plugin::AotVariant> compileAot(Program const& program, Extents const& extents,
                                           Step const& step, plugin::PluginOp& plugin,
                                           Combination const& combination, int32_t tactic);

} // namespace kiln::compiler
