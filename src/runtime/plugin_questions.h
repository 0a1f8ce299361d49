// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "plan/document.h"
#include "plugin/plugin_op.h"

namespace kiln::runtime {

/// Queries the plugins of an opened plan as the compiler did: number, types and shapes of outputs,
/// support for the plan's types and formats, workspace and tactics of each profile. A plugin runs
/// with the values in the plan, so they must match its behaviour. Throws kCorruptData with layer,
/// plugin and answer if they differ, and kPlugin if a query fails.
///
/// Queries a clone of each plugin, through the calls that precede initialize() in a build. Skips
/// code compiled ahead of time, which has no plugin, and plugins without a build part
/// (PluginOp::hasBuildPart), which a plugin for the runtime phase may lack.
///
/// `plugins`: by plugin of the manifest, not initialized yet; null for those compiled ahead of
/// time.
void askPlugins(plan::Document const& document,
                Table<plan::PluginIndex, std::unique_ptr<plugin::PluginOp>> const& plugins);

} // namespace kiln::runtime
