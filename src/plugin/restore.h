// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "plugin/creator_table.h"
#include "plugin/plugin_op.h"

namespace kiln::plugin {

/// Creates the plugin of a plan through its creator. Throws kPlugin with the remedy if the creator
/// is missing, fails, or creates something else.
std::unique_ptr<PluginOp> restorePlugin(PluginRecord const& record, CreatorTable const& creators);

} // namespace kiln::plugin
