// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "plan/document.h"
#include "plugin/plugin_op.h"

namespace kiln::runtime {

/// Asks the plugins of an opened plan what the compiler asked them: how many outputs, their types
/// and shapes, whether the types and formats of the plan suit them, and how much workspace and
/// which tactics each profile takes. A plugin runs with what the plan says, so the plan must say
/// what the plugin does. Throws kCorruptData with layer, plugin and answer where they disagree, and
/// kPlugin where a plugin refuses to answer.
///
/// Asked is a clone of each plugin, through the calls that precede initialize() in a build. Not
/// asked: code compiled ahead of time, of which there is no plugin, and plugins without a build
/// part (PluginOp::hasBuildPart), which those made for the run-time phase may leave out.
///
/// `plugins`: by plugin of the manifest, not initialized yet; null for those compiled ahead of
/// time.
void askPlugins(plan::Document const& document,
                std::span<std::unique_ptr<plugin::PluginOp> const> plugins);

} // namespace kiln::runtime
